"""raised_lines.py PROFILE FUNCTION: the lines of the frames of a script's FUNCTION in the profile (a
json-profile)."""

import json
import sys

from stacks import stacks

profile = json.load(open(sys.argv[1]))
t = profile["tables"]
lines = set()
for stack, _ in stacks(profile):
    for frame in stack:
        function = t["frames"]["function"][frame]
        if t["functions"]["name"][function] == sys.argv[2]:
            lines.add(t["frames"]["line"][frame])
print(*sorted(lines))
