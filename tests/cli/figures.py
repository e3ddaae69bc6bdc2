"""One figure, one string of digits: reads what one profile became as text, page, pdf, svg, csv and
json, and holds the figures of functions and zones against each other and against what the csv's exact
numbers are by the rules of base/units.h. For figures.test.

	figures.py FOLDER	with text, page.html, pdf, svg, csv and json of functions; zones.…
"""

import csv
import html.parser
import json
import re
import sys
from collections import Counter

FOLDER = sys.argv[1]


def read(name):
    with open(f"{FOLDER}/{name}", encoding="utf-8") as f:
        return f.read()


def percent(p):
    if p in (0, 100):
        return f"{p:.0f} %"
    return "<0.1 %" if p < 0.1 else ">99.9 %" if p > 99.9 else f"{p:.1f} %"


def three(v, unit):
    return f"{v:.2f} {unit}" if v < 9.995 else f"{v:.1f} {unit}" if v < 99.95 else f"{v:.0f} {unit}"


def ns(v):
    if v < 999.5:
        return f"{v:.0f} ns"
    for scale, unit in ((1e3, "µs"), (1e6, "ms"), (1e9, "s")):
        if v < 999.5 * scale or unit == "s":
            return three(v / scale, unit)
    return None


class Tables(html.parser.HTMLParser):
    """The cells of the page's tables, row by row."""
    def __init__(self):
        super().__init__()
        self.rows, self.cell = [], None

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.cell = ""

    def handle_endtag(self, tag):
        if tag in ("td", "th") and self.cell is not None:
            self.rows[-1].append(self.cell.strip())
            self.cell = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def lines_of(text):
    """Each line as its fields: two spaces part them; no-break spaces are spaces."""
    # pdftotext sees no space in "0 %".
    text = re.sub(r"(?<=\d)%", " %", text.replace("\xa0", " "))
    return [re.split(r" {2,}", line.strip()) for line in text.splitlines()]


def find(rows, name, what):
    """The fields of the only row with that name."""
    rows = [row for row in rows if name in row]
    assert rows, f"{what} has no {name}"
    return rows[0]


def fields_without_bars(row):
    """A terminal's bars are no figures."""
    return [re.sub(r"[ ▏▎▍▌▋▊▉█]+$", "", field) for field in row if field.strip("▏▎▍▌▋▊▉█ ")]


def self_samples(node, into):
    """Samples by name, from the tree that dask reads: a node's count less its children's."""
    below = sum(child["count"] for child in node["children"].values())
    into[node["description"]["name"]] += node["count"] - below
    for child in node["children"].values():
        self_samples(child, into)
    return into


def page_rows(name):
    page = Tables()
    page.feed(read(name))
    return page.rows


def functions():
    text = [fields_without_bars(row) for row in lines_of(read("text"))]
    paper, page = lines_of(read("pdf.txt")), page_rows("page.html")
    svg, samples = read("svg"), self_samples(json.loads(read("json")), Counter())
    titles = re.findall(r"<title>([^\n]*)\n([^<]*)", svg)
    with open(f"{FOLDER}/csv", newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    checked = 0
    for row in rows:
        name = row["function"]
        wanted = [percent(float(row["self_percent"])), percent(float(row["total_percent"]))]
        time = ns(int(row["value_ns"])) if int(row["value_ns"]) else "–"
        assert samples[name] == int(row["samples"]), (name, samples[name], row["samples"])
        if len(name) > 60:
            continue
        for rows_of, what in ((text, "text"), (paper, "pdf"), (page, "page")):
            got = [field for field in find(rows_of, name, what) if field]
            assert got[:2] == wanted, (what, name, got, wanted)
            assert got[2].split(" ±")[0] == time, (what, name, got, time)
        margins = {find(rows_of, name, "it")[2].split(" ±")[-1] for rows_of in (text, paper)}
        assert len(margins) == 1, (name, margins)
        assert row["samples"] in find(page, name, "page"), name
        boxes = [numbers for box, numbers in titles if box == name]
        if len(boxes) == 1:
            assert boxes[0].split(",")[0].replace("&lt;", "<") == wanted[1], (name, boxes)
            if int(row["samples"]):
                assert f"self {wanted[0]}" in boxes[0].replace("&lt;", "<"), (name, boxes)
        checked += 1
    return checked


def zones():
    text = [fields_without_bars(row) for row in lines_of(read("zones.text"))]
    paper, page = lines_of(read("zones.pdf.txt")), page_rows("zones.html")
    with open(f"{FOLDER}/zones.csv", newline="", encoding="utf-8") as f:
        rows = list(csv.DictReader(f))
    with open(f"{FOLDER}/zones.tracy.csv", newline="", encoding="utf-8") as f:
        tracy = {row["name"]: row for row in csv.DictReader(f)}
    checked = 0
    for row in rows:
        name = row["name"]
        if not int(row["total_ns"]):
            continue
        wanted = [percent(float(row["total_perc"])), ns(int(row["total_ns"])),
                  ns(int(row["self_ns"])), f"{int(row['counts']):,}", ns(int(row["mean_ns"]))]
        for key in ("total_ns", "counts", "mean_ns", "min_ns", "max_ns"):
            assert tracy[name][key] == row[key], (name, key)
        for rows_of, what in ((text, "text"), (paper, "pdf"), (page, "page")):
            if what == "pdf" and len(name) > 40:
                continue  # cut in its row
            got = find(rows_of, name, what)
            for figure in wanted:
                assert figure in got, (what, name, got, figure)
        checked += 1
    return checked


print("agree", functions(), zones())
