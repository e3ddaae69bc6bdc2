"""offcpu_ends.py FILE all: who ended the waits of the program wakers is who does it there, by thread and
by what was waited for; and the parts add up to the metric woken.
offcpu_ends.py FILE open WAITER WAKER: a wait of WAITER had not ended, others for the same ended WAKER."""

import sys

import h5py

WOKE, INTERRUPT, NEAR, OPEN = 6, 7, 8, 9
# waiter: by what, by whom, the system call, what was waited for
RIGHT = {"a": (WOKE, "b", "futex", "wakers:for_a"), "b": (WOKE, "c", "read", "pipe:"),
         "c": (INTERRUPT, "[timer interrupt]", "clock_nanosleep", ""),
         "s": (WOKE, "poster", "read", "pipe:"), "d": (WOKE, "child", "wait4", "")}
# Of the time of a thread's waits: it may also be late for a wait on a busy machine.
LEAST = 0.95


class Capture:
    def __init__(self, path):
        with h5py.File(path, "r") as f:
            run = [run for version in f.values() for platform in version.values()
                   for run in platform["profiles"].values()][0]
            self.strings = run["strings"][()].tobytes().decode().split("\0")
            self.threads = run["threads"][()]
            self.reasons = run["reasons"][()]
            self.blockers = run["blockers"][()]
            metrics = [self.strings[m["name"]] for m in run["metrics"][()]]
            self.woken = int(run["samples"][f"value_{metrics.index('woken')}"][()].sum())

    def rows(self, waiter):
        return [b for b in self.blockers if int(b["by"]) >= WOKE
                and self.strings[self.threads[b["thread"]]["name"]] == waiter]

    def text(self, b):
        reason = self.reasons[b["reason"]]
        return (int(b["by"]), self.strings[b["name"]], self.strings[reason["call"]],
                self.strings[reason["object"]])


def say(ok, name, why):
    print(f"{'ok' if ok else 'not ok'} {name}{'' if ok else ':'} {why}")
    return ok


def is_right(said, right):
    return said[:3] == right[:3] and said[3].startswith(right[3]) and bool(said[3]) == bool(right[3])


def ends(c):
    good = []
    for waiter, right in RIGHT.items():
        rows = [b for b in c.rows(waiter) if int(b["by"]) != OPEN]
        ns = sum(int(b["ns"]) for b in rows)
        has = sum(int(b["ns"]) for b in rows if is_right(c.text(b), right))
        good.append(say(ns and has >= LEAST * ns, f"{waiter}'s waits end by {right[1]}",
                        f"({has / 1e6:.0f} of {ns / 1e6:.0f} ms)"))
    ns = sum(int(b["ns"]) for b in c.blockers if int(b["by"]) in (WOKE, INTERRUPT, NEAR))
    good.append(say(ns == c.woken, "the ends add up to the metric woken", f"({ns} and {c.woken} ns)"))
    return all(good)


def unended(c, waiter, waker):
    rows = c.rows(waiter)
    opens = [c.text(b) for b in rows if int(b["by"]) == OPEN]
    others = [c.text(b) for b in rows if int(b["by"]) == WOKE and c.strings[b["name"]] == waker]
    return say(opens and any(o[3] == opens[0][3] for o in others), f"{waiter} still waits",
               f"({opens}, {others[:1]})")


capture = Capture(sys.argv[1])
sys.exit(not {"all": ends, "open": unended}[sys.argv[2]](capture, *sys.argv[3:]))
