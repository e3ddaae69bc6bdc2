"""sequence.py FILE: each begin and end of a call in a timeline, a line each: "enter fib"."""

import sys

from timeline_run import Timeline

ENTERS, LEAVES = (1, 3), (2, 4)

timeline = Timeline(sys.argv[1])
for e in timeline.events:
    if e["event"] in ENTERS + LEAVES:
        print("enter" if e["event"] in ENTERS else "leave", timeline.name(e))
