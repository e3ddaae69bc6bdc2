<?php
if (!function_exists('in_file')) {
	function in_file($n)
	{
		return spin($n); // calls: spin
	}
}
return spin(100); // calls: spin
