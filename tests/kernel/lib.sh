# What the kernel tests share: captures of the targets in tests/prog, and what they show.
# Sourced with the tree's top as the directory; brings tests/lib.sh and a folder $T.

. tests/lib.sh
make_temp

# capture NAME ARGUMENTS…: runs eprof, leaves $T/NAME.h5, .folded, .out, .err and $status. Every
# capture's ledger must add up, and its error output hold nothing but chatter.
capture()
{
	name=$1
	shift
	"$EPROF" -o "$T/$name.h5" "$@" >"$T/$name.out" 2>"$T/$name.err"
	status=$?
	show "$name"
}

# capture_cut NAME ARGUMENTS…: the same for a command that would go on when its time (-d) is over.
capture_cut()
{
	name=$1
	shift
	# A background job's standard input is nothing; a session of its own can be ended as a whole.
	exec 3<&0
	setsid "$EPROF" -o "$T/$name.h5" "$@" <&3 >"$T/$name.out" 2>"$T/$name.err" &
	group=$!
	wait $group
	status=$?
	kill -9 -$group 2>/dev/null
	exec 3<&-
	show "$name"
}

# begin_capture WORD TENTHS NAME ARGUMENTS…: the same in the background, until it says WORD, at most
# so many tenths of a second; the pid of eprof is in $capture.
begin_capture()
{
	word=$1 tenths=$2 name=$3
	shift 3
	# A background job of a shell without job control ignores SIGINT; env restores it.
	env --default-signal=INT "$EPROF" -o "$T/$name.h5" "$@" >"$T/$name.out" 2>"$T/$name.err" &
	capture=$!
	running="$running $capture"
	# Emulated kernels take seconds to load the programs; a command's capture says nothing then.
	for _ in $(seq "$tenths"); do
		! kill -0 "$capture" 2>/dev/null || grep -q "$word" "$T/$name.err" && return
		sleep 0.1
	done
}

# capture_later NAME ARGUMENTS…: of samples; zones_later: of zones alone.
capture_later()
{
	begin_capture sampling 100 "$@"
}

zones_later()
{
	begin_capture capturing 300 "$@"
}

# capture_end NAME: waits for capture_later.
capture_end()
{
	wait "$capture"
	status=$?
	show "$1"
}

show()
{
	if [ $status != 0 ] || ! [ -s "$T/$1.h5" ]; then
		not_ok "$1: capture" "status $status: $(cat "$T/$1.err")"
		: >"$T/$1.folded"
		return 1
	fi
	if ! "$RENDER" export "$T/$1.h5" -o "$T/$1.folded" --to folded 2>"$T/render.err"; then
		not_ok "$1: export" "$(cat "$T/render.err")"
		: >"$T/$1.folded"
		return 1
	fi
	if why=$(/usr/bin/python3 tests/kernel/ledger.py "$T/$1.h5" 2>&1); then
		ok "$1: $why"
	else
		not_ok "$1: ledger" "$(echo "$why" | tail -n 1)"
	fi
}

# zone NAME ZONE COLUMN…: of the capture $T/NAME.h5; see zones_column.py.
zone()
{
	captured=$T/$1.h5
	shift
	/usr/bin/python3 tests/kernel/zones_column.py "$captured" "$@" 2>&1
}

# start COMMAND…: in the background, its pid in $pid.
start()
{
	"$@" >"$T/start.$((started = ${started:-0} + 1))" &
	pid=$!
	running="$running $pid"
}

# A command line that a capture is to find under way: waits until /proc shows it.
wait_for()
{
	i=0
	until "$@" 2>/dev/null || [ $((i += 1)) -gt 100 ]; do
		sleep 0.05
	done
}

# share NAME FUNCTION [THREAD]: percent of the samples (of threads THREAD, a pattern of awk)
# whose stack has the function, one decimal.
share()
{
	awk -v f="$2" -v thread="${3:-.}" '{
		n = $NF
		sub(/ [0-9]+$/, "")
		k = split($0, part, ";")
		if (part[1] !~ thread) next
		all += n
		for (i = 2; i <= k; i++) {
			sub(/_\[[kij]\]$/, "", part[i])
			if (part[i] == f) { with += n; break }
		}
	} END { printf "%.1f\n", all ? 100 * with / all : -1 }' "$T/$1.folded"
}

# count NAME [PATTERN]: samples whose folded line matches.
count()
{
	awk -v p="${2:-.}" '$0 ~ p { n += $NF } END { print n + 0 }' "$T/$1.folded"
}

# near TEXT VALUE WANTED WITHIN: one test of a number with decimals.
near()
{
	if awk -v v="$2" -v w="$3" -v d="$4" 'BEGIN { exit !(v >= w - d && v <= w + d) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is not within $4 of $3"
	fi
}

# at_least TEXT VALUE LOWEST: the same for a bound; at_most for the other.
at_least()
{
	if awk -v v="$2" -v w="$3" 'BEGIN { exit !(v >= w) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is less than $3"
	fi
}

at_most()
{
	if awk -v v="$2" -v w="$3" 'BEGIN { exit !(v <= w) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is more than $3"
	fi
}
