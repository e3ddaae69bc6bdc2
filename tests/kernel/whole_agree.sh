#!/bin/sh
# needs root. Whole stacks: the self and total share of each function agree with perf's, which
# copies 64 KiB of stack, on the same work.
cd "$(dirname "$0")/../.." || exit 1
. tests/kernel/lib.sh

# Without address randomisation, since perf 6.1 would lose frames above libc.
cat >"$T/work" <<'SH'
exec sqlite3 -cmd '.parameter set :n 800000' :memory: <tools/work.sql
SH
setarch -R "$EPROF" -o "$T/ours.h5" -F 999 -- sh "$T/work" >"$T/ours.out" 2>"$T/ours.err"
status=$?
show ours
setarch -R perf record -q --no-bpf-event --no-buildid -o "$T/perf.data" --call-graph dwarf,65528 -e cpu-clock -F 999 -- \
	sh "$T/work" >"$T/perf.out" 2>"$T/perf.err"
perf script --no-inline -i "$T/perf.data" -F comm,tid,time,event,ip,sym,symoff,dso \
	>"$T/perf.txt" 2>>"$T/perf.err"
if why=$(/usr/bin/python3 tests/kernel/agree.py "$T/ours.folded" "$T/perf.txt" 1 2>&1); then
	ok "sqlite3: $why"
else
	not_ok "sqlite3: shares agree with perf" "$why"
fi
finish
