"""offcpu_holders.py FILE held: of the threads named waiter, all time blocked for a lock was held by the
thread named keeper, and by no other.
offcpu_holders.py FILE kernel: the same of the time blocked in calls that took locks of the kernel.
offcpu_holders.py FILE none: nobody is said to have held anything.
offcpu_holders.py FILE circle: keeper and waiter each waited all the time for what the other held."""

import sys

from waits_capture import Capture, say

HELD, HELD_KERNEL = 5, 10


def held_of(c, waiter):
    rows = [b for b in c.blockers if int(b["by"]) == HELD and c.name(b["thread"]) == waiter]
    return rows, sum(int(b["ns"]) for b in rows)


def held(c, least_ns):
    rows, ns = held_of(c, "waiter")
    right = [b for b in rows if int(b["tid"]) in c.tids("keeper")
             and c.strings[b["name"]] == "keeper"]
    return all([say(ns >= int(least_ns), "time for which a holder is known",
                    f"({ns / 1e6:.0f} of {int(least_ns) / 1e6:.0f} ms)"),
                say(rows and len(right) == len(rows), "held by keeper, each time",
                    f"({[(int(b['tid']), c.strings[b['name']]) for b in rows]})")])


def none(c):
    rows = [b for b in c.blockers if int(b["by"]) == HELD]
    return say(not rows, "nobody is said to have held it", f"({len(rows)} rows)")


def circle(c):
    good = []
    for waiter, keeper in (("waiter", "keeper"), ("keeper", "waiter")):
        rows, ns = held_of(c, waiter)
        good.append(say(ns > 0.9 * c.length and all(int(b["tid"]) in c.tids(keeper) for b in rows),
                        f"{waiter} waits for {keeper}", f"({ns / 1e6:.0f} of {c.length / 1e6:.0f} ms)"))
    return all(good)


def kernel(c):
    """Of waiter's calls that keeper's hold up, the time blocked, by no other. A lock that is being
    handed over has no owner for a moment: on a busy machine a waiter may go to sleep in it."""
    calls = {"read", "pwrite64"}
    blocked = sum(int(v) for v, t, r in zip(c.values("blocked"), c.samples["thread"], c.samples["reason"])
                  if c.name(t) == "waiter" and c.strings[c.reasons[r]["call"]] in calls)
    rows = [b for b in c.blockers if int(b["by"]) == HELD_KERNEL and c.name(b["thread"]) == "waiter"]
    ns = sum(int(b["ns"]) for b in rows)
    right = [b for b in rows if int(b["tid"]) in c.tids("keeper")
             and c.strings[b["name"]] == "keeper"]
    return all([say(blocked and ns >= 0.8 * blocked, "time for which a holder is known",
                    f"({ns / 1e6:.0f} of {blocked / 1e6:.0f} ms)"),
                say(rows and len(right) == len(rows), "held by keeper, each time",
                    f"({[(int(b['tid']), c.strings[b['name']]) for b in rows]})")])


capture = Capture(sys.argv[1])
sys.exit(not {"kernel": kernel, "held": held, "none": none, "circle": circle}[sys.argv[2]](capture, *sys.argv[3:]))
