"""offcpu_spread.py FOLDER SAID: compares what a capture of tests/prog/waits shows of its
functions, FUNCTION.csv in FOLDER, with what that program said of itself, in the file SAID. Prints
lines "ok NAME" and "not ok NAME: WHY".

Each function is all that a thread of its own waits in, so that however many waits it has, their sum is
known but for a sample of the time blocked and one of the time runnable: the margin is at most some
two periods (it would be sixteen if the hits of a thread did not know of each other), and the truth
within three standard deviations."""

import csv
import os
import sys

from offcpu_clocks import SWITCH_NS, stolen_ns

PERIOD_NS = 1e9 / 99
SIGMAS = 1.96  # a margin

folder, said_file = sys.argv[1:3]
lines = open(said_file).read().splitlines()
# Of this the program says that it was off the CPU, and the scheduler that it was on it.
stolen = max((stolen_ns(line) or 0 for line in lines), default=0)
for line in lines:
    words = dict(word.split("=") for word in line.split())
    job = next(iter(words))
    path = os.path.join(folder, f"{job}.csv")
    if not os.path.exists(path) or job == "w_spin":
        continue
    cpu = next(int(value) for key, value in words.items() if key.endswith(".cpu"))
    off, waits = int(words[job]) - cpu, int(words[f"{job}.waits"])
    row = next(csv.DictReader(open(path, newline="")))
    value, margin = int(row["value_ns"]), int(row["margin_ns"])
    within = 3 * margin / SIGMAS + off / 100
    said = f"{value / 1e6:.1f} ms ±{margin / 1e6:.1f}, in truth {off / 1e6:.1f}"
    fits = -within - stolen <= value - off <= within + SWITCH_NS * waits
    print(f"{'ok' if fits else 'not ok'} {job}: within 3 sigma: {said}")
    print(f"{'ok' if 0 < margin <= 2.5 * PERIOD_NS else 'not ok'} {job}: no more than chance: "
          f"{said}")
