# shellcheck shell=sh
# Helpers of the tests of time off the CPU. Source it after tests/kernel/lib.sh.

# Where stacks of waits are taken, by what eprof finds: sched_exit_tp, kprobe, or "" if nowhere.
way=$("$EPROF" doctor | sed -n 's/.* after the switch: \([a-z_]*\).*/\1/p')

# judge SCRIPT NAME …: its lines "ok …" and "not ok …", with NAME before them.
judge()
{
	script=$1 name=$2
	shift 2
	/usr/bin/python3 -B "tests/kernel/offcpu/$script" "$@" >"$T/$name.said" 2>&1 ||
		not_ok "$name: $script" "$(tail -n 1 "$T/$name.said")"
	sed -n "s/^ok /ok $name: /p; s/^not ok /not ok $name: /p" "$T/$name.said"
	failures=$((failures + $(grep -c '^not ok' "$T/$name.said")))
}

# off_cpu NAME [SELECTION…]: time blocked, then runnable, as folded stacks.
off_cpu()
{
	profile=$1
	shift
	for m in blocked runnable; do
		"$RENDER" export "$T/$profile.h5" -o - --to folded --metric $m "$@" \
			2>"$T/$profile.none"
	done
}

# waits NAME [PERIOD]: compares the capture with what tests/prog/waits said of itself: of its threads,
# not of its children, which are copies of one.
waits()
{
	for tid in $(grep -o '[0-9]*[.]life' "$T/$1.out"); do
		off_cpu "$1" --thread "${tid%.life}"
	done >"$T/$1.waits"
	# shellcheck disable=SC2086
	judge offcpu.py "$1" "$T/$1.h5" "$T/$1.out" $2 <"$T/$1.waits"
	check "$1: none lost" "$(cat "$T/$1.err")" has " 0 lost"
}

# spread NAME: how far each function of tests/prog/waits is from what that said of itself, against its
# margin.
spread()
{
	sed -n 's/^\(w_[a-z]*\)=.* \([0-9]*\)[.]life=.*/\1 \2/p' "$T/$1.out" >"$T/jobs"
	while read -r job tid; do
		"$RENDER" "$T/$1.h5" --metric off-cpu --thread "$tid" --focus "$job" --view threads \
			-o "$T/$job.csv" --force 2>>"$T/$1.none"
	done <"$T/jobs"
	judge offcpu_spread.py "$1" "$T" "$T/$1.out"
	rm -f "$T"/w_*.csv
}

# took NAME WHAT: an amount among the costs.
took()
{
	"$RENDER" "$T/$1.h5" --view cost | sed -n "s/^ *\([0-9.]* [^ ]*\)  *$2\$/\1/p"
}

# without WORD…: has $EPROF run where the kernel's types lack these names, and the folder $hidden is
# empty.
without()
{
	/usr/bin/python3 - "$T/btf" "$@" <<'END'
import sys
data = open("/sys/kernel/btf/vmlinux", "rb").read()
for word in sys.argv[2:]:
    name = b"\0" + word.encode() + b"\0"
    data = data.replace(name, b"\0_" + name[2:])
open(sys.argv[1], "wb").write(data)
END
	cat >"$T/eprof" <<END
#!/bin/sh
exec unshare -m sh -c 'mount --bind "$T/btf" /sys/kernel/btf/vmlinux &&
	{ ! [ -d "$hidden" ] || mount -t tmpfs none "$hidden"; } && exec "$capturer" "\$@"' - "\$@"
END
	chmod +x "$T/eprof"
	EPROF=$T/eprof
}
kprobes=/sys/bus/event_source/devices/kprobe/
capturer=$EPROF
