"""bounds.py FILE: what a timeline has around its triggers, a line each: "trigger NAME N: CALLS
calls within, CHILDREN of child". A call that is not whole has the word "cut"."""

import sys

from timeline_run import Timeline

timeline = Timeline(sys.argv[1])
open_calls, ended = [], {}
for e in timeline.events:
    if e["event"] == 301:
        open_calls = []
    elif e["event"] == 1:
        for call in open_calls:
            call[1] += 1
        open_calls.append([timeline.name(e), 0])
    elif e["event"] == 2:
        ended = open_calls.pop() if open_calls and open_calls[-1][0] == timeline.name(e) else None
    elif e["event"] == 300:
        print(f"trigger {timeline.name(e)} {e['value2']}:",
              f"{ended[1]} calls within" if ended else "cut")
