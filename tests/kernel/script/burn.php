<?php
// burn.php LIBRARY SECONDS FUNCTION: calls a function in C, of beyond_rules.c.

function inner($c)
{
    global $argv;
    $c->{$argv[3]}(1000000);
}

// By way of a function of PHP itself.
function outer($c)
{
    array_map(fn ($n) => inner($c), [1, 2]);
}

$c = FFI::cdef('void burn(uint64_t n); void lost_spin(uint64_t n);', $argv[1]);
// So that eprof knows the interpreter when the function is called first.
$begin = microtime(true) + 0.5;
while (microtime(true) < $begin) {
}
$end = microtime(true) + $argv[2];
while (microtime(true) < $end) {
    outer($c);
}
