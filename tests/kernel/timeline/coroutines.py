"""coroutines.py FILE PREFIX: the calls of functions whose names begin so, in a timeline of
coroutines: a line for each kind of task (the threads' own stacks together, "own", and coroutines of
equal calls), with how many there are and how often each function was called. Then what is wrong:
calls that do not end innermost first, or that have no end."""

import sys
from collections import Counter, defaultdict

from timeline_run import Timeline

CALLS, RETURNS, LEFT, UNSEEN = (1, 3), (2, 4), (1, 3), 4

timeline = Timeline(sys.argv[1])
calls, opened, wrong = defaultdict(Counter), defaultdict(list), []
for e in timeline.events:
    name, task = timeline.name(e), int(e["coroutine"]) or "own"
    lane = task if e["coroutine"] else timeline.tid(e)
    if not name.startswith(sys.argv[2]):
        continue
    if e["event"] in CALLS:
        calls[task][name] += 1
        opened[lane].append(name)
    elif e["event"] in RETURNS or e["event"] in (5, 6) and e["value1"] in (*LEFT, UNSEEN):
        top = opened[lane].pop() if opened[lane] else "nothing"
        if top != name:
            wrong.append(f"{name} ends in {lane}, {top} is open")
        if e["value1"] == UNSEEN and e["event"] in (5, 6):
            wrong.append(f"the end of {name} is not seen")
kinds = Counter((task == "own", tuple(sorted(n.items()))) for task, n in calls.items())
for (own, n), times in sorted(kinds.items()):
    print("own" if own else f"{times} coroutines", *(f"{name}:{k}" for name, k in n))
for what, n in Counter(wrong).items():
    print(n, what)
for what, n in Counter(name for names in opened.values() for name in names).items():
    print(n, what, "without an end")
