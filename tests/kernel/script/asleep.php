<?php
// asleep.php WHAT: sleeps all the time, in functions that are known.

class Bed
{
    private function nap()
    {
        sleep(1000);
    }

    public function outer()
    {
        $this->nap();
    }
}

// A function that PHP itself calls back.
function called()
{
    $list = [2, 1];
    usort($list, function ($a, $b) {
        usleep(1000000000);
        return $a <=> $b;
    });
}

// The body of a generator runs in the loop of who asks for its next value.
function values()
{
    sleep(1000);
    yield 1;
}

function generated()
{
    foreach (values() as $value) {
        echo $value;
    }
}

function deep($n)
{
    return $n ? deep($n - 1) + 1 : sleep(1000);
}

function main($what)
{
    echo "ready\n";
    match ($what) {
        'outer' => (new Bed())->outer(),
        'called' => called(),
        'generated' => generated(),
        'deep' => deep(900),
    };
}

main($argv[1]);
