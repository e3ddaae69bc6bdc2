# Helpers of the kernel tests: capture the targets in tests/prog, and query the profiles. Source it
# with the top of the tree as the working directory; it sources tests/lib.sh and creates a folder
# $T.

. tests/lib.sh
make_temp

# Without uprobe_multi probes are attached one by one, and eprof allows only some hundreds of them.
tests/has uprobe_multi >"$T/lacking" && few= || few=yes
tests/has uprobe_session >"$T/lacking" && session=session || session=rets

# capture NAME ARGUMENTS…: runs eprof; leaves $T/NAME.h5, .folded, .out, .err and $status. Checks
# that the capture's ledger adds up.
capture()
{
	name=$1
	shift
	"$EPROF" -o "$T/$name.h5" "$@" >"$T/$name.out" 2>"$T/$name.err"
	status=$?
	show "$name"
}

# capture_cut NAME MS ARGUMENTS…: the same for a command that would run on: ends it after MS of CPU
# time.
capture_cut()
{
	name=$1 work_ms=$2
	shift 2
	# A background job has no standard input; a session of its own can be killed as a whole.
	exec 3<&0
	setsid env --default-signal=INT "$EPROF" -o "$T/$name.h5" "$@" <&3 >"$T/$name.out" \
		2>"$T/$name.err" &
	group=$!
	until [ "$(command_ms $group)" -ge "$work_ms" ] || ! kill -0 $group 2>/dev/null; do
		sleep 0.1
	done
	kill -INT $group 2>/dev/null
	wait $group
	status=$?
	kill -9 -$group 2>/dev/null
	exec 3<&-
	show "$name"
}

# command_ms PID: CPU time of the command captured by eprof PID, without eprof's helper processes.
command_ms()
{
	ms=0
	for child in $(pgrep -P "$1"); do
		[ "$(cat "/proc/$child/comm" 2>/dev/null)" = eprof ] || ms=$((ms + $(cpu_ms "$child")))
	done
	echo $ms
}

# begin_capture WORD TENTHS NAME ARGUMENTS…: starts a capture in the background and waits until it
# prints WORD, at most TENTHS of a second; sets $capture to the pid of eprof.
begin_capture()
{
	word=$1 tenths=$2 name=$3
	shift 3
	# A background job of a shell without job control ignores SIGINT; env restores it.
	env --default-signal=INT "$EPROF" -o "$T/$name.h5" "$@" >"$T/$name.out" 2>"$T/$name.err" &
	capture=$!
	running="$running $capture"
	# Emulated kernels take seconds to load the programs; a command's capture prints nothing
	# then.
	for _ in $(seq "$tenths"); do
		! kill -0 "$capture" 2>/dev/null || grep -q "$word" "$T/$name.err" && return
		sleep 0.1
	done
}

# capture_later NAME ARGUMENTS…: starts a capture of samples; zones_later: of zones only.
capture_later()
{
	begin_capture sampling 1200 "$@"
}

zones_later()
{
	begin_capture capturing 1200 "$@"
}

# cpu_ms PID: CPU time of a process, with its threads and reaped children.
cpu_ms()
{
	stat=
	{ read -r stat <"/proc/$1/stat"; } 2>/dev/null
	# shellcheck disable=SC2086
	set -- ${stat##*) } # what comes after the name, which may hold spaces
	echo $(((${12:-0} + ${13:-0} + ${14:-0} + ${15:-0}) * 1000 / ticks_hz))
}
ticks_hz=$(getconf CLK_TCK)

# await_cpu MS PID…: waits until each process has used MS of CPU time from now on, or has ended,
# however long that takes on a busy machine.
await_cpu()
{
	ms=$1 awaited=
	shift
	for job; do
		awaited="$awaited $job:$(($(cpu_ms "$job") + ms))"
	done
	for job in $awaited; do
		while kill -0 "${job%:*}" 2>/dev/null && [ "$(cpu_ms "${job%:*}")" -lt "${job#*:}" ]; do
			sleep 0.1
		done
	done
}

# capture_work NAME MS PIDS ARGUMENTS…: captures until each of PIDS has used MS of CPU time.
capture_work()
{
	name=$1 work_ms=$2 workers=$3
	shift 3
	capture_later "$name" "$@"
	# shellcheck disable=SC2086
	await_cpu "$work_ms" $workers
	kill -INT "$capture" 2>/dev/null
	capture_end "$name"
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

# zone NAME ZONE COLUMN…: a zone's columns in $T/NAME.h5; see zones_column.py.
zone()
{
	captured=$T/$1.h5
	shift
	/usr/bin/python3 tests/kernel/zones/zones_column.py "$captured" "$@" 2>&1
}

# calibrator: the pid of the process of $capture that times probes during the capture.
calibrator()
{
	for child in $(pgrep -P "$capture"); do
		! grep -q memfd:calibrator "/proc/$child/maps" 2>/dev/null || echo "$child"
	done
}

# slept PID: how often a process has gone to sleep.
slept()
{
	sed -n 's/^voluntary_ctxt_switches:[^0-9]*//p' "/proc/$1/status"
}

# await_rounds N: waits until the calibrator has served N more requests, at most a minute.
await_rounds()
{
	timer=$(calibrator)
	asked=$(($(slept "$timer") + $1))
	wait_for eval '[ "$(slept "$timer")" -ge "$asked" ]'
	check "probes are timed while the capture runs" "$(slept "$timer")" -ge "$asked"
}

# start COMMAND…: runs it in the background; sets $pid.
start()
{
	started=$((${started:-0} + 1))
	"$@" >"$T/start.$started" &
	pid=$!
	running="$running $pid"
}

# wait_for COMMAND…: repeats COMMAND until it succeeds, at most a minute.
wait_for()
{
	i=0
	until "$@" 2>/dev/null || [ $((i += 1)) -gt 1200 ]; do
		sleep 0.05
	done
}

# share NAME FUNCTION [THREAD]: percentage of the samples (of threads that match THREAD, an awk
# pattern) with the function in their stack, one decimal.
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

# Patterns are passed to awk in the environment, since each awk treats backslashes in -v
# differently.

# percent NAME PATTERN [OF]: of the samples with a user stack that match OF, the percentage that
# matches PATTERN.
percent()
{
	pattern=$2 of=${3:-.} awk '{
		n = $NF
		sub(/ [0-9]+$/, "")
		if (split($0, part, ";") < 2 || part[2] ~ /_\[k\]$/ || $0 !~ ENVIRON["of"]) next
		all += n
		if ($0 ~ ENVIRON["pattern"]) with += n
	} END { printf "%.2f\n", all ? 100 * with / all : -1 }' "$T/$1.folded"
}

# count NAME [PATTERN]: number of samples whose folded line matches.
count()
{
	pattern=${2:-.} awk '$0 ~ ENVIRON["pattern"] { n += $NF } END { print n + 0 }' \
		"$T/$1.folded"
}

# row NAME REASON: a number of the ledger.
row()
{
	"$RENDER" "$T/$1.h5" --view cost --width 200 | sed -n "s/^ *[a-z ]* \([0-9,]*\) .*$2.*/\1/p" | tr -d ,
}

# apart NAME REASON: the ledger's figure for REASON among the rows apart from the samples.
not_counted()
{
	"$RENDER" "$T/$1.h5" --view cost | sed -n "s/^ *not counted *\([0-9,]*\) .*$2.*/\1/p" | tr -d ,
}

# scheduled_ms NAME: for a capture at 999 Hz, the CPU time by the scheduler: the samples, corrected
# by the ledger's difference.
scheduled_ms()
{
	missed=$(not_counted "$1" 'between ticks') more=$(not_counted "$1" 'beyond the exact')
	echo $(($(count "$1") + ${missed:-0} - ${more:-0}))
}

# said_ms NAME WORD: the µs behind "WORD=" in the command's output, in ms.
said_ms()
{
	sed -n "s/.*$2=\([0-9]*\).*/\1/p" "$T/$1.out" | awk '{ print $1 / 1000 }'
}

# count_children NAME: samples of all processes but the one whose number the command's output says.
# By their names they cannot be known: a child has its parent's until it sets one of its own.
count_children()
{
	"$RENDER" export "$T/$1.h5" -o "$T/$1-parent.folded" --to folded \
		--pid "$(sed -n 's/^pid=\([0-9]*\).*/\1/p' "$T/$1.out")"
	echo $(($(count "$1") - $(count "$1-parent")))
}

# storms_agree TEXT SAMPLER…: short-lived children of a parent whose forks are dear: with what no tick
# hit, the samples are the scheduler's account of all that ran, the parent's forks too.
storms_agree()
{
	text=$1
	shift
	for how; do
		capture storm_$how -F 999 --sampler $how -- "$PROG/shortlived" 20 20 100
		near "$text $how: the children's CPU time is there, in ms" \
			"$(count_children storm_$how)" "$(said_ms storm_$how children_us)" 80
		near "$text $how: with what no tick hit it is the scheduler's, in ms" \
			"$(scheduled_ms storm_$how)" "$(said_ms storm_$how cpu_us)" \
			"$(said_ms storm_$how cpu_us | awk '{ print 4 + $1 / 50 }')"
	done
}

# sum NAME METRIC [PATTERN]: the values of a metric in $T/NAME.h5, of the stacks that match.
sum()
{
	"$RENDER" export "$T/$1.h5" -o - --to folded --metric "$2" |
		pattern=${3:-.} awk '$0 ~ ENVIRON["pattern"] { n += $NF } END { printf "%.0f\n", n }'
}

# near TEXT VALUE WANTED WITHIN: checks a decimal number.
near()
{
	if awk -v v="$2" -v w="$3" -v d="$4" 'BEGIN { exit !(v >= w - d && v <= w + d) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is not within $4 of $3"
	fi
}

# at_least TEXT VALUE LOWEST: checks a lower bound; at_most: an upper bound. What is no number fails.
at_least()
{
	if awk -v v="$2" -v w="$3" 'BEGIN { exit !(v + 0 == v && v >= w) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is less than $3"
	fi
}

at_most()
{
	if awk -v v="$2" -v w="$3" 'BEGIN { exit !(v + 0 == v && v <= w) }'; then
		ok "$1 ($2)"
	else
		not_ok "$1" "$2 is more than $3"
	fi
}
