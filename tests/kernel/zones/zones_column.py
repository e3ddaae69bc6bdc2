#!/usr/bin/python3
"""zones_column.py FILE ZONE COLUMN…: what the row of a zone says, one word a column; value:EVENT is of
the table zone_values, samples the number of samples that were taken in the zone or in one it called,
edge:ZONE the calls from that one, cost_percent what the probes of all zones cost in percent of the
capture's length. "none" where there is no such zone."""

import sys

import h5py
import numpy


def run_of(path):
    return [run for version in h5py.File(path, "r").values() for platform in version.values()
            for run in platform["profiles"].values()][0]


try:
    run = run_of(sys.argv[1])
except (OSError, IndexError) as why:
    sys.exit(f"no profile: {why}"[:60])
strings = run["strings"][()].tobytes().decode(errors="replace").split("\0")
zones = run["zones"][()]
names = [strings[row["name"]] for row in zones]
edges = run["zone_edges"][()] if "zone_edges" in run else []
parents = [i - int(edge["parent"]) for i, edge in enumerate(edges)]


def is_within(edge, zone):
    """Whether the place is one of the zone's, or below one."""
    while edge:
        if edges[edge]["zone"] == zone:
            return True
        edge = parents[edge]
    return False


def column(zone, name):
    if name.startswith("value:"):
        values = run["zone_values"][()]
        ids = numpy.cumsum(values["zone"], dtype=values["zone"].dtype)
        return sum(int(row["value"]) for row, at in zip(values, ids)
                   if at == zone and strings[row["name"]] == name[6:])
    if name.startswith("edge:"):
        caller = names.index(name[5:])
        return sum(int(edge["counts"]) for i, edge in enumerate(edges)
                   if i and edge["zone"] == zone and edges[parents[i]]["zone"] == caller)
    if name == "cost_percent":
        return sum(int(100 * row["value"] / run.attrs["duration_ns"]) for row in run["cost"][()]
                   if strings[row["name"]] == "zones: cost of all calls")
    if name == "samples":
        return sum(is_within(int(edge), zone) for edge in run["samples/zone"][()])
    return zones[zone][name]


if sys.argv[2] not in names:
    print("none")
else:
    print(*(column(names.index(sys.argv[2]), name) for name in sys.argv[3:]))
