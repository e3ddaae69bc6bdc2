"""ledger.py FILE: checks that the ledger of each run in the profile adds up: per metric, and for calls
of zones, what was taken is what was kept and lost, and what was kept is in the table of samples, or of
zones."""

import sys

import h5py

TAKEN, KEPT, LOST, NOTE, APART = range(5)
ZONES = 2**32 - 1  # the metric of calls of zones
PSEUDO = 2


def runs(file):
    for version in file.values():
        for platform in version.values():
            yield from platform["profiles"].values()


def check(run):
    """One line of what was found; raises where it does not add up."""
    said = []
    ledger = run["ledger"]
    for metric, _ in enumerate(run["metrics"]):
        sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE, APART)}
        for row in ledger[()]:
            if row["metric"] == metric:
                sums[row["class"]] += int(row["count"])
        rows = int((run["samples"][f"value_{metric}"][()] != 0).sum())
        if sums[TAKEN] != sums[KEPT] + sums[LOST]:
            raise SystemExit(f"taken {sums[TAKEN]} is not kept {sums[KEPT]} + lost {sums[LOST]}")
        if sums[KEPT] != rows:
            raise SystemExit(f"kept {sums[KEPT]} but {rows} samples")
        said.append(f"{sums[TAKEN]} taken = {sums[KEPT]} kept + {sums[LOST]} lost")
    sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE, APART)}
    for row in ledger[()]:
        if row["metric"] == ZONES:
            sums[row["class"]] += int(row["count"])
    if sums[TAKEN]:
        zones = run["zones"][()]
        calls = sum(int(z["counts"] + z["in_flight"]) for z in zones if not z["flags"] & PSEUDO)
        if sums[TAKEN] != sums[KEPT] + sums[LOST] or sums[KEPT] != calls:
            raise SystemExit(f"calls of zones: taken {sums[TAKEN]}, kept {sums[KEPT]}, lost "
                             f"{sums[LOST]}, in the table {calls}")
        said.append(f"{sums[TAKEN]} calls = {sums[KEPT]} kept + {sums[LOST]} lost")
    if not said and "zones" not in run:
        raise SystemExit("no metrics")
    return ", ".join(said)


with h5py.File(sys.argv[1], "r") as f:
    found = [check(run) for run in runs(f)]
if not found:
    raise SystemExit("no run in the file")
print("; ".join(found))
