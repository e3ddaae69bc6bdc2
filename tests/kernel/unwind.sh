# Helpers of the tests of unwinding: targets built in several ways, and checks of their stacks.
# Sourced after tests/kernel/lib.sh.

# How the folded export writes where a thread starts, down to main: with libc's own frames or, in
# a file without symbols, addresses.
start='(_start|_start_c|[^;]*[+]0x[0-9a-f]+|__libc_start_[a-z_]*);'
nofp='-O2 -g -fomit-frame-pointer'

# build NAME TARGET COMPILER FLAGS…: tests/prog/TARGET.c as $T/NAME.
build()
{
	output=$T/$1 source=tests/prog/$2.c compiler=$3
	shift 3
	"$compiler" -std=gnu11 -D_GNU_SOURCE -w -pthread "$@" -o "$output" "$source" \
		>"$T/build.out" 2>&1 || not_ok "build $output" "$(cat "$T/build.out")"
}

# unmarked NAME LEAST: at least so many percent of the stacks are whole, and there are samples.
unmarked()
{
	at_least "$1: samples" "$(count "$1")" 50
	at_least "$1: percent of stacks that are whole" \
		"$(awk -v p="$(percent "$1" ';\[stack')" 'BEGIN { print 100 - p }')" "$2"
}

# chain NAME WORK PATTERN LEAST: so many percent of the stacks that have one of the functions WORK
# match PATTERN. The program's start and end, its clock, and the functions around WORK have a share
# that is the machine's: each time it is switched in costs some, and so do others' probes in libc.
# Half of the samples or more are in WORK all the same.
chain()
{
	work=";($2)(_.[ij].)?(;|\$)"
	at_least "$1: percent in $2" "$(percent "$1" "$work")" 50
	at_least "$1: percent of these with the chain $3" "$(percent "$1" "$3" "$work")" "$4"
}
