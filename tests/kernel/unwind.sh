# Helpers of the unwinding tests: build targets in several ways, and check their stacks. Source it
# after tests/kernel/lib.sh.

# A thread's first frames in the folded export, down to main: libc's own frames or, for a file
# without symbols, addresses.
start='(_start|_start_c|[^;]*[+]0x[0-9a-f]+|__libc_start_[a-z_]*);'
nofp='-O2 -g -fomit-frame-pointer'

# build NAME TARGET COMPILER FLAGS…: builds tests/prog/TARGET.c as $T/NAME.
build()
{
	output=$T/$1 source=tests/prog/$2.c compiler=$3
	shift 3
	"$compiler" -std=gnu11 -D_GNU_SOURCE -w -pthread "$@" -o "$output" "$source" \
		>"$T/build.out" 2>&1 || not_ok "build $output" "$(cat "$T/build.out")"
}

# unmarked NAME LEAST: checks that there are samples, and at least LEAST percent of whole stacks.
unmarked()
{
	at_least "$1: samples" "$(count "$1")" 50
	at_least "$1: percent of stacks that are whole" \
		"$(awk -v p="$(percent "$1" ';\[stack')" 'BEGIN { print 100 - p }')" "$2"
}

# chain NAME WORK PATTERN LEAST: checks that LEAST percent of the stacks with one of the functions
# WORK match PATTERN, and that at least half of the samples are in WORK. The share of the program's
# start and end, its clock and the functions around WORK depends on the machine: context switches
# and other tools' probes in libc add to it.
chain()
{
	work=";($2)(_.[ij].)?(;|\$)"
	at_least "$1: percent in $2" "$(percent "$1" "$work")" 50
	at_least "$1: percent of these with the chain $3" "$(percent "$1" "$3" "$work")" "$4"
}
