"""Kernels that are forked from one process, the nursery, which has imported what chapters do: a kernel of its own takes
two or three seconds of a processor to import it.

What a chapter finds is a fresh kernel: nothing else ran in the nursery. It ends when its standard input does, so with
the command that started it, and then its kernels do.
"""

import ast
import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning.local_provisioner import LocalProvisioner

from companion.places import PACKAGES

# Whose modules are imported before kernels are forked: they start no threads and open no connections.
QUIET = (*PACKAGES, "matplotlib", "numpy", "scipy", "sklearn")
# A line on its input is a list of imports, each further one a kernel that is wanted, whose number it prints.
NURSERY = """
import json, os, signal, sys
del sys.path[0]  # where Python is started with -c: the folder, in which a kernel looks later
os.environ.setdefault("MPLBACKEND", "module://matplotlib_inline.backend_inline")  # as a kernel does before its imports
signal.signal(signal.SIGINT, signal.SIG_IGN)

def bury(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass

signal.signal(signal.SIGCHLD, bury)
from ipykernel import kernelapp
for line in json.loads(sys.stdin.readline()):
    try:
        exec(line, {})
    except Exception:
        pass  # the chapter will say it
for line in sys.stdin:
    wanted = json.loads(line)
    number = os.fork()
    if not number:
        break
    print(number, flush=True)
else:
    os._exit(0)
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
os.setsid()
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)
os.chdir(wanted["cwd"])
os.environ.clear()
os.environ.update(wanted["env"])
sys.argv = [*wanted["argv"], f"--IPKernelApp.parent_handle={os.getppid()}"]
kernelapp.launch_new_instance()
"""


def imports(sources: Iterable[str]) -> list[str]:
    """The lines by which these cells import modules of QUIET packages."""
    found = []
    for source in sources:
        with contextlib.suppress(SyntaxError):  # of a magic, or of what the chapter will report
            for node in ast.parse(source).body:
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                if names and all(name.partition(".")[0] in QUIET for name in names):
                    found.append(ast.unparse(node))
    return list(dict.fromkeys(found))


def resolve() -> None:
    """Find the classes that are known by their names now: two threads that look for them first disturb each other."""
    import nbclient
    import nbformat

    nbclient.NotebookClient(nbformat.v4.new_notebook(), kernel_name="python3").create_kernel_manager()


class Process:
    """As much of subprocess.Popen as is asked of a kernel that another process started."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def poll(self) -> int | None:
        """Nothing as long as it runs, and then 0: how it ended only the nursery could know."""
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    def wait(self) -> int:
        return 0  # which is asked for when it has ended

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


class Nursery:
    """The process from which kernels are forked; ``manager`` is what starts one for a notebook."""

    def __init__(self, imports: Iterable[str]) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([sys.executable, "-c", NURSERY], stdin=pipe, stdout=pipe, text=True)
        self.requests: Any = self.process.stdin
        self.answers: Any = self.process.stdout
        self.asking = threading.Lock()
        self.ask([*imports])
        nursery = self

        class Provisioner(LocalProvisioner):
            async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> Any:
                pid = nursery.kernel(cmd, kwargs["cwd"], kwargs["env"])  # which leads a session of its own
                vars(self).update(process=Process(pid), pid=pid, pgid=pid, cwd=kwargs["cwd"])
                return self.connection_info

        class Manager(AsyncKernelManager):
            async def _async_pre_start_kernel(self, **kwargs: Any) -> tuple[list[str], dict[str, Any]]:
                self.kernel_id = self.kernel_id or str(uuid.uuid4())
                self.provisioner = Provisioner(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
                return await super()._async_pre_start_kernel(**kwargs)

        self.manager = Manager

    def ask(self, words: Any) -> None:
        print(json.dumps(words), file=self.requests, flush=True)

    def kernel(self, command: list[str], folder: str, environment: Mapping[str, str]) -> int:
        """The number of a new process that is what ``command``, "python -m ipykernel_launcher ...", would be."""
        with self.asking:
            self.ask({"argv": command[2:], "cwd": folder, "env": dict(environment)})
            return int(self.answers.readline())

    def close(self) -> None:
        self.process.communicate()
