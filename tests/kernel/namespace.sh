# The part of namespace.test that runs inside the namespace: namespace.sh DEEP SPIN, the numbers
# that those processes have outside.
. tests/kernel/lib.sh
outer=$1 caller=$2

# start_as NUMBER COMMAND…: starts it with that pid, if nothing else starts at the same time.
start_as()
{
	echo $(($1 - 1)) >/proc/sys/kernel/ns_last_pid
	shift
	start "$@"
}

start_as "$outer" "$PROG/spin" 200
twin=$pid
check "a process has the number of one outside" $twin = "$outer"
start "$PROG/split" 200 2
lanes=$pid

for how in task cpu; do
	capture_work twin_$how 500 $twin -F 999 --sampler $how -p $twin
	at_least "-p, $how: it is there" "$(count twin_$how '^spin;_start;.*;spin_here')" 300
	check "-p, $how: nothing else is" \
		"$(count twin_$how)" = "$(count twin_$how '^spin;')"
	at_least "-p, $how: its stacks are whole" "$(percent twin_$how '^spin;_start;')" 99
done

tid=$(ls /proc/$lanes/task | tail -n 1)
events=cpu-clock
skip_without tracepoints "-t, sched:sched_switch" || events="cpu-clock sched:sched_switch"
for event in $events; do
	name=thread-${event%:*}
	capture_work $name 500 $lanes -e $event -t "$tid"
	at_least "-t, $event: the thread is there" "$(count $name '^lane-1;')" 5
	check "-t, $event: no other thread is" "$(count $name)" = "$(count $name '^lane-1;')"
done

# A process in a namespace nested in this one has a number here, too.
start unshare --pid --fork --kill-child "$PROG/leaves" 200
further=
find_further()
{
	further=$(pgrep -x leaves)
}
wait_for find_further
capture_work further 300 "$further" -F 999 -p "$further"
at_least "-p: a process in a namespace below" "$(count further '^leaves;_start;')" 200
kill "$further"

capture_work all 300 "$twin $lanes" -F 499 -a
at_least "-a: the process with the outer one's number" "$(count all '^spin;_start;.*;spin_here')" 50
at_least "-a: a thread" "$(count all '^lane-1;.*;f70')" 10
check "-a: its command line, by its number here" \
	"$("$RENDER" export "$T/all.h5" --to csv --table processes --cmdline | grep ",$twin,")" has \
	",$PROG/spin 200,"
at_least "-a: what is outside" \
	"$(count all '^.outside.;.outside of the PID namespace.')" 20
check "-a: of which nothing else is known" \
	"$(grep -F '[outside];' "$T/all.folded" |
		grep -vcE '^\[outside\];\[outside of the PID namespace\](;[^;]*_\[k\])* [0-9]+$')" = 0
check "-a: and nothing stands elsewhere" "$(count all '^(deep|swapper);')" = 0
"$RENDER" export "$T/all.h5" -o "$T/number.folded" --to folded --pid $twin
check "-a: by its number only the one inside" "$(grep -vc '^spin;' "$T/number.folded")" = 0
check "-a: nothing is said of the time of those that cannot be counted" \
	"$("$RENDER" "$T/all.h5" --view cost | grep -c '^ *not counted .*\(between ticks\|beyond the exact\)')" = 0
check "-a: eprof itself is left out" "$(count all '^eprof;')" = 0
kill $twin $lanes
wait $twin $lanes 2>/dev/null # one of their numbers is used again

start_as "$caller" "$PROG/deep" 10 200
twin=$pid
zones_later calls -a --zone "$(realpath "$PROG/spin"):spin_here"
"$PROG/spin" 0.3 >"$T/spin.out"
kill -INT $capture
capture_end calls
check "-a: calls by the process with the outer one's number" $twin = "$caller"
# All calls, if the probes were there before the process started.
called=$(zone calls spin_here counts)
made=$(sed -n 's/.*rounds=//p' "$T/spin.out")
at_most "-a: calls are those of processes inside" "$called" "$made"
at_least "-a: and nearly all of those" "$called" $((made / 2))
at_least "-a: others are told of" "$("$RENDER" "$T/calls.h5" --view cost |
	sed -n 's/^ *\([0-9,]*\) *probes: hits elsewhere/\1/p' | tr -d ,)" 1
kill $twin

storms_agree "--" task cpu

: >"$T/line"
start "$PROG/brood" 0.3 "$T/line"
wait_for grep -q ready "$T/start.$started"
capture_later brood -F 999 --sampler cpu --zone 'brood:brood_*' -p $pid --children
echo >"$T/line"
capture_end brood
near "--children: children, in ms" "$(count brood ';brood_child')" 600 80
near "--children: children of children" "$(count brood ';brood_grandchild')" 300 40
check "--children: calls of zones" "$(zone brood brood_child counts
	zone brood brood_grandchild counts)" = "2
1"

finish
