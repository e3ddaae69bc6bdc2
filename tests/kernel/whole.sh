# Helpers of whole.test: capture real programs, and count their whole stacks. Source it after
# tests/kernel/lib.sh.

WHOLE_HZ=${WHOLE_HZ:-999}

# A C++ file that keeps a compiler busy for some seconds: many small classes made by templates.
write_cpp()
{
	cat <<'CPP'
#include <algorithm>
#include <map>
#include <regex>
#include <string>
#include <vector>
template <int N> struct turn {
	std::map<std::string, std::vector<int>> all;
	int go(const std::string &s) {
		static const std::regex word("[a-z]+" + std::to_string(N));
		for (std::sregex_iterator i(s.begin(), s.end(), word), end; i != end; ++i)
			all[i->str()].push_back(N);
		std::sort(all[s].begin(), all[s].end(), [](int a, int b) { return a % N < b % N; });
		return (int)all.size() + turn<N - 1>().go(s);
	}
};
template <> struct turn<0> {
	int go(const std::string &s) { return (int)s.size(); }
};
int main(int, char **argv) { return turn<40>().go(argv[0]); }
CPP
}

# The same work in Go and Rust: several threads make, sort and count strings.
write_go()
{
	cat <<'GO'
package main

import (
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

func words(n int) []string {
	out := make([]string, 0, n)
	x := uint32(1)
	for i := 0; i < n; i++ {
		x = x*1664525 + 1013904223
		out = append(out, fmt.Sprintf("%08x", x))
	}
	return out
}

func work(end time.Time) {
	for time.Now().Before(end) {
		all := words(20000)
		sort.Strings(all)
		count := map[string]int{}
		for _, s := range all {
			count[strings.ToUpper(s[:4])]++
		}
	}
}

func main() {
	var all sync.WaitGroup
	end := time.Now().Add(100 * time.Second)
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			work(end)
		}()
	}
	all.Wait()
}
GO
}

write_rust()
{
	cat <<'RUST'
use std::collections::HashMap;
use std::time::{Duration, Instant};

fn words(n: usize) -> Vec<String> {
    let mut x = 1u32;
    (0..n)
        .map(|_| {
            x = x.wrapping_mul(1664525).wrapping_add(1013904223);
            format!("{:08x}", x)
        })
        .collect()
}

fn work(end: Instant) -> usize {
    let mut n = 0;
    while Instant::now() < end {
        let mut all = words(20000);
        all.sort();
        let mut count: HashMap<String, usize> = HashMap::new();
        for s in &all {
            *count.entry(s[..4].to_uppercase()).or_insert(0) += 1;
        }
        n += count.len();
    }
    n
}

fn main() {
    let end = Instant::now() + Duration::from_secs(100);
    let all: Vec<_> = (0..2).map(|_| std::thread::spawn(move || work(end))).collect();
    for thread in all {
        thread.join().unwrap();
    }
}
RUST
}

# Work for an interpreter: calls of several depths that pass through C.
write_python()
{
	cat <<'PY'
import json, re, time

def tree(depth):
    return {"name": "x%d" % depth, "kids": [tree(depth - 1) for _ in range(3)] if depth else []}

def count(node):
    return 1 + sum(map(count, node["kids"]))

while time.process_time() < 10:
    text = json.dumps(tree(6), indent=1)
    assert count(json.loads(text)) == 1093
    sorted(re.findall(r"x\d", text), key=lambda s: s[::-1])
PY
}

write_node()
{
	cat <<'JS'
function tree(depth) {
	return { name: 'x' + depth, kids: depth ? [1, 2, 3].map(() => tree(depth - 1)) : [] };
}
const count = (node) => 1 + node.kids.reduce((n, kid) => n + count(kid), 0);
while (process.cpuUsage().user < 10e6) {
	const text = JSON.stringify(tree(6), null, 1);
	if (count(JSON.parse(text)) !== 1093)
		throw new Error('miscounted');
	text.match(/x\d/g).sort((a, b) => (a < b ? 1 : -1)).map((s) => s.replace(/\d/, (d) => d + 1));
}
JS
}

# tally NAME ROOTS: for the samples with a user stack: their number, the percentage whose stack is
# whole and begins with one of the frames ROOTS (a pattern), and the most frequent mark or first
# frame of the others.
tally()
{
	awk -v roots="^($2)\$" '{
		n = $NF
		sub(/ [0-9]+$/, "")
		k = split($0, part, ";")
		if (k < 2 || part[2] ~ /_\[k\]$/) next # a thread on its way in or out
		all += n
		if (part[2] ~ roots && !index($0, ";[stack")) whole += n
		else if ((other[part[2]] += n) > most) { most = other[part[2]]; what = part[2] }
	} END { printf "%d %.2f %s\n", all, all ? 100 * whole / all : 0, what }' "$T/$1.folded"
}

# whole NAME ROOTS MS COMMAND…: captures MS of CPU time of a command, and checks that the stacks
# begin with one of ROOTS.
whole()
{
	name=$1 roots=$2 work_ms=$3
	shift 3
	capture_cut "$name" "$work_ms" -F "$WHOLE_HZ" -- "$@"
	begin_with "$name" "$roots"
}

# begin_with NAME ROOTS: checks that a capture's stacks begin with one of ROOTS.
begin_with()
{
	name=$1
	set -- $(tally "$name" "$2")
	n=$1 percent=$2
	shift 2
	[ "$n" -ge 100 ] || tail -n 5 "$T/$name.err" # what the command said, and how it ended
	at_least "$name: samples" "$n" 100
	at_least "$name: percent of the stacks whole${1:+, most others begin in $*}" "$percent" 99.5
}

# Makes a git repository in folder $1 whose log takes long enough to sample: 150 versions of a file
# of 3,000 lines, each with every seventh line changed, by git fast-import.
write_repository()
{
	git init -q "$1" && awk 'BEGIN {
		for (v = 1; v <= 150; v++) {
			text = ""
			for (i = 1; i <= 3000; i++)
				text = text "line " i " of version " (i % 7 == v % 7 ? v : 0) "\n"
			print "commit refs/heads/master"
			print "committer A <a@b> " 1600000000 + v " +0000"
			print "data 8\nversion"
			print "M 100644 inline file"
			printf "data %d\n%s\n", length(text), text
		}
	}' | git -C "$1" fast-import --quiet
}
