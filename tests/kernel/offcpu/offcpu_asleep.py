"""offcpu_asleep.py FILE FOLDED: a capture of tests/prog/asleep, whose threads never wake. Each thread
was blocked for all of its life, which is the capture; the stacks, in FOLDED as values of blocked,
stand for that but for what came after the samples were taken, and less than a period a thread."""

import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    rows = run["thread_waits"][()]
    duration = int(run.attrs["duration_ns"])

lives = rows["on_ns"] + rows["blocked_ns"] + rows["runnable_ns"]
blocked = int(rows["blocked_ns"].sum())
sampled = 0
for line in open(sys.argv[2]):
    stack, value = line.rsplit(" ", 1)
    if any(f";{name};" in stack for name in ("a_pipe", "a_lock", "a_main")):
        sampled += int(value)


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}: {why}")


say(len(rows) == 11, "threads", len(rows))
say(blocked == int(lives.sum()), "blocked for all of their lives", f"{blocked} {lives.sum()}")
say(all(duration * 0.9 <= life <= duration * 1.1 + 1e8 for life in lives), "which are the capture",
    f"{lives.min() / 1e9:.3f} to {lives.max() / 1e9:.3f} s of {duration / 1e9:.3f} s")
say(0.5 * blocked <= sampled <= blocked + 11 * 1e9 / 99, "their stacks stand for that time",
    f"{sampled / 1e9:.2f} s of {blocked / 1e9:.2f} s")
