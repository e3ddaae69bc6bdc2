"""known.py FILE LOG: whether the timeline of tests/kernel/timeline/known.cc has what that program
wrote of itself: the same calls and returns, thread by thread in the same order, each once. Prints
lines "ok NAME" and "not ok NAME: WHY"."""

import sys
from collections import Counter, defaultdict

from timeline_run import Timeline

CALLS, RETURNS, EXCEPTIONS = (1, 3), (2, 4), (5, 6)
THROWN, PASSED, CAUGHT, JUMPED = range(4)


def result(name, good, why=""):
    print(f"ok {name}" if good else f"not ok {name}: {why}")


timeline = Timeline(sys.argv[1])

# What the program says, by task; its words for an end that is no return do not matter: what is open
# and never returns was left.
said = defaultdict(list)
for line in open(sys.argv[2]):
    task, what, name, *value = line.split()
    if what != "left":
        said[task].append((what, name, *(int(v) for v in value)))

# The same of the events, and how each call ended.
recorded, order, nesting = defaultdict(list), [], []
open_calls, ends = defaultdict(list), Counter()
last = defaultdict(int)
for e in timeline.events:
    name, task = timeline.name(e), timeline.task(e)
    if e["time_ns"] < last[task]:
        order.append(task)
    last[task] = e["time_ns"]
    if e["event"] in CALLS:
        recorded[task].append(("call", name))
        open_calls[task].append(name)
    elif e["event"] in RETURNS:
        recorded[task].append(("return", name, int(e["value2"])))
        top = open_calls[task].pop() if open_calls[task] else "nothing"
        if top != name:
            nesting.append(f"{task}: {name} returns, {top} is open")
    elif e["event"] in EXCEPTIONS and e["value1"] in (PASSED, JUMPED):
        ends[name, int(e["value1"])] += 1
        top = open_calls[task].pop() if open_calls[task] else "nothing"
        if top != name:
            nesting.append(f"{task}: {name} was left, {top} is open")
    elif e["event"] in EXCEPTIONS:
        ends["", int(e["value1"])] += 1

result("tasks", set(said) == set(recorded), f"{sorted(said)} and {sorted(recorded)}")
for task in sorted(said):
    wrong = next((i for i, both in enumerate(zip(said[task], recorded[task]))
                  if both[0] != both[1]), min(len(said[task]), len(recorded[task])))
    result(f"{task}: {len(said[task])} calls and returns", said[task] == recorded[task],
           f"{len(recorded[task])} recorded; the first that differs, number {wrong}: "
           f"{said[task][wrong:wrong + 2]} and {recorded[task][wrong:wrong + 2]}")
result("time of a task does not go back", not order, order[:3])
result("calls end innermost first", not nesting, nesting[:3])
left = Counter(name for calls in said.values() for what, name, *_ in calls if what == "call")
left -= Counter(name for calls in said.values() for what, name, *_ in calls if what == "return")
seen = Counter()
for (name, how), n in ends.items():
    if name:
        seen[name] += n
left -= Counter(name for calls in open_calls.values() for name in calls)
result(f"{sum(left.values())} calls that do not return", seen == left, f"{seen} and {left}")
for name in ("thrower", "rethrower"):
    result(f"an exception has left each {name}", not ends[name, JUMPED], ends)
result("longjmp has left each jumper", not ends["jumper", PASSED], ends)
throws = sum(n for (name, how), n in ends.items() if how == THROWN)
catches = sum(n for (name, how), n in ends.items() if how == CAUGHT)
result("what is thrown is caught", throws == catches and throws > 0, f"{throws}, {catches}")
