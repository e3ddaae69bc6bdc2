#!/usr/bin/python3
"""What the toys' tables of a profile hold, for kernel/house.test.

	toys.py rows RENDER FILE      each toy: name, count, most, total, mean, latest
	toys.py level RENDER FILE     "ok" where the level of kite is the mean, over the time of all
	                              windows, of 10 times the number of each in which a toy started
	toys.py refers RENDER FILE    each toy: name, its node's function, its frame's, its thread's name
	toys.py starts RENDER FILE    starts by name of toy: "kite 6"
	toys.py within RENDER FILE FROM_NS TO_NS   "ok" where each start's time is within
	toys.py h5 FILE               as rows, read by h5py

RENDER is the eprof-render that knows the tables; it exports them as json-profile.
"""

import json
import subprocess
import sys
from collections import Counter


class Tables:
    def __init__(self, render, file):
        out = subprocess.run([render, "export", file, "--to", "json-profile"], check=True,
                             stdout=subprocess.PIPE).stdout
        self.profile = json.loads(out)
        self.tables = self.profile["tables"]

    def rows(self, name):
        columns = self.tables.get(name, {})
        n = max((len(c) for c in columns.values()), default=0)
        return [{k: c[i] for k, c in columns.items()} for i in range(n)]

    def function_of(self, frame):
        return self.rows("functions")[self.rows("frames")[frame]["function"]]["name"]


def print_rows(t):
    for r in t.rows("toys"):
        print(r["name"], r["count"], r["most"], r["total"], f"{r['mean']:g}", r["latest"])


def print_level(t):
    windows = t.rows("windows") or [{"t0_ns": 0, "t1_ns": t.profile["duration_ns"]}]
    starts = [s["time_ns"] for s in t.rows("toy_starts")]
    number = Counter()
    sum_ns = whole_ns = 0
    for w in windows:
        # Captures that were merged stand one behind the other, each with windows from 1 on.
        if any(o == w["t0_ns"] for o in capture_starts(t)):
            number.clear()
        number["window"] += 1
        ns = w["t1_ns"] - w["t0_ns"]
        whole_ns += ns
        if any(w["t0_ns"] <= s < w["t1_ns"] for s in starts):
            sum_ns += 10 * number["window"] * ns
    for r in t.rows("toys"):
        if r["name"] == "kite":
            want = sum_ns / whole_ns
            print("ok" if abs(r["level"] - want) <= 1e-9 * want else f"{r['level']}, not {want}")


def capture_starts(t):
    at = 0
    for o in t.rows("origins"):
        yield at
        at += o["duration_ns"]


def print_refers(t):
    for r in t.rows("toys"):
        print(r["name"], t.function_of(t.rows("nodes")[r["node"]]["frame"]),
              t.function_of(r["frame"]), t.rows("threads")[r["thread"]]["name"])


def print_starts(t):
    toys = t.rows("toys")
    for name, n in sorted(Counter(toys[s["toy"]]["name"] for s in t.rows("toy_starts")).items()):
        print(name, n)


def print_within(t, low, high):
    times = [s["time_ns"] for s in t.rows("toy_starts")]
    print("ok" if times and all(int(low) <= at < int(high) for at in times) else times)


def print_h5(file):
    import h5py
    import numpy

    with h5py.File(file) as f:
        found = []
        f.visit(lambda name: found.append(name) if name.endswith("/toys") else None)
        rows = f[found[0]]
        strings = bytes(rows.parent["strings"][:]).split(b"\0")
        for r, count in zip(rows, numpy.cumsum(rows["count"])):
            print(strings[r["name"]].decode(), count, r["most"], r["total"], f"{r['mean']:g}",
                  r["latest"])


def main():
    what = sys.argv[1]
    if what == "h5":
        print_h5(sys.argv[2])
        return
    globals()[f"print_{what}"](Tables(sys.argv[2], sys.argv[3]), *sys.argv[4:])


main()
