// shapes.js SECONDS: shapes of calls in JavaScript, again and again, for so much CPU time. Which
// function calls which stands in judge_js.py; each has its line there, too.
'use strict';

function spin(n) {
	let x = 0;
	for (let i = 0; i < n; i++)
		x = (x + i * i) % 1000003;
	return x;
}

function recursion(n) {
	if (n === 0)
		return spin(2000);
	return recursion(n - 1);
}

class Outer {
	constructor(n) { this.n = spin(n); }
	value(n) { return spin(n); }
	static made() { return new Outer(300); }
	get got() { return spin(900); }
}

function methods() {
	return Outer.made().value(1500) + new Outer(200).got;
}

const arrow = (n) => spin(n);

function arrows() {
	return arrow(1200) + (() => spin(700))();
}

function ordered(a, b) {
	spin(100);
	return a - b;
}

function callbacks() {
	return [5, 3, 9, 1, 7, 2, 8].sort(ordered).map(function mapped(x) {
		return spin(100) + x;
	});
}

function* generated() {
	for (let i = 0; i < 5; i++)
		yield spin(200);
}

function generators() {
	let s = 0;
	for (const x of generated())
		s += x;
	return s;
}

function thrower() {
	spin(300);
	throw new Error('x');
}

function exceptions() {
	try {
		thrower();
	} catch (e) {
		return spin(300);
	} finally {
		spin(100);
	}
}

function closures() {
	let a = 1, b = 2;
	function inner(n) {
		return spin(n) + a + b;
	}
	return inner(500);
}

function evaluated() {
	return eval('spin(400)') + new Function('f', 'return f(300)')(spin);
}

const größe = {
	länge(n) { return spin(n); },
};

function names() {
	return größe.länge(600);
}

function reviver(k, v) {
	spin(40);
	return v;
}

function json() {
	return JSON.parse('{"a":[1,2,3,{"b":4}]}', reviver);
}

function replaced() {
	return 'abcabc'.replace(/b/g, function replacer() { return spin(150); });
}

function proxied() {
	return new Proxy({}, { get(t, k) { return spin(250); } }).x;
}

// Their names are made up of pieces.
const Old = function (n) { this.n = n; };
Old.prototype.assignedToThePrototype = function (n) { return spin(n); };

function prototypes() {
	return new Old(1).assignedToThePrototype(1500);
}

async function awaited(n) {
	await null;
	return spin(n);
}

async function coroutines() {
	await Promise.all([awaited(300), awaited(300)]);
}

// Objects that survive a while: the garbage collector moves them.
let kept = [];
function allocations() {
	for (let i = 0; i < 300; i++)
		kept.push({ i, text: `${i}`.repeat(20), f: () => i });
	if (kept.length > 30000)
		kept = [];
}

const SHAPES = [methods, arrows, callbacks, generators, exceptions, closures, evaluated, names, json,
	replaced, proxied, prototypes, allocations];

async function main(seconds) {
	const end = process.cpuUsage().user + seconds * 1e6;
	while (process.cpuUsage().user < end) {
		recursion(10);
		for (const shape of SHAPES)
			shape();
		await coroutines();
	}
}

main(Number(process.argv[2]));
