"""offcpu_lives.py FILE SAID: compares the totals of threads in a capture of tests/prog/lives (--wall)
with what the program said of itself, in the file SAID.

Exact: a thread's on + runnable + blocked is no less than its life by its own clock, and no more than
that by main's around it; but a thread that has been joined may still wait for a CPU to exit on. CPU
time within 0.5 % and time runnable within 3 % of the kernel's account, with what a thread does beside
its own readings: it is born, reads, and exits. The kernel's account can miss a wait of a thread that
is moved to another CPU meanwhile: at most one thread of a hundred may differ."""

import sys

import h5py
from offcpu_clocks import SWITCH_NS, TICK_NS

MS = 1000000

file, said_file = sys.argv[1:3]
lives, words = {}, {}
for line in open(said_file):
    first, *rest = line.split()
    if rest:
        lives[int(first)] = {k: int(v) for k, v in (word.split("=") for word in rest)}
    else:
        words[first.split("=")[0]] = int(first.split("=")[1])
stolen = words["stolen"] + (2 * TICK_NS if words["stolen"] else 0)

with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    tids = run["threads"]["tid"]
    rows = {int(tids[row["thread"]]): row for row in run["thread_waits"][()]}


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}{'' if ok else ':'} {why}")


wrong = {"life": [], "on": [], "runnable": [], "waits": []}
sums = {"on": 0, "runnable": 0, "delay": 0, "slack": 0}
for tid, life in lives.items():
    row = rows.get(tid)
    if row is None:
        wrong["life"].append(f"{tid} has none")
        continue
    on, blocked, runnable = int(row["on_ns"]), int(row["blocked_ns"]), int(row["runnable_ns"])
    switches = int(row["voluntary"]) + int(row["involuntary"])
    whole = on + blocked + runnable
    beside = max(life["outer"], whole) - life["inner"]
    late = max(runnable - life["delay"], 0)
    if not life["inner"] <= whole <= life["outer"] + late + MS:
        wrong["life"].append(f"{tid}: {life['inner']} <= {whole} <= {life['outer']}")
    if abs(on - life["cpu"]) > life["cpu"] * 0.005 + beside + switches * SWITCH_NS + stolen:
        wrong["on"].append(f"{tid}: {on}, not {life['cpu']}")
    if abs(runnable - life["delay"]) > life["delay"] * 0.03 + beside + switches * SWITCH_NS:
        wrong["runnable"].append(f"{tid}: {runnable}, not {life['delay']}")
    if switches != int(row["waits"]) or int(row["voluntary"]) < 1:
        wrong["waits"].append(f"{tid}: {row['waits']} of {row['voluntary']} + {row['involuntary']}")
    sums["runnable"] += runnable
    sums["delay"] += life["delay"]
    sums["slack"] += beside
on = sum(int(row["on_ns"]) for row in rows.values())
switches = sum(int(row["waits"]) for row in rows.values())
say(len(lives) >= 500, "threads", f"{len(lives)}")
for what, name in (("life", "on + runnable + blocked is each thread's life"),
                   ("on", "CPU time of each thread, within 0.5 %"),
                   ("runnable", "time runnable of each thread, within 3 %"),
                   ("waits", "each leave of a CPU is voluntary or forced, and a wait")):
    say(len(wrong[what]) <= (len(lives) / 100 if what == "runnable" else 0), name, f"({len(lives) - len(wrong[what])} of {len(lives)}) "
        + "; ".join(wrong[what][:3]))
# Of the program's own exit, after its last word, 5 ms at most; a switch is 1 us.
say(abs(on - words["cpu"]) <= words["cpu"] * 0.005 + 5 * MS + switches * 1000 + stolen,
    "CPU time of all, within 0.5 %", f"({on / MS:.2f} ms of {words['cpu'] / MS:.2f})")
say(abs(sums["runnable"] - sums["delay"]) <= sums["delay"] * 0.03 + sums["slack"],
    "time runnable of all, within 3 %", f"({sums['runnable'] / MS:.2f} ms of "
    f"{sums['delay'] / MS:.2f})")
