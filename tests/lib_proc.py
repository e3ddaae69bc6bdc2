"""What the harnesses kill and soak look at: processes, and what /proc tells of them."""

import ctypes
import os
import subprocess
import sys
import time

QUIET = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def read(path, mode="r"):
    try:
        # A process may call itself anything.
        with open(path, mode, errors="replace" if mode == "r" else None) as f:
            return f.read()
    except OSError:
        return "" if mode == "r" else b""


def parents():
    """Of each process: the parent, the name and the state."""
    found = {}
    for name in os.listdir("/proc"):
        stat = read(f"/proc/{name}/stat") if name.isdigit() else ""
        if stat:
            comm, rest = stat[stat.index("(") + 1 : stat.rindex(")")], stat[stat.rindex(")") + 2 :].split()
            found[int(name)] = (int(rest[1]), comm, rest[0])
    return found


def below(pid):
    """All processes below it."""
    all_, known = parents(), {pid}
    more = True
    while more:
        more = False
        for child, (parent, _, _) in all_.items():
            if parent in known and child not in known:
                known.add(child)
                more = True
    return known - {pid}


def adopt_orphans():
    """Whoever loses its parent is a child of ours from now on, so that nothing is overlooked."""
    if ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0):  # PR_SET_CHILD_SUBREAPER
        sys.exit(f"{sys.argv[0]}: cannot adopt orphans")


def bury(pids):
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass


def threads(pid):
    """Of each thread that has not ended: the state, where in the kernel it waits, and the
    kernel's stack ("": not to be seen, or none)."""
    found = []
    try:
        tids = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    for tid in tids:
        at = f"/proc/{pid}/task/{tid}"
        state = read(f"{at}/stat").rpartition(") ")[2][:1]
        if state and state not in "ZX":
            found.append((state, read(f"{at}/wchan"), read(f"{at}/stack").strip()))
    return found


def is_held(found):
    """Whether the kernel holds a process whose threads() these are, so that no signal can end it: one
    that cannot be interrupted, or that runs within a system call. One that has been killed and is none
    of these should have ended: it is stopped, frozen or traced, or was not killed at all."""
    return any(state == "D" or (state == "R" and stack) for state, _, stack in found)


def tell(found):
    return ", ".join(f"{state} in {wchan or '?'}{' (' + stack.splitlines()[0] + ')' if stack else ''}"
                     for state, wchan, stack in found) or "no thread"


def left(pids, seconds):
    """Those that are there after so long: no zombies, and none that the kernel holds."""
    until = time.monotonic() + seconds
    while True:
        now = parents()
        there = {p for p in pids if p in now and now[p][2] not in "ZX"}
        if not there:
            return set()
        if time.monotonic() > until:
            return {p for p in there if threads(p) and not is_held(threads(p))}
        time.sleep(0.02)
