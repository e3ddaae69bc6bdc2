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

# percent NAME PATTERN: of the samples with a user stack, those whose line matches.
percent()
{
	awk -v p="$2" '{
		n = $NF
		sub(/ [0-9]+$/, "")
		if (split($0, part, ";") < 2 || part[2] ~ /_\[k\]$/) next
		all += n
		if ($0 ~ p) with += n
	} END { printf "%.2f\n", all ? 100 * with / all : -1 }' "$T/$1.folded"
}

# unmarked NAME LEAST: at least so many percent of the stacks are whole, and there are samples.
unmarked()
{
	at_least "$1: samples" "$(count "$1")" 50
	at_least "$1: percent of stacks that are whole" \
		"$(awk -v p="$(percent "$1" ';\\[stack')" 'BEGIN { print 100 - p }')" "$2"
}

# chain NAME PATTERN LEAST: so many percent of the stacks match PATTERN.
chain()
{
	at_least "$1: percent with the chain $2" "$(percent "$1" "$2")" "$3"
}
