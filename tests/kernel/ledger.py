"""ledger.py FILE: checks that the ledger of each run in the profile adds up: per metric, what was
taken is what was kept and lost, and what was kept is in the table of samples."""

import sys

import h5py

TAKEN, KEPT, LOST, NOTE = range(4)


def runs(file):
    for version in file.values():
        for platform in version.values():
            yield from platform["profiles"].values()


def check(run):
    """One line of what was found; raises where it does not add up."""
    said = []
    ledger = run["ledger"]
    for metric, _ in enumerate(run["metrics"]):
        sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE)}
        for row in ledger[()]:
            if row["metric"] == metric:
                sums[row["class"]] += int(row["count"])
        rows = int((run["samples"][f"value_{metric}"][()] != 0).sum())
        if sums[TAKEN] != sums[KEPT] + sums[LOST]:
            raise SystemExit(f"taken {sums[TAKEN]} is not kept {sums[KEPT]} + lost {sums[LOST]}")
        if sums[KEPT] != rows:
            raise SystemExit(f"kept {sums[KEPT]} but {rows} samples")
        said.append(f"{sums[TAKEN]} taken = {sums[KEPT]} kept + {sums[LOST]} lost")
    if not said:
        raise SystemExit("no metrics")
    return ", ".join(said)


with h5py.File(sys.argv[1], "r") as f:
    found = [check(run) for run in runs(f)]
if not found:
    raise SystemExit("no run in the file")
print("; ".join(found))
