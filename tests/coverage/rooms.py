#!/usr/bin/python3
"""What llvm-cov says of files, as a line a room, the lowest first: what part of its lines and of the
ways that its branches go was reached.

	rooms.py SUMMARY.json [ROOM]     of one room, its files
"""

import collections
import json
import os
import sys


def read(path):
    """Of each file of the tree: lines and branches, of which so many were reached."""
    with open(path) as f:
        files = json.load(f)["data"][0]["files"]
    for f in files:
        name = os.path.relpath(f["filename"])
        if name.endswith(".c") and name.startswith(("user/", "render/")):
            of = f["summary"]
            yield name, [of[kind][n] for kind in ("lines", "branches") for n in ("covered", "count")]


def percent(part, whole):
    return f"{100 * part / whole:5.1f} % of {whole:6,}" if whole else f"{'':7} of {0:6}"


def main():
    rooms = collections.defaultdict(lambda: [0, 0, 0, 0])
    for name, counts in read(sys.argv[1]):
        room = os.path.dirname(name)
        if len(sys.argv) > 2 and room != sys.argv[2]:
            continue
        for key in (name if len(sys.argv) > 2 else room, "all"):
            rooms[key] = [a + b for a, b in zip(rooms[key], counts)]
    print(f"{'':24} {'lines':>17}  {'branches':>17}")
    for room, c in sorted(rooms.items(), key=lambda r: (r[0] == "all", r[1][0] / max(r[1][1], 1))):
        print(f"{room:24} {percent(*c[:2]):>17}  {percent(*c[2:]):>17}")


main()
