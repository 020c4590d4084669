#!/usr/bin/env python3
"""Compile the proofs from scratch and say what Coq makes of each statement.

usage: check.py                 check; prints a table: id, statement, closed
       check.py --controls      faults, each of which must be noticed
       check.py --renew         store what Coq prints now (with MathComp 1.15 first, then with MathComp 2)
       check.py --full          with whole statements in the table

Exit code 0: all is as it should be; 1: it is not; 3: Coq or MathComp is missing, or of another version.

Works on a copy in a temporary folder, without earlier results of the compiler. Refused are: a file that does not
compile, or whose compiled form Coq's separate kernel (`coqchk`) does not accept; an assumption behind a theorem
(`Print Assumptions`), so axioms, `Admitted`, and checks of guards, positivity or universes that were switched off; the
words for these things anywhere; a statement that uses a definition of these files from outside definitions.v; a
notation in definitions.v that statements.json does not list; and a statement or definition that is not, word for word,
what statements.json has next to its note. The note is the formula of the book, for the reader; `part` says of which
part of the book's statement the theorem speaks, where it does not speak of all of it. Words need no Coq: a note that
moved, or a statement beside it, is a line of `make.py book` until `make.py publish` confirms it.

Two environments will do, and each has its own digests in the record, since the two print differently: Coq 8.16 with
MathComp 1.15 (Debian 12), and Coq 8.20 with MathComp 2.3 (Debian 13), where compat.v is replaced by an empty file.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from graphlib import TopologicalSorter
from pathlib import Path
from threading import Semaphore

HERE = Path(__file__).resolve().parent
LIBRARY, DEFINITIONS, STATEMENTS, RECORD = "SparseNetworks", "definitions", "statements", "statements.json"
FLAGS = ["-q", "-Q", ".", LIBRARY, "-w", "-notation-overridden,-ambiguous-paths"]
CLOSED = "Closed under the global context"
MISSING = (
    "this needs Coq 8.16 with MathComp 1.15, or Coq 8.20 with MathComp 2.3. Debian 12 or 13: apt install coq "
    "libcoq-mathcomp-ssreflect libcoq-mathcomp-algebra; elsewhere: opam install coq.8.16.1 coq-mathcomp-algebra.1.15.0"
)
CORES = Semaphore(os.cpu_count() or 1)
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Conjectures?|Parameters?|Primitive|Abort|Load|Redirect|Drop"
    r"|Declare\s+ML|(?:Uns|S)et\s+Printing(?!\s+Implicit\s+Defensive)|bypass_check|(?:Uns|S)et\s+(?:Guard|Positivity|Universe)\s+Check\w*|type_in_type|Type_in_type)\b"
)
# A comment begins or ends, or a whole string: a string may contain the signs of a comment, and hides nothing.
LEXICAL = re.compile(r'(\(\*|\*\)|"[^"]*")')
# The sentences that change how Coq reads or prints what follows.
NOTATION = re.compile(
    r"(?:^|(?<=\.\s))\s*((?:Local\s+|Global\s+|#\[[^\]]*\]\s*)*(?:Notation|Infix|Reserved|Coercion|Canonical|Arguments"
    r"|Delimit|Bind|Open|Close|Declare)\b.*?\.)(?=\s)",
    re.S,
)
# Coq prints "..." for what lies deeper than this many levels; a literal n has n levels.
PRINTING = "Unset Printing Implicit Defensive. Set Printing Width 76. Set Printing Depth 1000000."
SCOPES = f"""From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint intdiv.
From {LIBRARY} Require Import {DEFINITIONS}.
Import Order.TTheory GRing.Theory Num.Theory. Local Open Scope ring_scope. {PRINTING}"""


class Fault(Exception):
    """Something that the check is there to notice."""


def run(command, folder):
    with CORES:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Fault(f"{command[0]} {command[-1]} fails: {words(done.stdout + done.stderr)[-300:]}")
    return done.stdout


def words(text):
    return " ".join(text.split())


def digest(*texts):
    return hashlib.sha256("\n".join(map(words, texts)).encode()).hexdigest()[:16]


def ask(folder, name, preamble, questions):
    """Coq's answers to questions {key: command}; each goes to a file of its own, so nothing is cut out of a stream."""
    answers = folder / f"{name}_answers"
    answers.mkdir()
    lines = [preamble, *(f'Redirect "{answers.name}/{key}" {command}' for key, command in questions.items())]
    (folder / f"{name}.v").write_text("\n".join(lines) + "\n")
    run(["coqc", *FLAGS, f"{name}.v"], folder)
    found = {key: (answers / f"{key}.out").read_text().strip() for key in questions}
    for key, answer in found.items():
        whole(key, answer)
    return found


def whole(name, answer):
    """Coq's answer, refused if Coq left something out."""
    if "..." in answer:
        raise Fault(f"what Coq prints about {name} is cut short")
    return answer


def sentences(source):
    """The text of a file without comments and strings. Coq allows comments within comments, and strings in both."""
    text, depth = "", 0
    for part in LEXICAL.split(source.read_text()):
        depth += {"(*": 1, "*)": -1}.get(part, 0)
        text += "" if depth or part == "*)" or part.startswith('"') else part
    return text


def forbidden_words(sources):
    """Comments and strings may say what they like; they are taken out first."""
    for source in sources:
        if found := FORBIDDEN.search(sentences(source)):
            raise Fault(f"{source.name} says {found[0]}")


def notations(folder):
    """Each sentence of definitions.v that changes how Coq reads or prints."""
    source = folder / f"{DEFINITIONS}.v"
    found = [words(match[1]) for match in NOTATION.finditer(sentences(source))]
    kinds = [kind for kind, _ in recorded_names(folder, DEFINITIONS, ("not", "abbrev"))]
    written = [sentence for sentence in found if re.search(r"\b(Notation|Infix)\b", sentence)]
    if kinds.count("not") + kinds.count("abbrev") != len(written):
        raise Fault(f"{DEFINITIONS}.v has notations that were not found in its text")
    return found


def recorded_names(folder, module, kinds):
    """The names that Coq itself recorded in the file, not what a regular expression finds in its text."""
    found = []
    for line in (folder / f"{module}.glob").read_text().splitlines():
        if match := re.match(r"(\w+) \d+:\d+ (\S+) (\S+)$", line):
            kind, path, name = match.groups()
            if kind in kinds and path == "<>" or kind in ("ax", "prf", "def", "rec", "ind", "inst", "coe", "var"):
                found.append((kind, name))
    return found


def asked(folder, questions):
    """The answers to several calls of `ask`, put at the same time."""
    with ThreadPoolExecutor() as pool:
        return list(pool.map(lambda question: ask(folder, *question), questions))


def definitions(folder):
    """What Coq prints about each definition: with notations for the reader, and without, so that none can hide."""
    names = [name for kind, name in recorded_names(folder, DEFINITIONS, ()) if kind in ("def", "rec", "ind")]
    bare = f"From {LIBRARY} Require {DEFINITIONS}. Set Printing All. {PRINTING}"
    pretty, exact = asked(
        folder,
        [
            ("pretty_definitions", SCOPES, {name: f"Print {name}." for name in names}),
            ("bare_definitions", bare, {name: f"Print {LIBRARY}.{DEFINITIONS}.{name}." for name in names}),
        ],
    )
    return {name: (pretty[name].split("\n\nArguments ")[0], digest(exact[name])) for name in names}


def theorems(folder, modules):
    """For each theorem of the statements: as printed, its digest without notations, and what it assumes."""
    recorded = recorded_names(folder, STATEMENTS, ("prf", "not", "abbrev"))
    if other := [name for kind, name in recorded if kind != "prf"]:
        raise Fault(f"{STATEMENTS}.v may hold theorems only, not {other[0]}")
    full = {name: f"{LIBRARY}.{STATEMENTS}.{name}" for _, name in recorded}
    shown = {name: f"Check @{path}." for name, path in full.items()}
    bare = f"From {LIBRARY} Require {STATEMENTS}. Set Printing All. {PRINTING}"
    every = f"Definition every := {' '.join(f'let _ := @{path} in' for path in full.values())} tt."
    exact, pretty, assumed = asked(
        folder,
        [
            ("bare_statements", bare, shown),
            ("pretty_statements", f"{SCOPES}\nFrom {LIBRARY} Require {STATEMENTS}.", shown),
            # asked of all at once, Coq walks through what they share once
            ("assumptions", f"{bare} {every}", {"every": "Print Assumptions every."}),
        ],
    )
    foreign = re.compile(rf"\b(?:{'|'.join(modules - {DEFINITIONS})})\.\w+")
    if assumed["every"] != CLOSED:
        raise Fault(f"a theorem assumes {words(assumed['every'])[:120]}")
    result = {}
    for name in full:
        statement = exact[name].split(":", 1)[1]
        if found := foreign.search(statement):
            raise Fault(f"{name} uses {found[0]}, which is not in {DEFINITIONS}.v")
        text = "\n".join(line.removeprefix("     ") for line in pretty[name].split(":", 1)[1].strip().splitlines())
        result[name] = (text, digest(statement))
    return result


def compare(kind, found, record, second=False):
    """What Coq prints against what stands next to the reader's note; `second` with MathComp 2."""
    for name in found.keys() | record.keys():
        entry = record.get(name)
        if name not in found:
            raise Fault(f"{kind} {name} is in {RECORD} but not proved or defined")
        if entry is None:
            raise Fault(f"{kind} {name} has no note in {RECORD}")
        if not entry["note"].strip():
            raise Fault(f"{kind} {name} has an empty note")
        text, exact = found[name]
        here = digest(text, exact) == entry.get("second") if second else exact == entry["exact"]
        if not here or (not second and words(text) != words("\n".join(entry["coq"]))):
            raise Fault(f"{kind} {name} is not what {RECORD} has next to its note")


def renew(kind, found, record, second=False):
    """Store what Coq prints. The book stops at a statement that moved until somebody has read its note again, and
    `make.py publish` confirms both."""
    renewed = {}
    for name, (text, exact) in found.items():
        entry = record.get(name, {})
        note = entry.get("note", "")
        if not note.strip():
            raise Fault(f"{kind} {name} needs a note: the formula of the book")
        if second:
            renewed[name] = renew_second(kind, name, entry, digest(text, exact))
            continue
        written = {key: entry[key] for key in ("note", "part") if entry.get(key)}
        renewed[name] = {**written, "coq": text.splitlines(), "exact": exact}
        if exact == entry.get("exact") and "second" in entry:
            renewed[name]["second"] = entry["second"]
    return renewed


def renew_second(kind, name, entry, both):
    """The entry with the digest of what Coq prints with MathComp 2. The first environment is renewed before, and what
    did not change there must not have changed here."""
    if "exact" not in entry:
        raise Fault(f"{kind} {name} must be renewed with MathComp 1.15 first")
    if entry.get("second", both) != both:
        raise Fault(f"{kind} {name} has changed with MathComp 2 only")
    return {**entry, "second": both}


def needs(folder):
    """What each module needs of the others: {module: modules}."""
    lines = run(["coqdep", "-Q", ".", LIBRARY, *(path.name for path in folder.glob("*.v"))], folder).splitlines()
    found = [match for line in lines if (match := re.match(r"(\w+)\.vo .*?: (.*)", line))]
    return {m[1]: {Path(word).stem for word in m[2].split() if word.endswith(".vo")} for m in found}


def compile_files(folder, wanted=None):
    """Compile the files, or those that are wanted, each as soon as what it needs is there, on all cores."""
    needed = needs(folder)
    order = [name for name in TopologicalSorter(needed).static_order() if name in (wanted or needed)]
    order = [name for name in order if not (folder / f"{name}.vo").exists()]
    started = {}

    def work(name):
        for other in needed[name] & started.keys():
            started[other].result()
        run(["coqc", *FLAGS, f"{name}.v"], folder)

    with ThreadPoolExecutor(len(order) or 1) as pool:
        for name in order:
            started[name] = pool.submit(work, name)
    for one in started.values():
        one.result()


def copy_sources(proofs, folder, second):
    """The files to compile. With MathComp 2 nothing has to be renamed, so compat.v is empty."""
    for source in proofs.glob("*.v"):
        shutil.copy2(source, folder)
    if second:
        (folder / "compat.v").write_text("")


def kernel_check(folder, modules):
    """Coq's separate checker reads the compiled files again. MathComp and Coq's own library, which it takes as they
    are, may seal their lemmas in modules, which it calls axioms; these files may not have any."""
    named = [word for name in sorted(modules) for word in ("-norec", f"{LIBRARY}.{name}")]
    done = subprocess.run(
        ["coqchk", "-silent", "-o", "-Q", ".", LIBRARY, *named], cwd=folder, capture_output=True, text=True
    )
    report = done.stdout + done.stderr
    if done.returncode or "CONTEXT SUMMARY" not in report:
        raise Fault(f"coqchk fails: {words(report)[-300:]}")
    summary = report[report.index("CONTEXT SUMMARY") :]
    if found := re.search(rf"\b{LIBRARY}\.\S+", summary):
        raise Fault(f"coqchk: {found[0]} is not proved")
    if summary.count("<none>") < 3 + ("Axioms: <none>" in summary):
        raise Fault(f"coqchk: {words(summary)[-300:]}")


def exercises(proofs, folder):
    """Each exercise compiles with its hole, and its solution proves the same statement without one."""
    sources, solutions = [], []
    for exercise in sorted((proofs / "exercises").glob("exercise_*.v")):
        solution = exercise.with_name(exercise.name.replace("exercise", "solution"))
        if "Admitted." not in sentences(exercise):
            raise Fault(f"{exercise.name} has no hole")
        if stated(exercise) != stated(solution):
            raise Fault(f"{solution.name} proves another statement than {exercise.name} asks for")
        forbidden_words([solution])
        sources += [shutil.copy2(source, folder) for source in (exercise, solution)]
        solutions.append(solution.stem)
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda source: run(["coqc", *FLAGS, Path(source).name], folder), sources))
    proved = [f"{module}.{name}" for module in solutions for _, name in recorded_names(folder, module, ("prf",))]
    questions = {name: f"Print Assumptions {LIBRARY}.{name}." for name in proved}
    preamble = f"From {LIBRARY} Require {' '.join(solutions)}."
    for name, assumed in ask(folder, "about_solutions", preamble, questions).items():
        if assumed != CLOSED:
            raise Fault(f"{name} assumes something")


def stated(source):
    """What a file says without its proofs."""
    return re.sub(r"Proof\..*?(Qed|Admitted)\.", "", words(sentences(source)))


def check(proofs, compiled=(), renewing=False):
    """Everything; returns the theorems."""
    second = mathcomp() == 2
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copy_sources(proofs, folder, second)
        for result in compiled:
            shutil.copy2(result, folder)
        sources = sorted(folder.glob("*.v"))
        forbidden_words(sources)
        record = json.loads((proofs / RECORD).read_text())
        compile_files(folder, [DEFINITIONS])
        defined = definitions(folder)
        if notations(folder) != record["notations"]:
            raise Fault(f"the notations of {DEFINITIONS}.v are not those that {RECORD} lists")
        if not renewing:
            compare("definition", defined, record["definitions"], second)
        compile_files(folder, [source.stem for source in sources])
        modules = {source.stem for source in sources}
        with ThreadPoolExecutor() as pool:
            kernel = pool.submit(kernel_check, folder, modules)
            proved = theorems(folder, modules)
            exercises(proofs, folder)
            kernel.result()
        if not renewing:
            compare("theorem", proved, record["theorems"], second)
            return proved
        record = {
            "notations": record["notations"],
            "definitions": renew("definition", defined, record["definitions"], second),
            "theorems": renew("theorem", proved, record["theorems"], second),
        }
        (proofs / RECORD).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        return proved


ZERO = "Proof. by rewrite big_ord_recl big_ord0 addr0. Qed."
CONTROLS = {
    "an admitted lemma": ("dense.v", ZERO, "Admitted."),
    "an admitted lemma between strings that look like a comment": (
        "dense.v",
        ZERO,
        'Proof. Comments "(*". Admitted. Comments "*)".',
    ),
    # `Variable` outside a section is an axiom; no forbidden word gives it away, only `Print Assumptions` and coqchk
    "an axiom": (
        "rounding.v",
        "Lemma ord_le q (a : 'I_q) : (a <= q - 1)%N.\nProof. by rewrite subn1 -ltnS (ltn_predK (ltn_ord a)). Qed.",
        "Variable ord_le : forall q (a : 'I_q), (a <= q - 1)%N.",
    ),
    "a constant 3 for 4": ("statements.v", "AS <= 4 * weighted,", "AS <= 3 * weighted,"),
    "a weakened statement": (
        "statements.v",
        "(fun x => j \\in active N x) <= k%:R.\nProof. exact: pieces.activation_budget. Qed.",
        "(fun x => j \\in active N x) <= k%:R \\/ True.\nProof. by move=> *; right. Qed.",
    ),
    "a weakened definition of sparse": (
        "definitions.v",
        "(#|active_at N (points t)| <= k)%N.",
        "(#|active_at N (points t)| <= k.+1)%N.",
    ),
    "a learner that is told the target": (
        "definitions.v",
        "Definition risk (g : cube I -> R) : R := \\sum_o p o * (Y o - g (X o)) ^+ 2.",
        "Definition risk (g : cube I -> R) : R := \\sum_o p o * (g (X o) - g (X o)) ^+ 2.",
    ),
    "a notation that prints another number": (
        "definitions.v",
        "(* ---- Networks ---",
        'Notation "16" := 17 (only printing) : ring_scope.\n(* ---- Networks ---',
    ),
    "two bounds without the constant": (
        "exchange.v",
        "m%:R / (2 * m - 1)%:R * interactions f <= (\\sum_(S in halves m)",
        "interactions f <= (\\sum_(S in halves m)",
    ),
    "interactions that count single coordinates": (
        "definitions.v",
        "(1 < #|T|)%N) term_variance F T.",
        "(0 < #|T|)%N) term_variance F T.",
    ),
    "a shorter printing depth": ("dense.v", ZERO, f"{ZERO}\nGlobal Set Printing Depth 5."),
}


def controls(proofs):
    """Each fault on a copy; only what depends on the changed file is compiled again."""
    noticed = True
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary) / "base"
        base.mkdir()
        copy_sources(proofs, base, mathcomp() == 2)
        compile_files(base)
        needed = needs(base)
        for number, (fault, (file, old, new)) in enumerate(CONTROLS.items()):
            copy = base.with_name(f"control_{number}")
            copy.mkdir()
            for source in [*proofs.glob("*.v"), proofs / RECORD]:
                shutil.copy2(source, copy)
            text = (copy / file).read_text()
            if text.count(old) != 1:
                raise Fault(f"the control '{fault}' no longer fits {file}")
            (copy / file).write_text(text.replace(old, new))
            touched = dependents(needed, Path(file).stem)
            kept = [p for p in base.glob("*.vo") if p.stem not in touched]
            try:
                check(copy, kept + [p.with_suffix(".glob") for p in kept])
                print(f"NOT NOTICED: {fault} in {file}")
                noticed = False
            except Fault as reason:
                print(f"noticed: {fault} in {file}: {reason}")
    return noticed


def dependents(needed, module):
    """The modules that need this one, itself included."""
    touched = {module}
    for name in TopologicalSorter(needed).static_order():
        touched |= {name} if needed.get(name, set()) & touched else set()
    return touched


def mathcomp():
    """1 for Coq 8.16 with MathComp 1.15, 2 for Coq 8.20 with MathComp 2, and 0 where proofs may not run."""
    if not all(map(shutil.which, ("coqc", "coqdep", "coqchk"))):
        return 0
    version = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True).stdout
    where = subprocess.run(["coqc", "-where"], capture_output=True, text=True).stdout.strip()
    libraries = Path(where, "user-contrib")
    if not (libraries / "mathcomp/algebra/ssrnum.vo").exists():
        return 0
    builder = (libraries / "HB/structures.vo").exists()  # MathComp 2 rests on the hierarchy builder
    return 1 if version.startswith("8.16.") and not builder else 2 if version.startswith("8.20.") and builder else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--controls", action="store_true", help="faults, each of which must be noticed")
    parser.add_argument("--renew", action="store_true", help="store what Coq prints next to the renewed notes")
    parser.add_argument("--full", action="store_true", help="whole statements in the table")
    options = parser.parse_args()
    if not mathcomp():
        print(f"prove: {MISSING}", file=sys.stderr)
        return 3
    start = time.perf_counter()
    try:
        if options.controls:
            return 0 if controls(HERE) else 1
        proved = check(HERE, renewing=options.renew)
    except Fault as fault:
        print(f"prove: stopped: {fault}", file=sys.stderr)
        return 1
    width = max(map(len, proved))
    for name, (text, _) in proved.items():
        line = words(text)
        shown = "\n" + text + "\n" if options.full else line if len(line) <= 90 else line[:87] + "..."
        print(f"{name.replace('_', '-'):{width}}  closed  {shown}")
    print(f"{len(proved)} theorems, {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
