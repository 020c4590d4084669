"""The examples of all docstrings, each argument replaced by strange values: an answer, or a refusal of the package.

Of what the API pages of ``sparse_core`` and ``sparse_meter`` document. A refusal is raised here, not in NumPy or
Python, and names the argument. An answer has no NaN, and is given neither for masked entries nor for a wrong word.
"""

import contextlib
import copy
import dis
import doctest
import functools
import inspect
import io
import re
import warnings
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

BOOK = Path(__file__).parents[2] / "book"
PAGES = "api-bounds", "api-cube", "api-general", "api-hardness", "api-learning", "api-network", "api-sparse-meter"
TEXTS = [(BOOK / f"{page}.md").read_text(encoding="utf-8") for page in PAGES]
LISTED = re.findall(r"automodule:: (\S+)\n(?!\s+:no-members)", "".join(TEXTS))
MODULES = sorted({*LISTED} - {"sparse_meter.command"})  # whose arguments are those of a shell
# What an error says of itself: the argument, or the file.
NAMES = re.compile(r"Arguments? '|/|is not a file|networks? must|too many|has no solution", re.IGNORECASE)
# The arguments that are any word: a folder, the name of a function, what scikit-learn has checked when it fits.
WORDS = ("folder", "name", "method")
STRANGE = {
    **{repr(value): value for value in (None, True, 3, -1, 1.5, 1e300, 1e-300, np.nan, -np.inf, 10**400, "x", b"x")},
    **{repr(value): value for value in ([], [[]], {}, [1, 2], [-1.5, 2], [[1], [1, 2]], {"a": 1}, slice(3))},
    "object": object(),
    "0-d": np.array(1.5),
    "three axes": np.ones((2, 2, 2)),
    "objects": np.array([object()]),
    "complex": np.array([1j]),
    "entry NaN": np.array([1, np.nan]),
    "large": np.uint64(2**63),
    "masked": np.ma.masked_array([1.0, -1.0], [True, False]),
    "masked rows": np.ma.masked_array([[1.0, -1.0]], [[True, False]]),
    "bytes": np.ones((2, 2), np.int8),
    "column": np.zeros((3, 1)),
}


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


@pytest.fixture(scope="module")
def examples():
    """{module: {name: (function, arguments)}}: the first call of each function and method in the docstrings."""
    calls = {name: {} for name in MODULES}
    with pytest.MonkeyPatch.context() as patch:
        for module in map(import_module, MODULES):
            for owner, name, function in [*callables(module)]:
                patch.setattr(owner, name, recorder(function, calls[module.__name__]))
        finder = doctest.DocTestFinder(exclude_empty=True)
        for module in map(import_module, MODULES):
            for test in finder.find(module, module=module):
                runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
                runner.run(test, out=lambda text: None, clear_globs=False)  # functions of an example use them
    return calls


def recorder(function, calls):
    @functools.wraps(function)
    def call(*args, **keywords):
        if function.__qualname__ not in calls:
            with contextlib.suppress(Exception):
                bound = inspect.signature(function).bind(*args, **keywords)
                bound.apply_defaults()
                calls[function.__qualname__] = function, copy.deepcopy(bound.arguments)
        return function(*args, **keywords)

    return call


def traces(problem):
    """The places that an error has passed, the innermost last."""
    trace = problem.__traceback__
    while trace:
        yield trace
        trace = trace.tb_next


def refused(problem):
    """Whether a statement ``raise`` of the package made this error, or what the caller gave, or scikit-learn."""
    *_, last = traces(problem)
    code = last.tb_frame.f_code
    if any(re.search("^<doctest|/sklearn/", trace.tb_frame.f_code.co_filename) for trace in traces(problem)):
        return True
    ours = re.search(r"/sparse_(core|meter)/", code.co_filename)
    raised = ours and code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]
    return bool(raised and (isinstance(problem, (LookupError, OSError)) or NAMES.search(str(problem))))


def unclear(function, arguments, name, value):
    """What is wrong with the answer to a call, or nothing."""
    bound = inspect.signature(function).bind_partial()
    bound.arguments.update(copy.deepcopy(arguments) | {name: value})
    try:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = function(*bound.args, **bound.kwargs)
            if inspect.isgenerator(answer):
                answer = list(answer)
    except (ValueError, TypeError, LookupError, OSError) as problem:
        return None if refused(problem) else repr(problem)
    except Exception as problem:
        return repr(problem)
    given = arguments[name]
    if np.ma.isMaskedArray(value) and isinstance(given, (list, np.ndarray)):
        return "a mask is ignored"
    if isinstance(given, str) and isinstance(value, str) and name not in WORDS:
        return "any word is taken"
    found = np.asarray(answer) if isinstance(answer, (float, np.ndarray, np.floating)) else np.zeros(0)
    return "NaN" if found.dtype.kind == "f" and np.isnan(found).any() else None


@pytest.mark.parametrize("module", MODULES)
def test_a_strange_value_is_refused_by_name_or_answered(module, examples):
    wrong = [
        f"{label}({name}={said}): {problem}"
        for label, (function, arguments) in examples[module].items()
        for name in arguments.keys() - {"self", "cls"}
        for said, value in STRANGE.items()
        if (problem := unclear(function, arguments, name, copy.deepcopy(value)))
    ]
    assert not wrong, "\n".join(wrong)


def test_nearly_all_that_is_documented_has_an_example(examples):
    documented = sum(len([*callables(import_module(module))]) for module in MODULES)
    assert documented > 190 and sum(map(len, examples.values())) > 0.9 * documented
