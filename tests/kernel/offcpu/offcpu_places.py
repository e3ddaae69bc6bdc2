"""offcpu_places.py FILE SAID: a capture of tests/prog/depths in which stacks were taken before the
wait (see bpf/source/offcpu_ahead.bpf.c), with its folded stacks on standard input. Each thread has
places of its own, so its samples stand for no more than it was off the CPU: that is exact, whichever
waits were drawn. Prints lines "ok NAME" and "not ok NAME: WHY"."""

import sys

import h5py

file, said = sys.argv[1:3]
with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    tids = run["threads"]["tid"]
    off = {int(tids[row["thread"]]): int(row["blocked_ns"]) + int(row["runnable_ns"])
           for row in run["thread_waits"][()]}

found = {}
for line in sys.stdin:
    stack, value = line.rsplit(" ", 1)
    frames = stack.split(";")
    if "d_nap" in frames:
        found[frames[0]] = found.get(frames[0], 0) + int(value)

names = [line.split() for line in open(said) if line.startswith("d")]
more = [f"{name}: {found.get(name, 0)} of {off.get(int(tid), 0)} ns" for name, tid in names
        if found.get(name, 0) > off.get(int(tid), 0)]
print(f"{'not ok' if more or not names else 'ok'} no thread has samples of another's waits: "
      f"{len(more)} of {len(names)} have: {', '.join(more[:3])}")
# The first wait at a new place is always drawn.
print(f"{'ok' if 2 * len(found) > len(names) else 'not ok'} threads have samples: {len(found)}")
