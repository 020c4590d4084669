"""Run on demand: ``python -m tests.fuzz``. Mutated files and strange calls: answers, or the package's own errors.

No traceback may come from NumPy or Python: of 3 000 files by the command, and of 3 000 calls of what the API pages of
``sparse_core`` and ``sparse_meter`` document. The calls are those of the docstrings, each with one argument replaced.
"""

import contextlib
import copy
import dis
import doctest
import functools
import inspect
import io
import random
import re
import signal
import sys
import tempfile
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from sparse_meter import command

FILES = 3000
CALLS = 3000
SECONDS = 15
# What an error says of itself: the argument, or the file.
NAMES = re.compile(
    r"Arguments? '|/|is not a file|\.safetensors file|networks? must|too many|has no solution", re.IGNORECASE
)
BOOK = Path(__file__).parents[1] / "book"
PAGES = "api-bounds", "api-cube", "api-general", "api-hardness", "api-learning", "api-network", "api-sparse-meter"
STRANGE = [
    None,
    True,
    3,
    -1,
    1.5,
    float("nan"),
    "x",
    "",
    [],
    [[]],
    (),
    {},
    [1, 2],
    [-1.5, 2],
    [[1], [1, 2]],
    np.ones(0),
    np.ones((2, 2, 2)),
    np.array([object()]),
    np.array([1j]),
    10**30,
    10**400,
    1e300,
    1e-300,
    b"x",
    object(),
    {"a": 1},
    np.ma.masked_array([[1.0, 2]], [[True, False]]),
    np.ones((2, 2), np.int8),
    np.zeros((3, 1)),
    {"0.weight": [[1]], "2.weight": "x"},
    "top-k:9",
    "gelu:-1",
    "above:x",
    iter([]),
    slice(3),
]


def mutated(rng, content):
    """The bytes, cut or changed at some places."""
    content = bytearray(content)
    if rng.random() < 0.3:
        return content[: rng.randrange(len(content) + 1)]
    for _ in range(rng.randrange(1, 8)):
        content[rng.randrange(min(len(content), 600 if rng.random() < 0.7 else len(content)))] = rng.randrange(256)
    return content


def of_files(rng, folder):
    """The files that ended in anything but an answer, or one line."""
    arrays = {"0.weight": np.ones((5, 3), np.float32), "0.bias": np.ones(5, np.float32), "2.weight": np.ones((2, 5))}
    np.savez(folder / "a.npz", **arrays)
    save_file(arrays, folder / "a.safetensors")
    np.save(folder / "X.npy", np.ones((4, 3)))
    originals = [(folder / name).read_bytes() for name in ("a.npz", "a.safetensors", "X.npy")]
    for i in range(FILES):
        kind = i % 3
        names = ["net.npz", "net.safetensors", "Y.npy"]
        path = folder / names[kind]
        path.write_bytes(mutated(rng, originals[kind]))
        network, points = (folder / "a.npz", path) if kind == 2 else (path, folder / "X.npy")
        error = io.StringIO()
        try:
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(error):
                code = command.main([rng.choice(["measure", "examine"]), str(network), "--x", str(points)])
        except BaseException as problem:
            yield f"file {i}: {problem!r}"
        else:
            if (code, error.getvalue().count("\n")) not in ((0, 0), (2, 1)):
                yield f"file {i}: {code} {error.getvalue()}"


def documented():
    """The modules of the API pages."""
    for page in PAGES:
        text = (BOOK / f"{page}.md").read_text(encoding="utf-8")
        yield from map(import_module, re.findall(r"automodule:: (\S+)\n(?!\s+:no-members)", text))


def callables(module):
    """(owner, name, function) of the functions and methods that a module documents; no constructors of plain tuples."""
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if inspect.isfunction(thing) and thing.__module__ == module.__name__:
            yield module, name, thing
        elif inspect.isclass(thing) and thing.__module__ == module.__name__:
            checked = "__post_init__" in vars(thing) or not hasattr(thing, "__match_args__")
            for method, function in vars(thing).items():
                constructor = method == "__init__" and checked and not issubclass(thing, Exception)
                if inspect.isfunction(function) and (constructor or not method.startswith("_")):
                    yield thing, method, function


def recorded():
    """{name: calls}: the arguments with which the examples of the docstrings call what is documented."""
    calls = {}
    originals = []

    def recorder(label, function):
        @functools.wraps(function)
        def call(*args, **keywords):
            with contextlib.suppress(Exception):
                bound = inspect.signature(function).bind(*args, **keywords)
                bound.apply_defaults()
                calls[label].append((function, copy.deepcopy(bound.arguments)))
            return function(*args, **keywords)

        return call

    modules = [*dict.fromkeys(documented())]
    for module in modules:
        for owner, name, function in [*callables(module)]:
            label = f"{module.__name__}.{function.__qualname__}"
            calls[label] = []
            originals.append((owner, name, function))
            setattr(owner, name, recorder(label, function))
    finder = doctest.DocTestFinder(exclude_empty=True)
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    try:
        for module in modules:
            for test in finder.find(module, module=module):
                runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
                runner.run(test, out=lambda text: None, clear_globs=False)  # functions of an example use them
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)
    return calls


def raised_here(problem):
    """Whether a statement ``raise`` of the package made this error, or a function that the caller gave."""
    *_, trace = traces(problem)
    if trace.tb_frame.f_code.co_filename.startswith("<doctest"):
        return True
    own = re.search(r"/sparse_(core|meter)/", trace.tb_frame.f_code.co_filename)
    return bool(own) and trace.tb_frame.f_code.co_code[trace.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def traces(problem):
    """The places that an error has passed, the innermost last."""
    trace = problem.__traceback__
    while trace:
        yield trace
        trace = trace.tb_next


def validated(problem):
    """Whether a check of scikit-learn, whose conventions an estimator follows, made this error."""
    return any("/sklearn/utils/validation" in trace.tb_frame.f_code.co_filename for trace in traces(problem))


def unclear(function, arguments):
    """What is wrong with the answer to a call, or nothing."""
    bound = inspect.signature(function).bind_partial()
    bound.arguments.update(arguments)

    def slow(number, frame):
        raise TimeoutError(f"more than {SECONDS} seconds")

    signal.signal(signal.SIGALRM, slow)
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            answer = function(*bound.args, **bound.kwargs)
            if inspect.isgenerator(answer):
                list(answer)
    except (ValueError, TypeError) as problem:
        clear = validated(problem) or (raised_here(problem) and NAMES.search(str(problem)))
        return "" if clear else repr(problem)
    except (LookupError, OSError) as problem:
        return "" if raised_here(problem) or getattr(problem, "filename", "") else repr(problem)
    except SystemExit as problem:  # argparse has written what is wrong
        return "" if problem.code == 2 else repr(problem)
    except BaseException as problem:
        return repr(problem)
    finally:
        signal.alarm(0)
    return ""


def of_calls(rng):
    """The calls that ended in anything but an answer, or an error of the package's own."""
    calls = recorded()
    without = [name for name, examples in calls.items() if not examples]
    print(f"{len(calls)} functions and methods, {len(without)} without an example: {', '.join(without)}")
    names = [name for name, examples in calls.items() if examples]
    for i in range(CALLS):
        name = names[i % len(names)]
        function, arguments = rng.choice(calls[name])
        replaced = rng.choice([key for key in arguments if key not in ("self", "cls")] or [None])
        value = rng.choice(STRANGE)
        if replaced is not None and (problem := unclear(function, {**copy.deepcopy(arguments), replaced: value})):
            yield f"call {i}: {name}({replaced}={str(value)[:60]!r}): {problem[:200]}"


def main():
    """Print what was unclear; the exit code is 1 if anything was."""
    warnings.simplefilter("ignore")
    rng = random.Random(0)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        problems = [*of_files(rng, Path(folder)), *of_calls(rng)]
    print("\n".join(problems), f"{FILES} files, {CALLS} calls, {len(problems)} unclear", sep="\n")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
