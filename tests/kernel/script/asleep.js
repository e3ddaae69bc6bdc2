// asleep.js WHAT: sleeps all the time, in functions that are known.

const { execSync } = require('child_process');
const { writeSync } = require('fs');
const { Worker, isMainThread } = require('worker_threads');

function wait() {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

// A function that V8 itself calls back.
function called() {
    [1, 2].map((n) => wait(n));
}

class Bed {
    nap() {
        // Ends with this process.
        execSync(`tail --pid=${process.pid} -f /dev/null`);
    }
}

function deep(n) {
    return n ? deep(n - 1) + 1 : wait();
}

function main(what) {
    writeSync(1, 'ready\n');
    if (what === 'called') called();
    if (what === 'exec') new Bed().nap();
    if (what === 'deep') deep(100);
    if (what === 'worker') new Worker(__filename);
    if (what === 'idle') setInterval(() => {}, 1e9);
}

if (isMainThread) main(process.argv[2]);
else {
    writeSync(1, 'asleep\n');
    called();
}
