"""offcpu_sums.py FILE: a capture of all time (--wall) at 99 Hz. The samples of time off the CPU stand
for the exact totals of threads, within 5 sigma: a thread's samples miss what is left since its last,
less than a period."""

import math
import sys

import h5py

PERIOD = 1e9 / 99

with h5py.File(sys.argv[1], "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    names = bytes(run["strings"][()]).split(b"\0")
    metrics = [names[i].decode() for i in run["metrics"]["name"]]
    rows = run["thread_waits"][()]
    values = {m: run["samples"][f"value_{i}"][()].astype(float) for i, m in enumerate(metrics)}
    opens = run.attrs.get("metric")

off = float(rows["blocked_ns"].sum() + rows["runnable_ns"].sum())
sampled = values["blocked"].sum() + values["runnable"].sum()
sigma = PERIOD * math.sqrt(len(rows))
ok = off - 5 * sigma <= sampled <= off + 5 * sigma
print(f"{'ok' if ok else 'not ok'} off the CPU: samples stand for {sampled / 1e9:.2f} s of "
      f"{off / 1e9:.2f} s")
print(f"{'ok' if opens in ('wall', b'wall') else 'not ok'} opens with wall: {opens}")
