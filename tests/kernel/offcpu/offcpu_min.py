"""offcpu_min.py FILE MIN_NS all|THREAD:N:NS…: a capture with --off-min of tests/prog/waits. No sample
is of less than MIN_NS. all: each wait is a sample, so those of a thread add up to its totals exactly;
a new thread has one more, for its first CPU, which is no return to one. Else the threads of that name have at
least N samples, which stand for N waits of NS each at least."""

import collections
import sys

import h5py

file, least, wanted = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    strings = bytes(run["strings"][()]).split(b"\0")
    names = run["threads"]["name"]
    tids = run["threads"]["tid"]
    rows = run["thread_waits"][()]
    samples = run["samples"]
    values = samples["value_0"][()] + samples["value_1"][()]
    threads = samples["thread"][()]


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}: {why}")


say(len(values) and int(values.min()) >= least, "no sample is shorter", values.min())
if wanted == ["all"]:
    weights, counts = collections.Counter(), collections.Counter()
    for thread, value in zip(threads, values):
        weights[int(tids[thread])] += int(value)
        counts[int(tids[thread])] += 1
    exact, first = 0, 0
    for row in rows:
        tid = int(tids[row["thread"]])
        off = int(row["blocked_ns"]) + int(row["runnable_ns"])
        more = counts[tid] - int(row["waits"])
        if more not in (0, 1) or weights[tid] != off:
            say(False, "each wait is a sample",
                f"{tid}: {counts[tid]} of {row['waits']}, {weights[tid]} of {off} ns")
        exact += weights[tid] == off
        first += more
    say(exact == len(rows) > 10, "threads: to the nanosecond", f"{exact} of {len(rows)}")
    say(first >= len(rows) - 1, "new threads: the wait for their first CPU", first)
for want in wanted if wanted != ["all"] else []:
    name, n, each = want.split(":")
    mine = [int(v) for t, v in zip(threads, values) if strings[names[t]].decode() == name]
    say(len(mine) >= int(n) and sum(mine) >= int(n) * int(each), f"{name}: its waits",
        f"{len(mine)} of {sum(mine) / 1e6:.1f} ms")
