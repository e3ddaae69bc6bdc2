"""offcpu.py FILE SAID [PERIOD_NS]: compares a capture of tests/prog/waits (--off-cpu) with what that
program said of itself, in the file SAID. Prints lines "ok NAME" and "not ok NAME: WHY".

Time by place: by the folded stacks on standard input (of blocked, then of runnable: lines of the
same stack add up), within 4 sigma of a sampling of each wait with one sample per period; a single
wait's variance is a quarter of a period squared at most. Totals by thread: exact, but for what the
program does beside its own clock readings."""

import math
import sys

import h5py
from offcpu_clocks import SWITCH_NS, stolen_ns

MS = 1000000
# What a thread does before and after it reads its clocks.
SLACK_NS = 5 * MS


def result(name, value, wanted, within, more=0):
    """@more: as much as that above is right, too."""
    if -within <= value - wanted <= within + more:
        print(f"ok {name} ({value / MS:.2f} ms)")
    else:
        print(f"not ok {name}: {value / MS:.2f} ms is not within {within / MS:.2f} of "
              f"{wanted / MS:.2f}")


def places(folded):
    """Function of tests/prog/waits → ns off the CPU."""
    sums = {}
    for line in folded:
        stack, value = line.rsplit(" ", 1)
        frames = stack.split(";")
        if frames[0] in frames[1:]:
            sums[frames[0]] = sums.get(frames[0], 0) + int(value)
    return sums


file, said_file = sys.argv[1:3]
period = float(sys.argv[3]) if len(sys.argv) > 3 else 1e9 / 999
said, thread_of, slack = {}, {}, SLACK_NS
for line in open(said_file):
    if (stolen := stolen_ns(line)) is not None:
        slack = SLACK_NS + stolen
        continue
    words = dict(word.split("=") for word in line.split())
    job = next(iter(words))
    if job.endswith(".most"):
        said[job] = int(words[job])
        continue
    tid = next(key for key in words if key.endswith(".life")).split(".")[0]
    if job != "w_spin":
        said.update({key: int(value) for key, value in words.items() if key.startswith(job)})
        thread_of[job] = tid
    said.update({key: int(value) for key, value in words.items() if not key.startswith(job)})
    said[f"{tid}.job"] = job

with h5py.File(file, "r") as f:
    run = [run for version in f.values() for platform in version.values()
           for run in platform["profiles"].values()][0]
    tids = run["threads"]["tid"]
    rows = {str(tids[row["thread"]]): row for row in run["thread_waits"][()]}
    duration = run.attrs.get("duration_ns", 0)

found = places(sys.stdin)
for job in ("w_sleep", "w_short", "w_cond", "w_pipe", "w_write", "w_child"):
    off = said[job] - said[f"{thread_of[job]}.cpu"]
    waits = said[f"{job}.waits"]
    result(f"{job}: time by place", found.get(job, 0), off,
           4 * period * math.sqrt(waits / 4) + period + off / 50)
for tid in sorted(key.split(".")[0] for key in said if key.endswith(".job")):
    job, row = said[f"{tid}.job"], rows.get(tid)
    if row is None:
        print(f"not ok {job}: totals: thread {tid} has none")
        continue
    blocked, runnable, waits = int(row["blocked_ns"]), int(row["runnable_ns"]), int(row["waits"])
    cpu, life = said[f"{tid}.cpu"], said[f"{tid}.life"]
    # It waits for a CPU before its own clock starts, and behind it until it has exited.
    before_and_after = said[f"{tid}.most"] - life
    result(f"{job}: blocked + runnable + CPU time is its life", blocked + runnable + cpu, life,
           slack + life / 100 + SWITCH_NS * waits, before_and_after)
    if job == "w_spin":
        result("w_spin: runnable is what it did not run", runnable, life - cpu,
               slack + life / 100 + SWITCH_NS * waits, before_and_after)
        # But for locks of the process, whose holder may wait for a CPU. Taken for blocked, what
        # it waits for the other spinner would be half of its life.
        result("w_spin: never blocked", blocked, 0, life / 5)
    more = waits - said[f"{tid}.switches"]
    # Behind its own count it still prints and exits.
    print(f"{'ok' if 0 <= more <= 20 else 'not ok'} {job}: waits, counted exactly: "
          f"{said[f'{tid}.switches']}, and {more} at its end")
