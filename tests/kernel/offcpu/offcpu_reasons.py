"""offcpu_reasons.py FILE SAID PERIOD_NS: compares a capture of tests/prog/reasons (--off-cpu) with what
that program said of itself, in the file SAID: for each of its functions the time off the CPU, by its
samples, and why. Prints lines "ok NAME" and "not ok NAME: WHY".

The wait that a function is for takes nearly all of its time: it may be preempted for a moment, or
fault in a page of its own. Sums are within 4 sigma of a sampling of each wait with one sample per
period; a single wait's variance is a quarter of a period squared at most."""

import collections
import math
import sys

import h5py

KINDS = ["", "runnable", "lock", "file lock", "pipe", "socket", "disk", "file", "device", "descriptor",
         "poll", "epoll", "sleep", "child", "signal", "page fault", "page fault, disk", "message",
         "stopped", "traced", "system call", "kernel"]
# Of the time blocked, or runnable where that is the reason.
MOST = 0.9
# Of the time: what a busy machine, or its host, adds between clock readings and waits.
SLACK = 0.1


def texts(run):
    return [text.decode() for text in bytes(run["strings"][:]).split(b"\0")]


def functions(run, strings):
    """Node → the function r_… in whose stack it is, or None."""
    parents, frames = run["nodes"]["parent"], run["nodes"]["frame"]
    frame_function = run["frames"]["function"].cumsum(dtype="u4")
    names = run["functions"]["name"].cumsum(dtype="u4")
    found = []
    for node, (back, frame) in enumerate(zip(parents, frames)):
        name = strings[names[frame_function[frame]]]
        up = found[node - int(back)] if node else None
        found.append(name if name.startswith("r_") and up is None else up)
    return found


def sums(run):
    """Function → reason (as tests/prog/reasons says it) → [ns blocked, ns runnable]."""
    strings = texts(run)
    reasons = [(KINDS[r["kind"]], chr(r["state"]), str(r["idle"]), strings[r["call"]],
                strings[r["object"]]) for r in run["reasons"][()]]
    metrics = [strings[m] for m in run["metrics"]["name"]]
    samples, of = run["samples"], functions(run, strings)
    blocked, runnable = (samples[f"value_{metrics.index(m)}"][()] for m in ("blocked", "runnable"))
    out = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    for node, reason, b, r in zip(samples["node"], samples["reason"], blocked, runnable):
        if of[node]:
            amounts = out[of[node]][reasons[reason]]
            amounts[0] += int(b)
            amounts[1] += int(r)
    return out


def matches(reason, wanted):
    return all(part == want or want.endswith("*") and part.startswith(want[:-1]) or
               want.startswith("*") and part.endswith(want[1:])
               for part, want in zip(reason, wanted))


def judge_why(name, wanted, found):
    which = 1 if wanted[0] == "runnable" else 0
    right = sum(a[which] for reason, a in found.items() if matches(reason, wanted))
    whole = sum(a[which] for a in found.values())
    if whole and right >= MOST * whole:
        print(f"ok {name}: why ({right / 1e6:.1f} of {whole / 1e6:.1f} ms)")
    else:
        most = max(found, key=lambda r: found[r][which], default=None)
        print(f"not ok {name}: why: {right / 1e6:.1f} of {whole / 1e6:.1f} ms are {wanted}, "
              f"most are {most}")


def judge_length(name, own_ns, times, found, period):
    off = sum(sum(a) for a in found.values())
    slack = SLACK * own_ns + 4 * period * math.sqrt(times / 4) + period
    print(f"{'ok' if abs(off - own_ns) <= slack else 'not ok'} {name}: how long: "
          f"{off / 1e6:.1f} ms, by its own clocks {own_ns / 1e6:.1f}")


file, said, period = sys.argv[1], sys.argv[2], float(sys.argv[3])
with h5py.File(file, "r") as f:
    found = sums([run for version in f.values() for platform in version.values()
                  for run in platform["profiles"].values()][0])
lines = [line.rstrip("\n").split("\t") for line in open(said) if line.startswith("r_")]
left_out = sum(line.startswith("left out") for line in open(said))
print(f"{'ok' if len(lines) + left_out == 28 else 'not ok'} all functions: {len(lines)} of 28, "
      f"{left_out} left out")
for name, own_ns, times, *wanted in lines:
    judge_why(name, wanted, found[name])
    # What the host takes from a thread that could run is in its own clocks only.
    if wanted[0] != "runnable":
        judge_length(name, int(own_ns), int(times), found[name], period)
