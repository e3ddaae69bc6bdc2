"""offcpu_ends.py FILE all: who ended the waits of the program wakers is who does it there, by thread and
by what was waited for; and the parts add up to the metric woken.
offcpu_ends.py FILE open WAITER WAKER: a wait of WAITER had not ended, others for the same ended WAKER."""

import sys

from waits_capture import Capture, say

WOKE, INTERRUPT, NEAR, OPEN = 6, 7, 8, 9
# waiter: by what, by whom, the system call, what was waited for
RIGHT = {"a": (WOKE, "b", "futex", "wakers:for_a"), "b": (WOKE, "c", "read", "pipe:"),
         "c": (INTERRUPT, "[timer interrupt]", "clock_nanosleep", ""),
         "s": (WOKE, "poster", "read", "pipe:"), "d": (WOKE, "child", "wait4", "")}
# Of the time of a thread's waits: it may also be late for a wait on a busy machine.
LEAST = 0.95


def rows_of(c, waiter):
    return [b for b in c.blockers if WOKE <= int(b["by"]) <= OPEN and c.name(b["thread"]) == waiter]


def text(c, b):
    reason = c.reasons[b["reason"]]
    return (int(b["by"]), c.strings[b["name"]], c.strings[reason["call"]], c.strings[reason["object"]])


def is_right(said, right):
    return said[:3] == right[:3] and said[3].startswith(right[3]) and bool(said[3]) == bool(right[3])


def ends(c):
    good = []
    for waiter, right in RIGHT.items():
        rows = [b for b in rows_of(c, waiter) if int(b["by"]) != OPEN]
        ns = sum(int(b["ns"]) for b in rows)
        has = sum(int(b["ns"]) for b in rows if is_right(text(c, b), right))
        good.append(say(ns and has >= LEAST * ns, f"{waiter}'s waits end by {right[1]}",
                        f"({has / 1e6:.0f} of {ns / 1e6:.0f} ms)"))
    ns = sum(int(b["ns"]) for b in c.blockers if int(b["by"]) in (WOKE, INTERRUPT, NEAR))
    woken = int(c.values("woken").sum())
    good.append(say(ns == woken, "the ends add up to the metric woken", f"({ns} and {woken} ns)"))
    return all(good)


def unended(c, waiter, waker):
    rows = rows_of(c, waiter)
    opens = [text(c, b) for b in rows if int(b["by"]) == OPEN]
    others = [text(c, b) for b in rows if int(b["by"]) == WOKE and c.strings[b["name"]] == waker]
    return say(opens and any(o[3] == opens[0][3] for o in others), f"{waiter} still waits",
               f"({opens}, {others[:1]})")


capture = Capture(sys.argv[1])
sys.exit(not {"all": ends, "open": unended}[sys.argv[2]](capture, *sys.argv[3:]))
