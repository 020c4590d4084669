"""A chapter as three things: its Markdown source, a notebook, and that notebook executed."""

import ast
import hashlib
import json
import logging
import os
import queue
import re
import threading
import time

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


class ChapterError(Exception):
    """A chapter that cannot be read or does not run to its end: one line, and the whole traceback where there is
    one."""

    def __init__(self, line, traceback=""):
        super().__init__(line)
        self.traceback = traceback


def read(source):
    """The notebook of a Markdown source; a cell's id changes only when its type or text does."""
    import jupytext

    try:
        notebook, seen = jupytext.read(source, fmt="md:myst"), {}
    except Exception as error:  # of jupytext, of YAML, and of what else a broken file can bring about
        raise ChapterError(f"{source.name} cannot be read: {' '.join(str(error).split())}") from None
    notebook.metadata.update(METADATA)
    for cell in notebook.cells:
        digest = hashlib.sha256((cell.cell_type + cell.source).encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell["id"] = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    return notebook


def share_out(words, notebooks):
    """Each chapter's share of the `name=value` words; a value that is no Python literal is a string."""
    if not words:
        return {name: {} for name in notebooks}
    import papermill

    known = {name: set(papermill.inspect_notebook(notebook)) for name, notebook in notebooks.items()}
    shares = {name: {} for name in notebooks}
    for word in words:
        key, equals, text = word.partition("=")
        owners = [name for name in known if key in known[name]]
        if not (equals and owners):
            names = ", ".join(sorted(set().union(*known.values()))) or "none"
            raise ValueError(f"{word!r} sets no parameter of an executed chapter; write name=value, with name: {names}")
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            value = text
        for name in owners:
            shares[name][key] = value
    return shares


def execute(notebook, values=None, progress_bar=False):
    """The notebook with its outputs, run in a fresh kernel; nothing in it depends on the clock."""
    import papermill

    kernel = {"kernel_name": "python3", "execution_timeout": 1800, "extra_arguments": ["--log-level=CRITICAL"]}
    try:
        done = papermill.execute_notebook(notebook, None, values, progress_bar=progress_bar, **kernel)
    except papermill.PapermillExecutionError as error:
        traceback = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error.traceback))
        message = ": ".join(filter(None, [error.ename, *error.evalue.strip().splitlines()[-1:]]))
        raise ChapterError(f"cell [{error.exec_count}]: {message}", traceback) from None
    except (RuntimeError, TimeoutError) as error:  # the kernel died, or a cell never ended
        raise ChapterError(" ".join(str(error).split())[:200] or type(error).__name__) from None
    done.metadata = METADATA
    for cell in done.cells:
        for key in ("papermill", "execution"):
            cell.metadata.pop(key, None)
        if not cell.metadata.get("tags", True):
            del cell.metadata["tags"]
    return done


def execute_all(notebooks, values, *, cwd, jobs=None, bars=False):
    """(name, the executed notebook or the exception, seconds) of each as they finish: ``jobs`` at a time, the first
    ones first, each in a process of its own; by default as many as there are cores."""
    slots, finished = queue.Queue(), queue.Queue()
    for slot in range(jobs or os.cpu_count() or 1):
        slots.put(slot)

    def work(name):
        slot = slots.get()
        start = time.perf_counter()
        try:
            bar = {"desc": f"  {name}", "position": slot, "leave": False} if bars else False
            outcome = execute(notebooks[name], values.get(name), bar)
        except Exception as error:
            outcome = error
        finished.put((name, outcome, time.perf_counter() - start))
        slots.put(slot)

    os.chdir(cwd)  # papermill's own way is not for threads
    logging.disable(logging.CRITICAL)  # what matters is raised
    for name in notebooks:
        threading.Thread(target=work, args=(name,), daemon=True).start()
    for _ in notebooks:
        yield finished.get()


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def text_only(outputs):
    """The outputs that a reader of a diff can judge and a test can compare: streams, errors and text/plain."""
    kept = []
    for output in outputs:
        if "data" in output:
            output = output.copy()
            output["data"] = {mime: value for mime, value in output["data"].items() if mime == "text/plain"}
            output["metadata"] = {}
        if output.get("data", True):
            kept.append(output)
    return kept


def same_source(one, other):
    """Whether two notebooks have the same cells, outputs aside."""
    one, other = ([(cell["id"], dict(cell["metadata"])) for cell in notebook["cells"]] for notebook in (one, other))
    return one == other


def dump(notebook):
    """A notebook as JSON text that differs only where the notebook does."""
    return json.dumps(notebook, indent=1, ensure_ascii=False, sort_keys=True) + "\n"
