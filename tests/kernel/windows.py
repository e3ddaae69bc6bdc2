"""windows.py FILE: checks the table of windows: one begins where the one before it ended, the first
with the capture, and the last ends with it; and that a process has one name. Prints how many windows
there are."""

import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    run = next(run for version in f.values() for platform in version.values()
               for run in platform["profiles"].values())
    spans = [(int(a), int(b)) for a, b in zip(run["windows"]["t0_ns"].cumsum(dtype="u8"),
                                              run["windows"]["t1_ns"].cumsum(dtype="u8"))]
    if spans[0][0] != 0 or spans[-1][1] != int(run.attrs["duration_ns"]):
        raise SystemExit(f"windows are not of the whole capture: {spans}")
    for before, after in zip(spans, spans[1:]):
        if not before[0] < before[1] == after[0] < after[1]:
            raise SystemExit(f"windows do not follow each other: {spans}")
    names = {}
    for t in run["threads"][()]:
        names.setdefault((int(t["pid"]), int(t["born_ns"])), set()).add(int(t["process"]))
    if any(len(n) > 1 for n in names.values()):
        raise SystemExit(f"processes with several names: {names}")
    print(len(spans))
