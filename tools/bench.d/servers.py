"""What servers under load lose to time off the CPU.

served	Requests a second of redis and of postgres, and CPU time a request: bare, with empty programs on
	the same tracepoints (which any tool there costs), sampled on the CPU alone, and with --wall at
	99 Hz. Wanted: what is served is at most 3 % less than with the empty programs, and the growth of
	CPU time agrees with the slowdown that the profile states. Each turn is short and has a bare run of
	its own, before or behind it.
"""

import os
import shutil
import statistics

from base import EPROF, KEEP, TURNS, note, row
from daemons import Postgres, Redis, postgres_folder
from offcpu import CAPTURE, Beside, empty, slowdown_shown

ROUNDS = 3 * TURNS


def capture(pid, *what):
    return [EPROF, "record", "--force", *what, "-F", "99", "-o", CAPTURE, "-p", str(pid)]


EMPTY, CPU, WALL = "an empty program there", "sampled on the CPU alone", "--wall"


def turns(server):
    """By tool: what share of the bare rate it serves and by how much CPU time a request grows, both
    in %, of each turn; and the slowdowns that the profiles of --wall state."""
    tools = {EMPTY: empty(None), CPU: capture(server.pid, "-e", "cpu-clock"),
             WALL: capture(server.pid, "--wall")}
    lost, grown, shown, bare = {t: [] for t in tools}, {t: [] for t in tools}, [], server.served()
    for turn in range(ROUNDS):
        for tool in list(tools) if turn % 2 else list(tools)[::-1]:
            beside = Beside(tools[tool])
            rate, cpu = server.served()
            beside.end()
            before, bare = bare, server.served()
            lost[tool].append(100 * (1 - rate / statistics.mean((before[0], bare[0]))))
            grown[tool].append(100 * (cpu / statistics.mean((before[1], bare[1])) - 1))
            if tool == WALL:
                shown.append(slowdown_shown())
    note(f"{server.name}, bare: {bare[0]:.0f} a second, {bare[1]:.3g} µs of CPU each")
    return lost, grown, shown


def serve(kind):
    server = kind()
    try:
        lost, grown, shown = turns(server)
    finally:
        server.end()
    for peer in (EMPTY, CPU):
        row(f"{kind.name}, served less, with --wall", "%", lost[WALL], peer, lost[peer])
        row(f"{kind.name}, CPU a request grows by, with --wall", "%", grown[WALL], peer, grown[peer])
    row(f"{kind.name}, slowdown that the profile states", "%", shown, "growth of CPU a request",
        grown[WALL])


def served():
    os.makedirs(KEEP, exist_ok=True)
    for kind in (Redis, Postgres):
        folder = postgres_folder() if kind is Postgres else None
        if shutil.which(os.path.join(folder or "", kind.needs)):
            serve(kind)
        else:
            note(f"no {kind.name}: tools/setup bench installs it")


GROUPS = (served,)
