"""offcpu_ahead.py FILE PERIOD_NS [SAID]: checks a capture in which stacks were taken before the wait
(see bpf/source/offcpu_ahead.bpf.c). The samples stand for the exact sums but for what the profile
says has no stack; there are few more than periods. By place: against the lines NAME=NS that a program
said of itself, with the folded stacks on standard input. Tolerance: 5 sigma of the samples' own
weights (a wait that stands for n has a variance below the square of its weight)."""

import math
import sys

import h5py

file, period = sys.argv[1], float(sys.argv[2])
with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    texts = bytes(run["strings"][()]).split(b"\0")
    cost = {texts[row["name"]].decode(): float(row["value"]) for row in run["cost"][()]}
    names = [texts[row["name"]].decode() for row in run["metrics"][()]]
    values = sum(run["samples"][f"value_{names.index(name)}"][()].astype(float)
                 for name in ("blocked", "runnable"))
values = values[values > 0]

exact = cost["target's time blocked"] + cost["target's time runnable, waiting for a CPU"]
passed = cost.get("of both, in waits that no stack stands for", 0)
sigma = math.sqrt(float((values ** 2).sum()))
within = 5 * sigma + period
bad = []
print(f"{len(values)} samples, {values.sum() / 1e6:.0f} ms + {passed / 1e6:.0f} ms without a stack "
      f"= {exact / 1e6:.0f} within {within / 1e6:.0f}", end="")
if abs(values.sum() + passed - exact) > within + exact / 50:
    bad.append("sum")
if len(values) > 4 * exact / period + 4000:
    bad.append("number of samples")

places = {}
for line in sys.stdin if len(sys.argv) > 3 else ():
    stack, value = line.rsplit(" ", 1)
    for frame in set(stack.split(";")):
        places[frame] = places.get(frame, 0) + int(value)
for line in open(sys.argv[3]) if len(sys.argv) > 3 else ():
    name, said = line.split()[0].split("=")
    found, said = places.get(name, 0), float(said)
    # Waits without a stack are long ones.
    missing = passed if name == "m_seldom" else 0
    # Each is of 90 ms: those that were not drawn may be counted with any of the last few.
    margin = 270e6 if name == "m_seldom" else min(within, said / 2)
    print(f"; {name}: {found / 1e6:.0f} of {said / 1e6:.0f} within {margin / 1e6:.0f}", end="")
    if not said - missing - margin <= found <= said + margin:
        bad.append(name)
print("; wrong: " + ", ".join(bad) if bad else "")
sys.exit(bool(bad))
