"""offcpu_queue.py FILE TID: holds the histogram of waits for a CPU (run_queues) against the exact
times of the threads (thread_waits), of which TID is one that had to share a CPU. Prints lines "ok
NAME" and "not ok NAME: WHY"."""

import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    bins = run["run_queues"][()]
    threads = run["threads"]["tid"]
    waits = run["thread_waits"][()]

low = sum(int(b["low_ns"]) * int(b["waits"]) for b in bins)
high = sum(int(b["high_ns"]) * int(b["waits"]) for b in bins)
runnable = int(waits["runnable_ns"].sum())
of_thread = [int(w["runnable_ns"]) for w in waits if threads[w["thread"]] == int(sys.argv[2])]


def result(name, good, why):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


# The threads' times also have their births, which are no returns to a CPU.
result("the histogram has no more time than the threads", low <= runnable,
       f"{low / 1e6:.1f} ms at least, of {runnable / 1e6:.1f}")
result("nor less than one that had to wait", of_thread and high >= of_thread[0] * 0.9,
       f"{high / 1e6:.1f} ms at most, of {of_thread}")
