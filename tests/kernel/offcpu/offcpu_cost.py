"""offcpu_cost.py FILE WHAT: prints a figure of a capture with --off-cpu: an amount among its costs
whose name contains WHAT, in s or GB; "sum", of time blocked and runnable; "threads", how many have
totals."""

import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    texts = bytes(run["strings"][()]).split(b"\0")
    cost = {texts[row["name"]].decode(): float(row["value"]) for row in run["cost"][()]}
    threads = run["thread_waits"][()]

if sys.argv[2] == "threads":
    print(len(threads))
elif sys.argv[2] == "sum":
    print(float(threads["blocked_ns"].sum() + threads["runnable_ns"].sum()) / 1e9)
else:
    print(next(value for name, value in cost.items() if sys.argv[2] in name) / 1e9)
