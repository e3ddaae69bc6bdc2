"""agree.py FOLDED PERF SHARE: compares a folded export with `perf script` of the same work: for each
function that has SHARE percent or more of either, self or total, the two shares must agree within
four times the sampling error, which of a hundred shares none exceeds by chance. Prints the largest
difference; fails where one is too large."""

import collections
import math
import re
import sys


def plain(name):
    """Of the names that libc has for one function the same; no kind marks, no versions."""
    name = re.sub(r"_\[[a-z]\]$", "", name).split("@")[0]
    name = re.sub(r"^(_+(libc_|GI_)?)*", "", re.sub(r"(_impl|_usercnt)$", "", name))
    return {"cfree": "free"}.get(name, name)


def from_folded(path):
    for line in open(path, errors="replace"):
        stack, n = line.rstrip("\n").rsplit(" ", 1)
        frames = stack.split(";")[1:]
        if frames and not frames[0].endswith("_[k]"):
            yield [plain(f) for f in frames if not re.search(r"_\[[ik]\]$", f)], int(n)


def from_perf(path):
    frames = []
    for line in open(path, errors="replace"):
        found = re.match(r"\s+([0-9a-f]+) (.*?)(\+0x[0-9a-f]+)? \((.*)\)$", line)
        if found and int(found[1], 16) < 1 << 63:
            frames.insert(0, plain(found[2]))
        elif not line.strip() and frames:
            yield frames, 1
            frames = []


def count(stacks):
    """Samples a function has itself and in all, and samples."""
    own, total, n = collections.Counter(), collections.Counter(), 0
    for frames, times in stacks:
        n += times
        own[frames[-1]] += times
        for name in set(frames):
            total[name] += times
    return own, total, n


def compare(what, ours, n_ours, theirs, n_theirs, least):
    """(sigmas, text) of each function with a large share."""
    for name in set(ours) | set(theirs):
        a, b = ours[name] / n_ours, theirs[name] / n_theirs
        if max(a, b) < least or re.search(r"\[|\+0x", name):
            continue
        p = (ours[name] + theirs[name]) / (n_ours + n_theirs)
        sigma = math.sqrt(p * (1 - p) * (1 / n_ours + 1 / n_theirs))
        apart = abs(a - b) / sigma if sigma else 0.0
        yield apart, f"{what} {name}: {100 * a:.2f} % and {100 * b:.2f} %, {apart:.1f} sigma"


ours, theirs = count(from_folded(sys.argv[1])), count(from_perf(sys.argv[2]))
least = float(sys.argv[3]) / 100
if min(ours[2], theirs[2]) < 500:
    sys.exit(f"only {ours[2]} and {theirs[2]} samples")
found = sorted([*compare("self", ours[0], ours[2], theirs[0], theirs[2], least),
                *compare("total", ours[1], ours[2], theirs[1], theirs[2], least)])
if len(found) < 6:
    sys.exit(f"only {len(found)} shares to compare")
apart = [text for sigmas, text in found if sigmas > 4]
print(f"{len(found)} shares of {ours[2]} and {theirs[2]} samples; most apart: {found[-1][1]}")
sys.exit("; ".join(apart) if apart else 0)
