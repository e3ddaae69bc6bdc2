"""offcpu_price.py FILE: a capture of threads that do nothing but switch, with events by task. What a
switch costs beyond the programs' own time is told, and the slowdown has it for each switch."""

import sys

import h5py

with h5py.File(sys.argv[1], "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    texts = bytes(run["strings"][()]).split(b"\0")
    cost = {texts[row["name"]].decode(): float(row["value"]) for row in run["cost"][()]}
    threads = run["thread_waits"][()]

switches = int(threads["voluntary"].sum() + threads["involuntary"].sum())
price = cost.get("one context switch, beyond the BPF programs", -1)
ran = cost["target's time on CPU"]
taken = next(value for name, value in cost.items() if name.startswith("time taken from the target: "))
stated = 100 * taken / (ran - taken)
# A program that computed for a second in each 1.25 s is slowed down by a quarter.
lost = min(price * switches, 0.95 * ran)
least = 100 * lost / (ran - lost)
print(f"{'ok' if price > 0 else 'not ok'} a switch has a price: {price:.0f} ns")
print(f"{'ok' if stated >= 0.99 * least else 'not ok'} the slowdown has it: {stated:.1f} % with "
      f"{switches} switches of {price:.0f} ns in {ran / 1e6:.0f} ms of CPU, {least:.1f} %")
