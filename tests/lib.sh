# Helpers of all test scripts; source it with the top of the tree as the working directory. A test
# prints lines "ok NAME" and "not ok NAME: WHY", and ends with finish.

# Expected output is in UTF-8, whatever the user's locale is.
LC_ALL=C.UTF-8
export LC_ALL

BUILD=${BUILD:-build}
EPROF=${EPROF:-$BUILD/eprof}
RENDER=${RENDER:-$BUILD/eprof-render}
EPROF_TESTS=${EPROF_TESTS:-$BUILD/eprof-tests}
PROG=${PROG:-$BUILD/prog}
failures=0

ok()
{
	printf 'ok %s\n' "$1"
}

not_ok()
{
	printf 'not ok %s: %s\n' "$1" "$(printf %s "$2" | tr '\n' ' ')"
	failures=$((failures + 1))
}

# as_tests COMMAND…: with the eprof that has the options of tests/options.c.
as_tests()
{
	product=$EPROF EPROF=$EPROF_TESTS
	"$@"
	set -- $?
	EPROF=$product
	return $1
}

# check NAME LEFT OP RIGHT, with OP of test(1); or: check NAME TEXT has|lacks WORD.
check()
{
	case $3 in
	has) case $2 in *"$4"*) ok "$1" && return ;; esac ;;
	lacks) case $2 in *"$4"*) ;; *) ok "$1" && return ;; esac ;;
	*) [ "$2" "$3" "$4" ] && ok "$1" && return ;;
	esac
	not_ok "$1" "'$2' $3 '$4' does not hold"
}

# skip_without FEATURE NAME: whether this machine lacks FEATURE, by tests/has. Then NAME, a part of the
# test, is left out, and tests/run lists it at its end. Not for what eprof requires: that fails.
#
#	skip_without cgroup2 "-G" || check …
skip_without()
{
	why=$(tests/has "$1")
	case $? in
	0) return 1 ;;
	1) printf 'skipped %s: %s [%s]\n' "$2" "$why" "$1" ;;
	*) not_ok "$2" "tests/has $1: ${why:-unknown}" ;;
	esac
}

# within SECONDS COMMAND…: limits the CPU time of each of its processes, and ends it after 300 s if
# it hangs: on a busy machine even a short command may take long.
within()
{
	(
		ulimit -t "$1"
		shift
		exec timeout -k 5 300 "$@"
	)
}

# make_temp creates a folder for this test, $T. At the end it is removed, with the processes in
# $running and the empty folders in $cgroups.
running=
cgroups=
make_temp()
{
	T=$(mktemp -d "${TMPDIR:-/tmp}/eprof-test.XXXXXX") || exit 1
	trap 'clean_up' EXIT
	trap 'exit 1' INT TERM
}

clean_up()
{
	for job in $running; do
		kill -9 "$job" 2>/dev/null
	done
	for cgroup in $cgroups; do
		rmdir "$cgroup" 2>/dev/null
	done
	rm -rf "$T"
}

finish()
{
	exit $((failures != 0))
}
