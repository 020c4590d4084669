#!/usr/bin/env python3
"""Compile the proofs from scratch and say what Coq makes of each statement.

usage: check.py                 check; prints a table: id, statement, closed
       check.py --controls      five faults, each of which must be noticed
       check.py --renew         store what Coq prints now; refused where the reader's note was not renewed as well
       check.py --full          with whole statements in the table

Exit code 0: all is as it should be; 1: it is not; 3: Coq or MathComp is missing, or of another version.

Works on a copy in a temporary folder, without earlier results of the compiler. Refused are: a file that does not
compile; an assumption behind a theorem (`Print Assumptions`), so axioms, `Admitted`, and checks of guards, positivity
or universes that were switched off; the words for these things anywhere; a statement that uses a definition of these
files from outside definitions.v; and a statement or definition that is not, word for word, what statements.json has
next to its note. The note is the formula of the book, for the reader; `part` says of which part of the book's statement
the theorem speaks, where it does not speak of all of it.
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
    "this needs Coq 8.16 with MathComp 1.15. Debian 12: apt install coq libcoq-mathcomp-ssreflect "
    "libcoq-mathcomp-algebra; elsewhere: opam install coq.8.16.1 coq-mathcomp-algebra.1.15.0"
)
CORES = Semaphore(os.cpu_count() or 1)
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Conjectures?|Parameters?|Primitive|Abort|Load|Redirect|Drop"
    r"|Declare\s+ML|bypass_check|(?:Uns|S)et\s+(?:Guard|Positivity|Universe)\s+Check\w*|type_in_type|Type_in_type)\b"
)
PRINTING = """Unset Printing Implicit Defensive. Set Printing Width 76."""
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
    return {key: (answers / f"{key}.out").read_text().strip() for key in questions}


def forbidden_words(sources):
    """Comments may say what they like; they are taken out first. Coq allows comments within comments."""
    for source in sources:
        text, depth = "", 0
        for part in re.split(r"(\(\*|\*\))", source.read_text()):
            depth += {"(*": 1, "*)": -1}.get(part, 0)
            text += "" if depth or part == "*)" else part
        if found := FORBIDDEN.search(text):
            raise Fault(f"{source.name} says {found[0]}")


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
    recorded = recorded_names(folder, STATEMENTS, ("prf",))
    if other := [name for kind, name in recorded if kind != "prf"]:
        raise Fault(f"{STATEMENTS}.v may hold theorems only, not {other[0]}")
    full = {name: f"{LIBRARY}.{STATEMENTS}.{name}" for _, name in recorded}
    shown = {name: f"Check @{path}." for name, path in full.items()}
    bare = f"From {LIBRARY} Require {STATEMENTS}. Set Printing All. {PRINTING}"
    exact, pretty, assumed = asked(
        folder,
        [
            ("bare_statements", bare, shown),
            ("pretty_statements", f"{SCOPES}\nFrom {LIBRARY} Require {STATEMENTS}.", shown),
            ("assumptions", bare, {name: f"Print Assumptions {path}." for name, path in full.items()}),
        ],
    )
    foreign = re.compile(rf"\b(?:{'|'.join(modules - {DEFINITIONS})})\.\w+")
    result = {}
    for name in full:
        statement = exact[name].split(":", 1)[1]
        if found := foreign.search(statement):
            raise Fault(f"{name} uses {found[0]}, which is not in {DEFINITIONS}.v")
        if assumed[name] != CLOSED:
            raise Fault(f"{name} assumes {words(assumed[name])[:120]}")
        text = "\n".join(line.removeprefix("     ") for line in pretty[name].split(":", 1)[1].strip().splitlines())
        result[name] = (text, digest(statement))
    return result


def compare(kind, found, record):
    """What Coq prints against what stands next to the reader's note."""
    for name in found.keys() | record.keys():
        entry = record.get(name)
        if name not in found:
            raise Fault(f"{kind} {name} is in {RECORD} but not proved or defined")
        if entry is None:
            raise Fault(f"{kind} {name} has no note in {RECORD}")
        if not entry["note"].strip():
            raise Fault(f"{kind} {name} has an empty note")
        text, exact = found[name]
        if exact != entry["exact"] or words(text) != words("\n".join(entry["coq"])):
            raise Fault(f"{kind} {name} is not what {RECORD} has next to its note")
        if entry["seal"] != seal(entry, exact):
            raise Fault(f"the note of {kind} {name} was changed by hand: renew it")


def renew(kind, found, record):
    """Store what Coq prints. A changed statement needs a changed note: somebody has to have read it again."""
    renewed = {}
    for name, (text, exact) in found.items():
        entry = record.get(name, {})
        note = entry.get("note", "")
        if not note.strip():
            raise Fault(f"{kind} {name} needs a note: the formula of the book")
        if exact != entry.get("exact", exact) and entry.get("seal") == seal(entry, entry["exact"]):
            raise Fault(f"{kind} {name} has changed, its note has not")
        written = {key: entry[key] for key in ("note", "part") if entry.get(key)}
        renewed[name] = {**written, "coq": text.splitlines(), "exact": exact, "seal": seal(entry, exact)}
    return renewed


def seal(entry, exact):
    """What a reader wrote, tied to the statement that was read."""
    return digest(entry["note"], entry.get("part", ""), exact)


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


def check(proofs, compiled=(), renewing=False):
    """Everything; returns the theorems."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for source in [*proofs.glob("*.v"), *compiled]:
            shutil.copy2(source, folder)
        sources = sorted(folder.glob("*.v"))
        forbidden_words(sources)
        record = json.loads((proofs / RECORD).read_text())
        compile_files(folder, [DEFINITIONS])
        defined = definitions(folder)
        if not renewing:
            compare("definition", defined, record["definitions"])
        compile_files(folder, [source.stem for source in sources])
        proved = theorems(folder, {source.stem for source in sources})
        if not renewing:
            compare("theorem", proved, record["theorems"])
            return proved
        record = {
            "definitions": renew("definition", defined, record["definitions"]),
            "theorems": renew("theorem", proved, record["theorems"]),
        }
        (proofs / RECORD).write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        return proved


CONTROLS = {
    "an admitted lemma": ("dense.v", "Proof. by rewrite big_ord_recl big_ord0 addr0. Qed.", "Admitted."),
    # `Variable` outside a section is an axiom; no forbidden word gives it away, only `Print Assumptions`
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
}


def controls(proofs):
    """Each fault on a copy; only what depends on the changed file is compiled again."""
    noticed = True
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary) / "base"
        base.mkdir()
        for source in [*proofs.glob("*.v"), proofs / RECORD]:
            shutil.copy2(source, base)
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


def missing():
    """Whether Coq and MathComp are not here, or are of other versions, in which proofs may not run."""
    if not (shutil.which("coqc") and shutil.which("coqdep")):
        return True
    version = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True).stdout
    where = subprocess.run(["coqc", "-where"], capture_output=True, text=True).stdout.strip()
    return not version.startswith("8.16.") or not Path(where, "user-contrib/mathcomp/algebra/ssrnum.vo").exists()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--controls", action="store_true", help="five faults, each of which must be noticed")
    parser.add_argument("--renew", action="store_true", help="store what Coq prints next to the renewed notes")
    parser.add_argument("--full", action="store_true", help="whole statements in the table")
    options = parser.parse_args()
    if missing():
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
