"""ledger.py FILE: checks that the ledger of each run in the profile adds up: per metric, and for calls
of zones and waits off the CPU, what was taken is what was kept and lost, and what was kept is in the
table of samples, or of zones, or in the threads' numbers of waits."""

import sys

import h5py

TAKEN, KEPT, LOST, NOTE, APART = range(5)
ZONES = 2**32 - 1  # the metric of calls of zones
WAITS = 2**32 - 2  # … of waits off the CPU
EVENTS = 2**32 - 3  # … of a timeline
PSEUDO = 2


def runs(file):
    for version in file.values():
        for platform in version.values():
            yield from platform["profiles"].values()


def name(run, number):
    return bytes(run["strings"][()]).split(b"\0")[number].decode()


def check(run):
    """One line of what was found; raises where it does not add up."""
    said = []
    ledger = run["ledger"]
    for metric, about in enumerate(run["metrics"]):
        sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE, APART)}
        for row in ledger[()]:
            if row["metric"] == metric:
                sums[row["class"]] += int(row["count"])
        values = run["samples"][f"value_{metric}"][()]
        # A row of measured events stands for many; other metrics of these have no ledger.
        rows = int(values.sum() if about["exact"] else (values != 0).sum())
        if about["ledger"]:
            continue
        # Nor is there a row for each of events that are samples with weights of their own.
        if "variance" in about.dtype.names and about["variance"]:
            rows = sums[KEPT]
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
    sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE, APART)}
    for row in ledger[()]:
        if row["metric"] == WAITS:
            sums[row["class"]] += int(row["count"])
    if sums[TAKEN]:
        ended = sum(int(row["count"]) for row in ledger[()] if row["metric"] == WAITS and
                    row["class"] == KEPT and "exit" in str(name(run, row["name"])))
        waits = int(run["thread_waits"]["waits"].sum()) + ended
        # Totals that found no room in the ring have a row.
        untold = sum(int(row["count"]) for row in ledger[()] if row["metric"] == WAITS and
                     row["class"] == NOTE and "totals of a thread" in str(name(run, row["name"])))
        if sums[TAKEN] != sums[KEPT] + sums[LOST] or sums[KEPT] < waits or (sums[KEPT] > waits and not untold):
            raise SystemExit(f"waits: taken {sums[TAKEN]}, kept {sums[KEPT]}, lost {sums[LOST]}, "
                             f"of threads {waits}")
        said.append(f"{sums[TAKEN]} waits = {sums[KEPT]} kept + {sums[LOST]} lost")
    sums = {k: 0 for k in (TAKEN, KEPT, LOST, NOTE, APART)}
    for row in ledger[()]:
        if row["metric"] == EVENTS:
            sums[row["class"]] += int(row["count"])
    if sums[TAKEN] != sums[KEPT] + sums[LOST]:
        raise SystemExit(f"events: taken {sums[TAKEN]}, kept {sums[KEPT]}, lost {sums[LOST]}")
    if sums[TAKEN]:
        said.append(f"{sums[TAKEN]} events = {sums[KEPT]} kept + {sums[LOST]} lost")
    if not said and "zones" not in run:
        raise SystemExit("no metrics")
    return ", ".join(said)


with h5py.File(sys.argv[1], "r") as f:
    found = [check(run) for run in runs(f)]
if not found:
    raise SystemExit("no run in the file")
print("; ".join(found))
