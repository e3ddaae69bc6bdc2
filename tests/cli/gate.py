# How often comparisons of simulated runs are right, counted through the real program: table (JSON),
# difference graph (svg) and gate (exit status) of each set.
#
#	gate.py RENDER FOLDER KIND    with the sets of KIND that test_gate wrote into FOLDER
#
# Prints one line: "sets regressed suspect undecided table graph gate others".
import glob, html, json, os, re, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

RENDER, FOLDER, KIND = sys.argv[1:]
PART = "part_2"


def compare(side, options, out):
    command = [RENDER, "compare", *side["a"], *options, "-o", out, "--force", "--", *side["b"]]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):
        sys.exit(done.stderr)
    return done


def files(number):
    return {side: sorted(glob.glob(f"{FOLDER}/{KIND}.{number}.{side}[0-9].h5")) for side in "ab"}


# Boxes of the difference graph: name → what is said of it, word by word.
def boxes(svg):
    found = {}
    for title in re.findall(r"<title>(.*?)</title>", svg, re.S):
        lines = html.unescape(title).split("\n")
        said = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
        found.setdefault(lines[0].split(" ")[-1], []).append(said)
    return found


def judge(number):
    side, base = files(number), f"{FOLDER}/{KIND}.{number}"
    gate = compare(side, ["--fail-on", "regressed", "--fail-undecided"], base + ".json")
    suspect = compare(side, ["--fail-on", "suspect"], base + ".json")
    compare(side, [], base + ".svg")
    table = json.load(open(base + ".json"))
    rows = {(r["of"], r["name"]): r for r in table["results"]}
    graph = boxes(open(base + ".svg").read())
    verdicts = {key: r["verdict"] for key, r in rows.items()}
    worse = lambda word: re.match(r"(suspect: )?more", word)
    part = [said for said in graph.get(PART, []) if worse(said.get("Verdict", ""))]
    return {
        "regressed": table["verdict"] == "regressed",
        "suspect": suspect.returncode == 3,
        "undecided": gate.returncode == 4 and "smallest change visible" in gate.stderr,
        "table": all(verdicts[of, PART] == "regressed" for of in ("self", "total")),
        "graph": bool(part) and part[0]["Change"].startswith("%+.1f %%" % (100 * rows["total", PART]["change"])),
        "gate": gate.returncode == 3,
        "others": sum(v in ("regressed", "improved") and name.startswith(("part", "small")) and
                      name != PART for (of, name), v in verdicts.items()),
        "coloured": any(worse(said.get("Verdict", "")) for all_of in graph.values() for said in all_of),
    }


numbers = sorted({int(os.path.basename(f).split(".")[1]) for f in glob.glob(f"{FOLDER}/{KIND}.*.h5")})
with ThreadPoolExecutor(os.cpu_count()) as pool:
    results = list(pool.map(judge, numbers))
for r in results:
    if r["coloured"] and not (r["regressed"] or r["suspect"]):
        sys.exit("a box is coloured, and no row of the table is")
print(len(results), *(sum(r[what] for r in results) for what in (
    "regressed", "suspect", "undecided", "table", "graph", "gate", "others")))
