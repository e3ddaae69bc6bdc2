// burn.js LIBRARY SECONDS: calls a function in C whose stacks the loader walks.

const module_ = { exports: {} };
process.dlopen(module_, require('path').resolve(process.argv[2]));

function inner() {
    module_.exports(1000000);
}

// By way of a function of V8 itself.
function outer() {
    [1, 2].map(() => inner());
}

const end = Date.now() + 1000 * process.argv[3];
while (Date.now() < end) outer();
