"""runners.py FILE TID WHAT…: the parts of TID's time ready without a CPU add up to it, and:
  nice=N, quota=CPUS  are its own
  ran=TID             that thread ran for some of it, however many others share the CPU
  throttled           its quota was used up for some of it
  elsewhere           some of it was on another CPU"""

import sys

import h5py

RAN, IDLE, STOLEN, THROTTLED, ELSEWHERE = range(5)

file, tid, *wanted = sys.argv[1:]
with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    threads = run["threads"][()]
    of = {i for i, thread in enumerate(threads) if int(thread["tid"]) == int(tid)}
    lives = [row for row in run["thread_waits"][()] if int(row["thread"]) in of]
    parts = [row for row in run["blockers"][()] if int(row["thread"]) in of]
ready = sum(int(row["runnable_ns"]) for row in lives)
told = sum(int(row["ns"]) for row in parts)
failed = False


def say(ok, name, why):
    global failed
    print(f"{'ok' if ok else 'not ok'} {name}{'' if ok else ':'} {why}")
    failed |= not ok


def share(by, by_tid=0):
    return sum(int(row["ns"]) for row in parts
               if int(row["by"]) == by and int(row["tid"]) == by_tid) / max(ready, 1)


say(ready > 1e8, "it starves", f"({ready / 1e6:.1f} ms)")
# On a busy machine a CPU may forget who ran; that is a part by itself.
say(0.7 * ready <= told <= 1.01 * ready, "the parts add up to its time ready",
    f"({told / 1e6:.2f} of {ready / 1e6:.2f} ms)")
for what in wanted:
    what, _, value = what.partition("=")
    if what == "nice":
        say({int(row["nice"]) for row in lives} == {int(value)}, "nice", f"{lives}")
    elif what == "quota":
        say({int(row["quota_ns"]) / max(int(row["period_ns"]), 1) for row in lives} ==
            {float(value)}, "quota", f"{lives}")
    elif what == "ran":
        say(share(RAN, int(value)) > 0, "who ran", f"({100 * share(RAN, int(value)):.1f} %)")
    elif what == "throttled":
        say(share(THROTTLED) > 0.1, "throttled", f"({100 * share(THROTTLED):.0f} %)")
    elif what == "elsewhere":
        say(share(ELSEWHERE) > 0, "on another CPU before", f"({100 * share(ELSEWHERE):.1f} %)")
    else:
        say(False, what, "unknown")
sys.exit(failed)
