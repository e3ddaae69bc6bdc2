"""What samples take from their target: what a profile says of it, against a fixed amount of work
by its own clock, alone and sampled in turns."""

import os
import re
import subprocess

from base import BUILD, OURS, TURNS, profile, row

WORK = [os.path.join(BUILD, "prog/work"), "400"]  # half a second
RATES = (99, 999, 9999)


def work_s(argv):
    out = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return float(re.search(r"cpu_s=([0-9.]+)", out)[1])


def shown_percent(path):
    return next(v for name, v in profile(path)[1].items() if name.startswith("slowdown by samples"))


def slowdown():
    """Each sampled run against the one alone of the same turn."""
    shown, seen = ({hz: [] for hz in RATES} for _ in range(2))
    for turn in range(3 * TURNS):
        alone = work_s(WORK)
        for hz in RATES if turn % 2 else RATES[::-1]:
            path = OURS.file("slowdown")
            sampled = work_s(OURS.record + ["-F", str(hz), "-o", path, "--"] + WORK)
            seen[hz].append(100 * (sampled / alone - 1))
            shown[hz].append(shown_percent(path))
    for hz in RATES:
        row(f"slowdown of a loop, as the profile shows it: {hz} Hz", "%", shown[hz],
            "as its own clock shows it", seen[hz])


GROUPS = (slowdown,)
