# Helpers of the zones_safety tests. Each target runs bare, then with probes at entry and exit of
# every function, of the program and of its libraries, as far as eprof allows. The target must not
# notice: same output, same exit status. Source it after tests/kernel/lib.sh.
#
# Counts are exact: they must equal the target's own lines "calls FUNCTION N".
#
# Set before a call if the defaults do not fit: OWN, the pattern of a target's own functions; FEW, a
# pattern with fewer functions; JUDGED, what zones.py checks for a target that eprof attached to.

judge=tests/kernel/zones/zones.py

libc_few()
{
	for name in malloc free calloc realloc printf puts fflush write read raise sigaction \
		sigaltstack '*swapcontext' setcontext '*siglongjmp' '*longjmp' pthread_create \
		pthread_join qsort bsearch fork vfork waitpid execv _exit exit; do
		printf -- '--zone libc.so.6:%s ' "$name"
	done
}

# Options for all functions of a command, and for its own.
everything()
{
	if [ -z "$few" ]; then
		echo "--zone * --zones-max 100000"
	elif ldd "$1" >/dev/null 2>&1; then
		echo "--zone ${FEW:-${1##*/}:z*} $(libc_few)"
	else
		own "$@"
	fi
}

own()
{
	own=${OWN:-${1##*/}:*}
	[ -z "$few" ] || own=${FEW:-${1##*/}:z*}
	echo "--zone $own --zones-max 100000"
}

# as_bare TEXT: whether $T/zoned.out and $status are those of the bare run.
as_bare()
{
	if [ "$status" != "$bare_status" ]; then
		not_ok "$1: as bare" "status $status instead of $bare_status: $(tail -n 3 "$T/zoned.err")"
	elif ! cmp -s "$T/bare.out" "$T/zoned.out"; then
		not_ok "$1: as bare" "$(diff "$T/bare.out" "$T/zoned.out" | head -n 4)"
	else
		ok "$1: as bare, status $status"
	fi
}

# judged TEXT COMMAND ARGUMENTS…: what zones.py says.
judged()
{
	said=$1
	shift
	if why=$(/usr/bin/python3 $judge "$@" 2>&1); then
		ok "$said: $why"
	else
		not_ok "$said" "$(echo "$why" | tail -n 1)"
	fi
}

bare()
{
	"$@" >"$T/bare.out" 2>"$T/bare.err"
	bare_status=$?
}

# probed TEXT OPTIONS COMMAND…: captures with OPTIONS from the start to the end, after bare.
probed()
{
	what=$1 options=$2
	shift 2
	rm -f "$T/zoned.h5"
	set -f # the patterns are eprof's
	timeout -k 5 600 "$EPROF" $options --exit-code -o "$T/zoned.h5" -- "$@" \
		>"$T/zoned.out" 2>"$T/zoned.err"
	status=$?
	set +f
	as_bare "$what"
	judged "$what: zones" check "$T/zoned.h5" "$T/bare.out"
}

# zoned TEXT STATUS COMMAND…: runs the target with its own functions probed, so that return
# addresses may be hijacked if the kernel can, then with all functions probed. The bare target must
# exit with STATUS, so that nothing is compared with a failed run.
zoned()
{
	who=$1 wanted=$2
	shift 2
	bare "$@"
	check "$who: bare" "$bare_status" = "$wanted"
	skip_without uprobe_session "$who, own functions" || probed "$who, own functions" "$(own "$@")" "$@"
	probed "$who, everything" "$(everything "$@")" "$@"
}

# hijacked TEXT STATUS COMMAND…: probes the target's own functions and hijacks return addresses
# although its code switches stacks; the decision at each call must keep it safe.
hijacked()
{
	who=$1 wanted=$2
	shift 2
	! skip_without uprobe_session "$who, return addresses taken over" || return 0
	bare "$@"
	check "$who: bare" "$bare_status" = "$wanted"
	probed "$who, return addresses taken over" "$(own "$@") --zone-exit session" "$@"
}

# attached TEXT COMMAND…: probes a running target, and detaches from it again.
attached()
{
	who=$1
	shift
	bare "$@"
	grep -v '^calls' "$T/bare.out" >"$T/bare.rest"
	mv "$T/bare.rest" "$T/bare.out"
	rm -f "$T/zoned.h5"
	: >"$T/zoned.err"
	printf 0 >"$T/gate"
	ZONE_GATE=$T/gate "$@" >"$T/zoned.out" 2>"$T/target.err" &
	target=$!
	running="$running $target"
	sleep 0.2
	set -f
	env --default-signal=INT "$EPROF" $(everything "$@") -o "$T/zoned.h5" -p $target \
		>"$T/eprof.out" 2>"$T/zoned.err" &
	capture=$!
	set +f
	running="$running $capture"
	started "$capture"
	sleep 1
	kill -INT "$capture"
	wait "$capture"
	check "$who: capture ends well" "$?" = 0
	sleep 0.2
	printf 1 1<>"$T/gate" # not truncated: the target maps it
	ended "$target"
	as_bare "$who, attached and left"
	judged "$who, attached: zones" "${JUDGED:-check}" "$T/zoned.h5"
}

# Waits until the capture $1 reports that it has begun, or has ended.
started()
{
	for _ in $(seq 1200); do
		! kill -0 "$1" 2>/dev/null || grep -q -E "$BEGUN" "$T/zoned.err" && return
		sleep 0.1
	done
}
BEGUN='(sampling|capturing)'

# Waits for the target $1, which must end by itself; sets $status.
ended()
{
	for _ in $(seq 1200); do
		kill -0 "$1" 2>/dev/null || break
		sleep 0.1
	done
	kill -9 "$1" 2>/dev/null && status=hung && return
	wait "$1"
	status=$?
}
