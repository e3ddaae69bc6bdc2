"""arguments.py FILE: the calls of a timeline with their arguments, a line each."""

import sys

from timeline_run import Timeline

timeline = Timeline(sys.argv[1])
texts = bytes(timeline.run["strings"][:]).split(b"\0")
for e in timeline.events:
    if e["event"] == 1:
        print(timeline.name(e), texts[e["argument"]].decode())
