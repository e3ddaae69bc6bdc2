<?php
// Calls functions so often as zones_script.test knows.
class A
{
	function method($n) { return $n + 1; }
	static function shared() { }
	function deep($n) { return $n ? $this->deep($n - 1) : 0; }
	function thrower($n)
	{
		if (!$n)
			throw new Exception("thrown");
		$this->thrower($n - 1);
	}
}
function plain($n) { return $n + 1; }
function generator($n) { for ($i = 0; $i < $n; $i++) yield $i; }

if (isset($argv[1]))
	sleep((int)$argv[1]);
$a = new A;
for ($i = 0; $i < 1000; $i++) {
	plain($i);
	$a->method($i);
	A::shared();
}
$a->deep(99);
for ($i = 0; $i < 10; $i++) {
	try {
		$a->thrower(5);
	} catch (Exception $e) {
	}
}
foreach (generator(50) as $x)
	;
array_map('plain', range(1, 20));
