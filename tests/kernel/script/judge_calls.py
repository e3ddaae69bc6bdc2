"""judge_calls.py LANGUAGE PROFILE SCRIPT…: checks the frames of scripts in PHP or Ruby in a profile
(json-profile) against what the scripts say of themselves: "calls: …" in a comment beside a line names
the functions that it calls; "outermost: …" those that begin stacks of their own, besides the script's
own code. Prints how many stacks and pairs there are, and fails on a pair of adjacent frames of which
the outer one's line does not say so, or is not in that function; on a stack that begins elsewhere; and
if fewer than 98 % of the stacks of the interpreter are whole.
"""

import collections
import json
import os
import re
import sys

from stacks import stacks

NOTE = 3
# What ledger rows say of stacks whose script frames are not whole.
MISSING = ("script frames torn", "script frames whole, some unread", "no script frames yet")


def words_of(path, key):
    """(line, {word, …}) of each comment with that key"""
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if f" {key}: " in line:
            yield number, {w.strip() for w in line.split(f" {key}: ")[1].split(",")}


def functions_in_braces(path):
    """{first line: [last line, …]} of functions: up to where their braces close, or of one line."""
    found, open_at, depth, waiting = collections.defaultdict(list), [], 0, []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        code = re.sub(r"'[^']*'", "''", line.split("// ")[0])
        for token in re.findall(r"\bfunction\b|\bfn\b|[{}]", code):
            if token == "fn":
                found[number].append(number)
            elif token == "function":
                waiting.append(number)
            elif token == "{":
                depth += 1
                if waiting:
                    open_at.append((waiting.pop(), depth))
            else:
                if open_at and open_at[-1][1] == depth:
                    found[open_at.pop()[0]].append(number)
                depth -= 1
    return found


def functions_indented(path):
    """The same: up to the next line that is indented no further."""
    lines = open(path, encoding="utf-8").read().split("\n")
    depths = [len(line) - len(line.lstrip()) if line.strip() else 999 for line in lines]
    found = collections.defaultdict(list)
    for i, depth in enumerate(depths):
        last = next((k for k in range(i + 1, len(lines)) if depths[k] <= depth), i)
        found[i + 1] += [i + 1, last + 1]
    return found


LANGUAGES = {
    # kind of frames, loop, the script's own code, evaluated code, functions, written in the language
    # itself
    "php": (10, "execute_ex", ("{main}",), "eval()'d code", functions_in_braces, None),
    "ruby": (11, "rb_vm_exec", ("<main>", "<top (required)>"), "(eval)", functions_indented,
             "<internal:"),
}


def main():
    kind, loop, own, evaluated, functions_of, internal = LANGUAGES[sys.argv[1]]
    profile = json.load(open(sys.argv[2], encoding="utf-8"))
    paths = {os.path.basename(p): p for p in sys.argv[3:]}
    calls = {name: dict(words_of(p, "calls")) for name, p in paths.items()}
    evals = {w for p in paths.values() for _, words in words_of(p, "evaluated") for w in words}
    outermost = {w for p in paths.values() for _, words in words_of(p, "outermost") for w in words}
    functions = {name: functions_of(p) for name, p in paths.items()}
    t = profile["tables"]
    fn, fr = t["functions"], t["frames"]
    wrong, seen = collections.Counter(), set()
    judged = with_script = loops = lines_unknown = 0

    def name(frame):
        """Since PHP 8.4 closures are called after where they are."""
        return re.sub(r"{closure:[^}]*}", "{closure}", fn["name"][fr["function"][frame]])

    def file(frame):
        return os.path.basename(fn["file"][fr["function"][frame]])

    def text(frame):
        return f"{name(frame)} {file(frame)}:{fr['line'][frame]}"

    def is_internal(frame):
        return internal and file(frame).startswith(internal)

    def is_in(frame):
        """Whether the frame's line is one of its function's."""
        first, line = fn["line"][fr["function"][frame]], fr["line"][frame]
        if evaluated in file(frame):
            return line == 1
        if name(frame) in own:
            return line > 0
        return any(first <= line <= last for last in functions[file(frame)][first])

    for stack, n in stacks(profile):
        script = [f for f in stack if fn["kind"][fr["function"][f]] == kind]
        if not script:
            continue
        if not any(file(f) in paths for f in script):
            continue  # the start of the interpreter
        with_script += n
        loops += n * any(name(f) == loop for f in stack)
        torn = any(name(f) == "[script frames missing]" for f in stack)
        if not torn and name(script[0]) not in own and name(script[0]) not in outermost:
            wrong[f"{text(script[0])} is the outermost"] += n
        for i, f in enumerate(script):
            if not fr["line"][f] and i == len(script) - 1:
                lines_unknown += n
            elif not is_internal(f) and not is_in(f):
                wrong[f"{text(f)} is not in that function"] += n
        for caller, callee in zip(script, script[1:]):
            line = fr["line"][caller]
            if is_internal(caller):
                continue
            known = evals if evaluated in file(caller) else calls[file(caller)].get(line, ())
            judged += n
            seen.add((file(caller), line, name(callee)))
            if name(callee) not in known:
                wrong[f"{text(caller)} calls {name(callee)}"] += n
    ledger = t["ledger"]
    missing = sum(n for name, c, n in zip(ledger["name"], ledger["class"], ledger["count"])
                  if c == NOTE and name.startswith(MISSING))
    whole = 100 * (1 - missing / max(1, missing + with_script))
    print(f"{with_script} stacks with script frames, {whole:.2f} % whole, {judged} pairs, "
          f"{len(seen)} of them different, {sum(wrong.values())} wrong, {loops} with a loop, "
          f"{lines_unknown} without the innermost line")
    for what, n in wrong.most_common(8):
        print(f"  {n} × {what}")
    if (wrong or whole < 98 or judged < 1000 or len(seen) < 60 or loops > 0.02 * with_script
            or lines_unknown > 0.02 * with_script):
        sys.exit(1)


main()
