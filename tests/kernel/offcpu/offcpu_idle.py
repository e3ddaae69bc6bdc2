"""offcpu_idle.py SAID CSV…: compares what tests/prog/idle said of its threads, in the file SAID, with
eprof-render's view reasons, in files THREAD.csv: which part of a thread's waits was idle, held up, and
undecided. Prints lines "ok NAME" and "not ok NAME: WHY".

Parts are compared, since a busy machine ends waits later than asked for; a wait of another kind (a
page fault, a lock of the C library) may add to them."""

import csv
import os
import sys

CLASSES = ["idle", "held up", "undecided"]
SLACK = 0.08


def parts(amounts):
    whole = sum(amounts)
    return [amount / whole if whole else 0 for amount in amounts]


def found(path):
    amounts = dict.fromkeys(CLASSES, 0)
    with open(path, newline="") as f:
        rows = csv.reader(f)
        columns = next(rows)
        for row in rows:
            if not row:
                break
            row = dict(zip(columns, row))
            if row["class"]:
                amounts[row["class"]] += int(row["value_ns"])
    return [amounts[c] for c in CLASSES]


said = {}
for line in open(sys.argv[1]):
    name, *amounts = line.rstrip("\n").split("\t")
    if len(amounts) == len(CLASSES):
        said[name] = [int(a) + b for a, b in zip(amounts, said.get(name, [0] * len(CLASSES)))]
print("ok all threads" if len(said) == 9 else f"not ok all threads: {sorted(said)}")
for path in sys.argv[2:]:
    name = os.path.basename(path).removesuffix(".csv")
    wanted, got = parts(said[name]), parts(found(path))
    right = all(abs(a - b) <= SLACK for a, b in zip(wanted, got))
    text = ", ".join(f"{c} {b:.2f} of {a:.2f}" for c, a, b in zip(CLASSES, wanted, got))
    print(f"ok {name}: {text}" if right else f"not ok {name}: {text}")
