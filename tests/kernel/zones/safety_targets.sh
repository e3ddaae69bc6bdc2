# The targets of the zones_safety tests: each is given to `followed TEXT STATUS COMMAND…`, which the
# sourcing script defines; OWN: the pattern of its functions that may have probes, "": all.

followed "Go" 35 "$PROG/zone_go"
followed "Ruby's fibers" 36 ruby --disable=gems tests/prog/zones/zone_fiber.rb 1
followed "PHP's fibers" 37 php -n tests/prog/zones/zone_fiber.php 1
followed "greenlets" 38 /usr/bin/python3 tests/prog/zones/zone_greenlet.py 1
followed "Rust's panics" 34 "$PROG/zone_panic"
followed "C++20 coroutines" 33 "$PROG/zone_coroutine"
for way in throw roam; do
	followed "boost.context, $way" 32 "$PROG/zone_boost" $way
done
followed "ucontext" 11 "$PROG/zone_ucontext" roam
followed "sigaltstack coroutines" 12 "$PROG/zone_sigcoro"
for way in catch cancel; do
	followed "exceptions, $way" 31 "$PROG/zone_throw" $way
done
followed "exceptions, never caught" 134 "$PROG/zone_throw" never
followed "exceptions in a static program" 31 "$PROG/zone_throw_static" rethrow
followed "longjmp" 13 "$PROG/zone_longjmp"
followed "signals, jump" 16 "$PROG/zone_signal" jump
followed "signals, trap" 16 "$PROG/zone_signal" trap
for way in fork vfork exec; do
	followed "processes, $way" 17 "$PROG/zone_process" $way
done
for way in strict filter; do
	followed "seccomp, $way" 19 "$PROG/zone_seccomp" $way
done
for way in exit async; do
	followed "threads, $way" 18 "$PROG/zone_threads" $way
done
for way in segv:139 thread:23; do
	followed "killed, ${way%:*}" ${way#*:} "$PROG/zone_killed" ${way%:*}
done
followed "code, jit" 22 "$PROG/zone_code" jit
# A program that reads its own code sees the probes there.
OWN='libc.so.6:mallo*'
followed "code, read" 22 "$PROG/zone_code" read
OWN=
followed "backtrace()" 20 "$PROG/zone_backtrace"
