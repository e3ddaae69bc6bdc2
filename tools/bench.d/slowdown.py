"""What a capture takes from its target: what a profile says of it, against the CPU time of the same
work alone and captured in turns: of a loop, by rate, and of programs that people run."""

import os
import random
import re
import statistics
import subprocess
import sys

from base import BUILD, OURS, QUICK, TURNS, row, slowdown_stated

WORK = [os.path.join(BUILD, "prog/work"), "400"]  # half a second
RATES = (99, 999, 9999)
JUDGED = 4 if QUICK else 20

PYTHON = [sys.executable, "-c", "for i in range(400000): str(i) + repr([i] * 100)"]
SQLITE = ["sqlite3", ":memory:", "with recursive c(x) as (select 1 union all select x+1 from c where "
          "x<1000000) select count(*), sum(length(hex(x))) from c;"]
GIT = ["git", "-C", os.path.dirname(os.path.abspath(__file__)), "log", "--stat", "-200"]
LOOP = ["bash", "-c", "for i in {1..300}; do /bin/true; done"]
COMMANDS = (  # what, the command, how it is captured
    ("python3, 999 Hz", PYTHON, ["-F", "999"]),
    ("git, 4999 Hz", GIT, ["-F", "4999"]),
    ("git, each page fault", GIT, ["-e", "page-faults", "-c", "1"]),
    ("300 short processes, 99 Hz", LOOP, ["-F", "99"]),
    ("300 short processes, a zone", LOOP, ["--zone", "libc*:malloc"]),
    ("python3, calls of malloc counted", PYTHON, ["--zone", "libc*:malloc", "--zone-exit", "none"]),
    ("python3, calls of malloc timed", PYTHON, ["--zone", "libc*:malloc"]),
    ("python3, stacks of calls of malloc", PYTHON, ["--probe-stack", "libc*:malloc"]),
    ("sqlite3, calls of malloc timed", SQLITE, ["--zone", "libc*:malloc"]),
    ("two threads that wake each other, --wall", [os.path.join(BUILD, "prog/pingpong"), "1", "60000"], ["--wall"]),
)


def work_s(argv):
    out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"cpu_s=([0-9.]+)", out)[1])


def cpu_s(argv, capture=()):
    """CPU seconds of a command and its children, by the shell that starts it."""
    timed = ["bash", "-c", 'TIMEFORMAT="took %U %S"; time "$@" >/dev/null', "timed"] + argv
    out = subprocess.run(list(capture) + timed, capture_output=True, text=True, check=True).stderr
    found = re.search(r"took ([0-9.]+) ([0-9.]+)", out)
    return float(found[1]) + float(found[2])


def slowdown():
    """Each sampled run against the one alone of the same turn."""
    shown, seen = ({hz: [] for hz in RATES} for _ in range(2))
    path = OURS.file("slowdown")
    for turn in range(3 * TURNS):
        alone = work_s(WORK)
        for hz in RATES if turn % 2 else RATES[::-1]:
            sampled = work_s(OURS.record + ["-F", str(hz), "-o", path, "--"] + WORK)
            seen[hz].append(100 * (sampled / alone - 1))
            shown[hz].append(slowdown_stated(path)[0])
    for hz in RATES:
        row(f"slowdown of a loop, as the profile shows it: {hz} Hz", "%", shown[hz],
            "as its own clock shows it", seen[hz])


def slowdown_of(captured, alone):
    return 100 * (statistics.median(captured) / statistics.median(alone) - 1)


def seen_between(captured, alone):
    """The 95 % interval of the slowdown seen, by resampling the runs: on a shared machine it may be
    wider than what is judged."""
    drawn = sorted(slowdown_of(random.choices(captured, k=JUDGED), random.choices(alone, k=JUDGED))
                   for _ in range(1000))
    return drawn[25], drawn[974]


def judge(what, argv, how):
    """How many intervals that profiles state agree with the slowdown seen: overlap its interval."""
    path = OURS.file("slowdown")
    alone, captured, stated = [], [], []
    for _ in range(JUDGED):
        alone.append(cpu_s(argv))
        captured.append(cpu_s(argv, OURS.record + how + ["-o", path, "--"]))
        stated.append(slowdown_stated(path))
    low, high = seen_between(captured, alone)
    held = sum(least <= high and (most is None or low <= most) for _, least, most in stated)
    row(f"slowdown of {what}", "%", [middle if middle is not None else least
                                     for middle, least, most in stated],
        f"seen, {low:.1f} to {high:.1f}", slowdown_of(captured, alone))
    row(f"intervals of {JUDGED} that agree: {what}", "", held, "wanted", 0.9 * JUDGED)


def intervals():
    for what, argv, how in COMMANDS:
        judge(what, argv, how)


GROUPS = (slowdown, intervals)
