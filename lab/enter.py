# SPDX-License-Identifier: Apache-2.0
"""Starting a program within the lab, as a child that signals reach."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from cluster import PIDS, LabError
from state import Running
from system import NAMESPACES, on

LIBC = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


def setns(descriptor: int) -> None:
    if LIBC.setns(descriptor, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def inside(running: Running, path: Path) -> Path:
    """The file `path` of the lab, as it is named from outside."""
    return Path(f"/proc/{running.keeper.pid}/root") / path.relative_to("/")


def pid_of(running: Running, machine: str) -> int:
    """The process that holds the machine's namespaces, by its id within the lab."""
    try:
        return int(inside(running, PIDS / machine).read_text())
    except FileNotFoundError:
        names = ", ".join(m.name for m in running.lab.machines())
        raise LabError(f"the lab has no machine '{machine}': it has {names}") from None


def start(running: Running, command: Sequence[object], **options) -> subprocess.Popen:
    """Starts the command in the lab, beside its keeper, in the directory we are in. From then on all that this process
    starts has its id in the lab, and so ends with the lab."""
    namespaces = Path(f"/proc/{running.keeper.pid}/ns")
    descriptors = [os.open(namespaces / name, os.O_RDONLY) for name in ("ipc", "uts", "net", "mnt")]
    processes = os.open(namespaces / "pid", os.O_RDONLY)
    directory = os.getcwd()

    def enter() -> None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        for descriptor in descriptors:
            setns(descriptor)
        os.chdir(directory)

    try:
        setns(processes)
        return subprocess.Popen([str(word) for word in command], preexec_fn=enter, **options)
    except (subprocess.SubprocessError, OSError):
        seen = "of what was mounted later the lab sees nothing"
        raise LabError(f"the lab does not see {directory} or {command[0]}: {seen}; take it down and up again") from None
    finally:
        for descriptor in [*descriptors, processes]:
            os.close(descriptor)


def on_machine(running: Running, machine: str, command: Sequence[object]) -> list[str]:
    """The command for `start` that runs this one on a machine of the lab, in the directory we are in."""
    script = 'cd "$0" && exec "$@"'
    return on(pid_of(running, machine), ["sh", "-c", script, os.getcwd(), *command], NAMESPACES)


def wait(child: subprocess.Popen) -> int:
    """Its exit code, as a shell would tell it. What would end us ends it instead."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda received, _frame: child.send_signal(received))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the child too
    code = child.wait()
    return code if code >= 0 else 128 - code
