"""What the judges of script frames share: the stacks of a profile (json-profile)."""

import collections


def stacks(profile):
    """(the frames of a stack, outermost first, how often it was sampled)"""
    t = profile["tables"]
    parents, frames = t["nodes"]["parent"], t["nodes"]["frame"]
    for node, n in collections.Counter(t["samples"]["node"]).items():
        stack = []
        while node:
            stack.append(frames[node])
            node = parents[node]
        yield stack[::-1], n
