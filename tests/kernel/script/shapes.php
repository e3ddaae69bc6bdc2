<?php
// shapes.php SECONDS: runs shapes of PHP calls for that much CPU time. Which functions a line calls stands
// beside it, for judge_calls.py, which also reads the next two lines.
// outermost: {closure}
// evaluated: spin, named

namespace {

function spin($n = 300)
{
	for ($i = 0, $x = 1; $i < $n; $i++)
		$x = ($x * 31 + $i) & 0xffff;
	return $x;
}

function recursion($n)
{
	if ($n == 0)
		return spin(); // calls: spin
	if ($n % 2)
		return recursion($n - 1) + 1; // calls: recursion
	return
		recursion($n - 1) // calls: recursion
		+ 2;
}

class Base
{
	public $n = 0;

	function __construct($n)
	{
		$this->n = spin($n); // calls: spin
	}

	function method($n)
	{
		return $this->inner($n) + self::fixed($n); // calls: Base::inner, Base::fixed
	}

	private function inner($n)
	{
		return spin($n); // calls: spin
	}

	static function fixed($n)
	{
		return spin($n) + static::late($n); // calls: spin, Base::late, Derived::late
	}

	static function late($n)
	{
		return spin($n); // calls: spin
	}

	function closure()
	{
		return function ($n) {
			return $this->inner($n); // calls: Base::inner
		};
	}

	function __call($name, $arguments)
	{
		return spin($arguments[0]); // calls: spin
	}

	static function __callStatic($name, $arguments)
	{
		return spin($arguments[0]); // calls: spin
	}

	function __get($name)
	{
		return spin(200); // calls: spin
	}

	function __invoke($n)
	{
		return spin($n); // calls: spin
	}

	function __toString()
	{
		return (string)spin(200); // calls: spin
	}
}

class Derived extends Base
{
	static function late($n)
	{
		return parent::late($n) + spin($n); // calls: Base::late, spin
	}

	function __destruct()
	{
		spin(150); // calls: spin
	}
}

function objects()
{
	$a = new Base(100); // calls: Base::__construct
	$b = new Derived(100); // calls: Base::__construct
	$x = $a->method(100) + $b->method(100); // calls: Base::method
	$x += $a->closure()(200); // calls: Base::closure, Base::{closure}
	$x += Derived::fixed(90); // calls: Base::fixed
	$b = null; // calls: Derived::__destruct
	return $x;
}

function magic()
{
	$a = new Base(50); // calls: Base::__construct
	$x = $a->nothing(200) + Base::nowhere(200); // calls: Base::__call, Base::__callStatic
	$x += $a->unknown; // calls: Base::__get
	$x += $a(100); // calls: Base::__invoke
	return $x . $a; // calls: Base::__toString
}

function compare($a, $b)
{
	spin(60); // calls: spin
	return $a <=> $b;
}

function callbacks()
{
	$a = [5, 3, 9, 1, 7, 8];
	usort($a, 'compare'); // calls: compare
	usort($a, fn($p, $q) => compare($q, $p)); // calls: compare, {closure}
	$mapped = function ($v) {
		return spin($v * 20); // calls: spin
	};
	$b = array_map($mapped, $a); // calls: {closure}
	$nested = function ($v) {
		array_map('recursion', [2, 3]); // calls: recursion
	};
	array_walk($b, $nested); // calls: {closure}
	$c = array_reduce($a, fn($sum, $v) => $sum + spin(100)); // calls: {closure}, spin
	preg_replace_callback('/./', 'replaced', 'abcd'); // calls: replaced
	return $c + call_user_func_array([new Base(10), 'method'], [80]); // calls: Base::__construct, Base::method
}

function replaced($m)
{
	spin(80); // calls: spin
	return $m[0];
}

function numbers($n)
{
	for ($i = 0; $i < $n; $i++) {
		spin(100); // calls: spin
		yield $i;
	}
}

function delegating($n)
{
	yield spin(50); // calls: spin
	yield from numbers($n); // calls: numbers
	foreach (numbers($n) as $i) // calls: numbers
		yield $i;
}

function generators()
{
	$sum = 0;
	foreach (delegating(4) as $i) // calls: delegating, numbers
		$sum += $i;
	$g = numbers(3); // calls: numbers
	while ($g->valid()) { // calls: numbers
		$sum += $g->current(); // calls: numbers
		$g->next(); // calls: numbers
	}
	return $sum + array_sum(iterator_to_array(numbers(3))); // calls: numbers
}

function fails($n)
{
	spin(100); // calls: spin
	if ($n)
		fails($n - 1); // calls: fails
	else
		throw new RuntimeException('no');
}

function exceptions()
{
	try {
		fails(2); // calls: fails
	} catch (RuntimeException $e) {
		spin(100); // calls: spin
	} finally {
		spin(120); // calls: spin
	}
}

function evaluated()
{
	return eval('return spin(200) + named(100);'); // calls: {main}
}

function named($n)
{
	return spin($n); // calls: spin
}

function included()
{
	return (include __DIR__ . '/included.php') + in_file(100); // calls: {main}, in_file
}

// A user's handler of errors: the loop calls it from a part of its code that is rarely used.
function on_error($number)
{
	spin(150); // calls: spin
	return true;
}

function errors()
{
	set_error_handler('on_error');
	$x = $undefined; // calls: on_error
	$x = [1][7]; // calls: on_error
	$x = 'a' . $other; // calls: on_error
	restore_error_handler();
}

function deep()
{
	return recursion(1000); // calls: recursion
}

function fibers()
{
	$f = new Fiber(function ($n) {
		spin($n); // calls: spin
		Fiber::suspend(recursion(4)); // calls: recursion
		return spin($n); // calls: spin
	});
	$f->start(200);
	$f->resume();
}

function &by_reference(array &$a)
{
	$a[0] = spin(120); // calls: spin
	return $a;
}

function others()
{
	$a = [1];
	by_reference($a); // calls: by_reference
	$bound = Closure::bind(fn() => $this->method(90), new Base(5), Base::class); // calls: Base::__construct, Base::method
	$bound(); // calls: Base::{closure}
	(new class (40) extends Base { // calls: Base::__construct
		function run()
		{
			return spin(100) + \Other\named(70); // calls: spin, Other\named
		}
	})->run(); // calls: Base@anonymous::run
	array_map([Base::class, 'late'], [100, 90]); // calls: Base::late
	(fn(...$all) => spin(...$all))(110); // calls: {closure}, spin
}

const SHAPES = ['objects', 'magic', 'callbacks', 'generators', 'exceptions', 'evaluated', 'included',
	'errors', 'deep', 'fibers', 'others'];

function shapes()
{
	foreach (SHAPES as $shape)
		$shape(); // calls: objects, magic, callbacks, generators, exceptions, evaluated, included, errors, deep, fibers, others
	recursion(30); // calls: recursion
}

}

namespace Other {

function named($n)
{
	return \spin($n) + namespace\inner($n); // calls: spin, Other\inner
}

function inner($n)
{
	return \spin($n); // calls: spin
}

function cpu_s()
{
	$used = getrusage();
	return $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] +
		($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']) / 1e6;
}

for ($end = cpu_s() + ($argv[1] ?? $_GET['seconds']); cpu_s() < $end;) // calls: Other\cpu_s
	\shapes(); // calls: shapes

}
