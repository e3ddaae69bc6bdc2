"""raised.py FILE: the types of the exceptions thrown in the timeline, with how often, a line each."""

import sys
from collections import Counter

from timeline_run import Timeline

THROWN = 0
timeline = Timeline(sys.argv[1])
texts = bytes(timeline.run["strings"][:]).split(b"\0")
types = Counter(texts[e["argument"]].decode() for e in timeline.events
                if e["event"] in (5, 6) and e["value1"] == THROWN)
for name in sorted(types):
    print(name, types[name])
