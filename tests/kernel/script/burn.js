// burn.js LIBRARY SECONDS: calls a function in C, of beyond_rules.c.

const module_ = { exports: {} };
process.dlopen(module_, require('path').resolve(process.argv[2]));

function inner() {
    module_.exports(1000000);
}

// By way of a function of V8 itself.
function outer() {
    [1, 2].map(() => inner());
}

// So that eprof knows the interpreter when the function is called first.
const begin = Date.now() + 500;
while (Date.now() < begin);
const end = Date.now() + 1000 * process.argv[3];
while (Date.now() < end) outer();
