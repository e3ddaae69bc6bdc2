"""blocks.py FILE: calls and allocations of a timeline, a line each: "call NAME", "malloc BYTES"."""

import sys

from timeline_run import Timeline

KINDS = {1000: "malloc", 1001: "calloc", 1002: "realloc", 1003: "free", 1004: "realloc_free"}

timeline = Timeline(sys.argv[1])
for e in timeline.events:
    if e["event"] in (1, 2):
        print("call" if e["event"] == 1 else "return", timeline.name(e))
    elif e["event"] in KINDS:
        print(KINDS[e["event"]], e["value2"])
