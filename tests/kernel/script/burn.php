<?php
// burn.php LIBRARY SECONDS: calls a function in C whose stacks the loader walks.

function inner($c)
{
    $c->burn(1000000);
}

// By way of a function of PHP itself.
function outer($c)
{
    array_map(fn ($n) => inner($c), [1, 2]);
}

$c = FFI::cdef('void burn(uint64_t n);', $argv[1]);
$end = microtime(true) + $argv[2];
while (microtime(true) < $end) {
    outer($c);
}
