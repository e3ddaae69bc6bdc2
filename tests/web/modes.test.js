// The page's ways to show samples: filters, orders, foldings, state in the address. The pages are
// those of page.test.js; modes.html is of tests/unit/modes_profile.h, whose answers are worked out by
// hand from its ten samples of 10 ms.
//
//	node tests/web/modes.test.js FOLDER
"use strict";

const fs = require("fs");
const path = require("path");
const {folder, test, same, open, main} = require("./harness.js");

const MS = 1e6;

/* The boxes of graph @k that shows, as "level x+width name" in ms, in the order of a walk. */
const boxes = (page, k = 0) => page.evaluate(([which, ms]) => {
	const {tree} = eprof.flames[0].shownGraphs[which];
	return [...Array(tree.n).keys()].map(i =>
		`${tree.depth[i]} ${tree.x[i] / ms}+${tree.total[i] / ms} ${tree.of(i).name}`);
}, [k, MS]);
const set = (page, change) => page.evaluate(c => eprof.model.set(c), change);
const unset = page => page.evaluate(() => eprof.model.set({...NO_FILTER}));
const hash = page => page.evaluate(() => decodeURIComponent(location.hash));
const key = async (page, name) => {
	await page.focus(".stage:not([hidden])");
	await page.keyboard.press(name);
};
/* The model's own view of a name: box and place in the window. */
const place = (page, name) => page.evaluate(wanted => {
	eprof.flames[0].stage.scrollIntoView({block: "center"});
	const {tree, canvas} = eprof.flames[0];
	const i = [...Array(tree.n).keys()].find(k => tree.of(k).name === wanted);
	const {left, width} = canvas.span(i), at = canvas.canvas.getBoundingClientRect();
	return {i, x: at.left + left + width / 2, y: at.top + canvas.rowTop(tree.depth[i]) + 8};
}, name);

test("without a filter the boxes are those that C laid out", async browser => {
	for (const name of ["small", "hostile", "waits", "modes", "metrics"]) {
		const page = await open(browser, name + ".html");
		const mine = await page.evaluate(() => eprof.flames.map(({tree}) =>
			[...Array(tree.n).keys()].map(i =>
				`${tree.depth[i]} ${tree.x[i]} ${tree.total[i]} ${tree.of(i).name}`)));
		const text = fs.readFileSync(path.join(folder, name + ".boxes"), "utf8");
		const theirs = text.trimEnd().split("\n\n").map(part => part.split("\n"))
			.filter(lines => lines.length > 1);
		same(mine, theirs.slice(0, mine.length), name);
		same(mine[0].length > 8, name !== "metrics", name + " has boxes");
	}
});

test("the model has threads, processes, cgroups, steps of time and rows", async browser => {
	const page = await open(browser, "modes.html");
	same(await page.evaluate(() => eprof.model.threads.map(t =>
		[t.pid, t.tid, t.name, t.process, t.cgroup])),
		[[10, 10, "main", "prog", "/a"], [10, 11, "worker", "prog", "/a"],
			[10, 12, "worker", "prog", "/a"], [20, 20, "cc1", "make", "/b"]], "threads");
	same(await page.evaluate(() => eprof.model.processes), [
		{pid: 10, name: "prog", threads: [0, 1, 2]}, {pid: 20, name: "make", threads: [3]}], "processes");
	same(await page.evaluate(() => eprof.model.buckets),
		{n: 9001, width_ns: 1e6, start_ns: 0}, "9 s in steps of 1 ms");
	same(await page.evaluate(() => [...eprof.model.series(0)].flatMap((v, b) => v ? [[b, v]] : [])),
		[...Array(10).keys()].map(s => [1000 * s, 10 * MS]), "series");
	same(await page.evaluate(() => eprof.model.series(0, [1, 3]).reduce((a, v) => a + v)), 30 * MS,
		"series of two threads");
	same(await page.evaluate(() => eprof.model.metrics.map(m => [m.name, m.total, m.samples, m.exact])),
		[["cpu-clock", 100 * MS, 10, false]], "metrics");
});

test("a range of time leaves its samples", async browser => {
	const page = await open(browser, "modes.html");
	await set(page, {from: 2e9, to: 6e9});
	same(await boxes(page), ["0 0+40 root", "1 0+30 main", "2 0+30 main", "3 0+20 fib", "4 0+20 fib",
		"5 0+10 aux", "6 0+10 fib", "5 10+10 fib", "3 20+10 work", "1 30+10 worker", "2 30+10 main",
		"3 30+10 work", "4 30+10 lx", "5 30+10 ly"]);
	same(await page.locator(".chip").allTextContents(), ["2.00 s to 6.00 s×"], "chip");
	await page.evaluate(() => eprof.flames[0].choose(2));
	same((await page.textContent(".detail dd")), "30.0 ms, 3 samples: 30.0\u00a0% of all, 75.0\u00a0% of the selection");
	await page.click(".chip");
	same((await boxes(page))[0], "0 0+100 root", "all again");
	await set(page, {from: 20e9, to: 30e9});
	same(await boxes(page), ["0 0+0 root"], "nothing");
	same(await page.textContent(".note"), "No sample is left: the selection above is too narrow.");
});

test("threads, processes and cgroups filter", async browser => {
	const page = await open(browser, "modes.html");
	await set(page, {threads: [1]});
	same(await boxes(page), ["0 0+10 root", "1 0+10 worker", "2 0+10 main", "3 0+10 work", "4 0+10 lx",
		"5 0+10 ly"], "thread");
	await set(page, {threads: null, processes: [1]});
	same(await boxes(page), ["0 0+20 root", "1 0+20 cc1", "2 0+20 main", "3 0+10 work"], "process");
	await set(page, {processes: null, cgroups: ["/a"]});
	same((await boxes(page))[0], "0 0+80 root", "cgroup");
	await unset(page);
	const choose = async name => {
		await page.click(".threadlist > button");
		await page.click(`.choices button:has-text("${name}")`);
	};
	await choose("worker 12");
	same((await boxes(page)).slice(0, 2), ["0 0+10 root", "1 0+10 worker"], "by the list");
	same(await page.textContent(".threadlist > button"), "worker 12 ▾", "on the button");
	await choose("process prog 10");
	same((await boxes(page))[0], "0 0+80 root", "by the list");
});

test("the list of threads: by share, searched, grouped where they are many", async browser => {
	const page = await open(browser, "modes.html");
	const rows = () => page.locator(".choices button").allTextContents();
	await key(page, "t");
	same(await rows(), ["all threads", "80.0 %process prog 10", "20.0 %process make 20", "60.0 %main 10",
		"20.0 %cc1 20", "10.0 %worker 11", "10.0 %worker 12"], "all");
	await page.keyboard.type("work");
	same(await rows(), ["10.0 %worker 11", "10.0 %worker 12"], "found by name");
	await page.fill(".threads input", "12$");
	same(await rows(), ["10.0 %worker 12"], "found by number");
	await page.keyboard.press("Enter");
	same(await page.evaluate(() => eprof.model.filter.threads), [2], "chosen");
	same(await page.locator(".threads").isVisible(), false, "closed");
	await page.evaluate(() => {
		const {model} = eprof;
		model.set({threads: null});
		/* Ten more of the second process, the last of which is idle: behind the others. */
		for (let i = 0; i < 10; i++) {
			model.processes[1].threads.push(model.threads.length);
			model.threads.push({...model.threads[3], tid: 30 + i, active: 30 - i});
		}
	});
	await key(page, "t");
	const names = (await rows()).map(text => text.split("%").pop());
	same(names.slice(0, 5), ["all threads", "process prog 10", "main 10", "worker 11", "worker 12"], "grouped");
	same([names.length, names[5]], [17, "process make 20"], "threads below their process");
});

test("threads that were busy or held up stand before those that waited idly", async browser => {
	const page = await open(browser, "modes.html");
	await page.evaluate(() => { eprof.model.threads[0].active = 0; }); /* 60 % of all, all of it idle */
	await key(page, "t");
	same((await page.locator(".choices button").allTextContents()).slice(3),
		["20.0 %cc1 20", "10.0 %worker 11", "10.0 %worker 12", "60.0 %main 10"], "order");
});

test("what stands below the root: threads, processes, cgroups, nothing", async browser => {
	const page = await open(browser, "modes.html");
	const tops = async group => {
		await set(page, {group});
		return (await boxes(page)).filter(b => b[0] === "1").map(b => b.slice(2));
	};
	same(await tops("name"), ["0+20 cc1", "20+60 main", "80+20 worker"]);
	same(await tops("thread"), ["0+20 cc1 20", "20+60 main 10", "80+10 worker 11", "90+10 worker 12"]);
	same(await tops("process"), ["0+20 make 20", "20+80 prog 10"]);
	same(await tops("cgroup"), ["0+80 /a", "80+20 /b"]);
	same(await tops("none"), ["0+100 main"]);
});

test("focus, ignore, recursion, kernel and modules", async browser => {
	const page = await open(browser, "modes.html");
	await set(page, {focus: "^fib$"});
	same((await boxes(page)).slice(0, 4), ["0 0+20 root", "1 0+20 main", "2 0+20 main", "3 0+20 fib"]);
	await set(page, {focus: "", ignore: "^work$"});
	same((await boxes(page))[0], "0 0+40 root", "ignore");
	await unset(page);
	await set(page, {collapse: true, threads: [0]});
	same(await boxes(page), ["0 0+60 root", "1 0+60 main", "2 0+60 main", "3 0+20 fib", "3 20+40 work",
		"4 20+10 read", "5 20+10 k1", "6 20+10 k2"], "recursion");
	await set(page, {collapse: false, foldKernel: true});
	same((await boxes(page)).filter(b => /read|kernel|k1|k2/.test(b)),
		["4 20+10 read", "5 20+10 [kernel]"], "kernel");
	await unset(page);
	await set(page, {fold: ["/lib/libx.so"], threads: [1, 2]});
	same(await boxes(page), ["0 0+20 root", "1 0+20 worker", "2 0+20 main", "3 0+10 [libx.so]", "4 0+10 cb",
		"5 0+10 [libx.so]", "3 10+10 work", "4 10+10 [libx.so]"], "fold a module");
	await set(page, {fold: [], hidden: ["/lib/libx.so"]});
	same(await boxes(page), ["0 0+20 root", "1 0+20 worker", "2 0+20 main", "3 0+10 cb", "3 10+10 work"],
		"frames of a module left out");
	await unset(page);
	same((await boxes(page)).length, 23, "all again");
});

test("time order: each thread in time, neighbours joined", async browser => {
	const page = await open(browser, "modes.html");
	await key(page, "1");
	same(await boxes(page), ["0 0+100 root",
		"1 0+60 main 10", "2 0+60 main", "3 0+30 work", "4 10+10 read", "5 10+10 k1", "6 10+10 k2",
		"3 30+20 fib", "4 30+20 fib", "5 30+10 fib", "5 40+10 aux", "6 40+10 fib", "3 50+10 work",
		"1 60+10 worker 11", "2 60+10 main", "3 60+10 work", "4 60+10 lx", "5 60+10 ly",
		"1 70+10 worker 12", "2 70+10 main", "3 70+10 lx", "4 70+10 cb", "5 70+10 ly",
		"1 80+20 cc1 20", "2 80+20 main", "3 80+10 work"]);
	await key(page, "n");
	same((await boxes(page)).slice(0, 3), ["0 0+60 root", "1 0+60 main 10", "2 0+60 main"], "next thread");
	await key(page, "n");
	same((await boxes(page))[1], "1 0+10 worker 11", "next thread");
	await key(page, "p");
	await key(page, "p");
	await key(page, "p");
	same((await boxes(page))[1], "1 0+20 cc1 20", "round, to the last");
	/* Ten samples beside their names: folded and filtered in this order, too. */
	await set(page, {threads: [0], foldKernel: true});
	same((await boxes(page)).slice(4, 6), ["4 10+10 read", "5 10+10 [kernel]"], "folded");
});

test("heaviest first, and reversed", async browser => {
	const page = await open(browser, "modes.html");
	await key(page, "2");
	same((await boxes(page)).slice(0, 8), ["0 0+100 root", "1 0+60 main", "2 0+60 main", "3 0+40 work",
		"4 0+10 read", "5 0+10 k1", "6 0+10 k2", "3 40+20 fib"]);
	await key(page, "4");
	same((await boxes(page)).slice(0, 2), ["0 0+100 root", "1 0+20 cc1"], "by name");
	await key(page, "5");
	same((await boxes(page)).filter(b => b[0] === "1"), ["1 0+20 fib", "1 20+10 k2", "1 30+20 ly",
		"1 50+10 main", "1 60+40 work"]);
	same((await boxes(page)).slice(-4), ["1 60+40 work", "2 60+40 main", "3 60+10 cc1", "3 70+30 main"],
		"callers of work, where it is the leaf");
	await page.selectOption("select[aria-label='Order of siblings']", "heavy");
	same((await boxes(page)).filter(b => b[0] === "1")[0], "1 0+40 work", "heaviest first");
});

test("sandwich: callers above, callees below", async browser => {
	const page = await open(browser, "modes.html");
	const box = await place(page, "work");
	await page.mouse.click(box.x, box.y);
	await key(page, "3");
	same(await boxes(page, 0), ["0 0+60 work", "1 0+60 main", "2 0+10 cc1", "2 10+40 main",
		"2 50+10 worker"], "callers");
	same(await boxes(page, 1), ["0 0+60 work", "1 0+10 lx", "2 0+10 ly", "1 10+10 read", "2 10+10 k1",
		"3 10+10 k2"], "callees");
	same(await page.evaluate(() => eprof.flames[0].shownGraphs.map(g => g.canvas.icicle)), [false, true],
		"the function between them");
	same(await page.textContent(".detail dd"), "60.0 ms, 6 samples: 60.0\u00a0% of all");
	same(await hash(page), "#x=sandwich&f=work");
	const other = await open(browser, "modes.html", {hash: "#x=sandwich&f=fib"});
	same(await boxes(other, 0), ["0 0+20 fib", "1 0+20 main", "2 0+20 main"], "recursion counts once");
	same((await boxes(other, 1))[0], "0 0+20 fib", "recursion counts once");
	await key(page, "2");
	same((await boxes(page)).length, 23, "back to the flame graph");
	same(await page.locator(".stage >> visible=true").count(), 1, "one graph");
});

test("the menu of a frame focuses, folds and shows callers", async browser => {
	const page = await open(browser, "modes.html");
	const choose = async (name, what) => {
		const box = await place(page, name);
		await page.mouse.click(box.x, box.y, {button: "right"});
		await page.click(`.menu [role=menuitem]:has-text("${what}")`);
	};
	await choose("fib", "Focus");
	same((await boxes(page))[0], "0 0+20 root", "focus");
	await page.click(".chip:has-text('focus: fib')");
	await choose("work", "Ignore");
	same((await boxes(page))[0], "0 0+40 root", "ignore");
	await page.click(".chip");
	await choose("k1", "Fold the kernel");
	same(await page.getAttribute("button:has-text('Fold kernel')", "aria-pressed"), "true", "pressed");
	await page.click("button:has-text('Fold kernel')");
	await choose("lx", "Fold libx.so");
	same((await boxes(page)).filter(b => b.includes("[libx.so]")).length, 3, "folded");
	await page.click(".chip");
	await choose("worker", "Only worker");
	same((await boxes(page))[0], "0 0+20 root", "threads of that name");
	await page.click(".chip");
	await page.evaluate(() => eprof.flames[0].choose(0));
	const box = await place(page, "fib");
	await page.evaluate(i => eprof.flames[0].choose(i), box.i);
	await key(page, "m");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Enter");
	same(await page.evaluate(() => [eprof.flames[0].mode, eprof.flames[0].of]), ["sandwich", "fib"]);
});

test("zoom, pan and minimap move the view", async browser => {
	const page = await open(browser, "modes.html");
	const view = () => page.evaluate(ms => {
		const {view: v} = eprof.flames[0].canvas;
		return [v.from / ms, v.to / ms].map(x => Math.round(x * 1000) / 1000);
	}, MS);
	same(await view(), [0, 100]);
	await key(page, "+");
	same(await view(), [20, 80], "closer");
	await key(page, "d");
	same(await view(), [32, 92], "right");
	await key(page, "a");
	await key(page, "a");
	same(await view(), [8, 68], "left");
	await key(page, "-");
	same(await view(), [0, 100], "out again, not beyond");
	const map = await page.locator(".minimap").boundingBox();
	const at = share => map.x + map.width * share;
	await page.mouse.move(at(0.2), map.y + 10);
	await page.mouse.down();
	await page.mouse.move(at(0.5), map.y + 10, {steps: 3});
	await page.mouse.up();
	const chosen = await view();
	same(chosen.map(Math.round), [20, 50], "chosen by dragging");
	await page.mouse.move(at(0.3), map.y + 10);
	await page.mouse.down();
	await page.mouse.move(at(0.4), map.y + 10, {steps: 3});
	await page.mouse.up();
	same((await view()).map(Math.round), [30, 60], "moved by dragging");
	const lens = await page.locator(".lens").boundingBox();
	same([(lens.x - map.x) / map.width, lens.width / map.width].map(v => Math.round(10 * v)), [3, 3], "lens");
	const box = await place(page, "worker");
	await page.evaluate(i => eprof.flames[0].zoom(i), box.i);
	same(await view(), [80, 100], "zoomed");
	await key(page, "0");
	same(await view(), [0, 100], "all");
});

test("all of it is in the address, and Back leads back", async browser => {
	const page = await open(browser, "modes.html");
	await set(page, {from: 1e9, to: 9e9});
	await set(page, {threads: [0, 1]});
	await set(page, {focus: "^work$", foldKernel: true, collapse: true, group: "thread",
		hidden: ["/lib/libx.so"]});
	await key(page, "1");
	await page.fill(".flame input[type=search]", "wor");
	await key(page, "+");
	const before = await boxes(page), address = await page.evaluate(() => location.hash);
	const other = await open(browser, "modes.html", {hash: address});
	same(await boxes(other), before, "boxes by the address");
	same(await other.evaluate(() => [eprof.flames[0].mode, eprof.flames[0].text]), ["time", "wor"]);
	same(await other.evaluate(() => location.hash), address, "the same address");
	const views = await Promise.all([page, other].map(p => p.evaluate(() => eprof.flames[0].canvas.view)));
	same(views[1], views[0], "view");
	await page.goBack();
	same(await page.evaluate(() => eprof.flames[0].mode), "flame", "Back: the flame graph");
	await page.goBack();
	same(await page.evaluate(() => [eprof.model.filter.focus, eprof.model.filter.threads]), ["", [0, 1]]);
	await page.goBack();
	same(await page.evaluate(() => [eprof.model.filter.threads, eprof.model.filter.from]), [null, 1e9]);
	await page.goBack();
	same((await boxes(page))[0], "0 0+100 root", "Back: everything");
	const wrong = await open(browser, "modes.html",
		{hash: "#t=9-x&th=77,a&pr=-1&cg=[1&hi={}&fm=7&g=x&x=y&o=z&w=5-1&n=-3"});
	same((await boxes(wrong))[0], "0 0+100 root", "a wrong address");
});

test("search counts of the selection, and again after a filter", async browser => {
	const page = await open(browser, "modes.html");
	await page.fill(".flame input[type=search]", "^work$");
	same(await page.textContent(".flame .matched"), "3 matches · 60.0 % of all (6 samples)");
	await set(page, {threads: [0]});
	same(await page.textContent(".flame .matched"),
		"1 match · 40.0 % of all (4 samples) · 66.7 % of the selection");
	await key(page, "n");
	same(await page.textContent(".detail h3"), "work", "next match");
	same((await page.textContent(".flame .matched")).slice(0, 5), "1 / 1");
	await key(page, "5");
	same((await page.textContent(".flame .matched")).slice(0, 39), "2 matches · 40.0 % of all (4 samples) ·");
});

test("Wilson's interval of a share", async browser => {
	const page = await open(browser, "modes.html");
	/* Of 10 samples 6: (0.6 + z²/20 ± z √(0.6·0.4/10 + z²/400)) / (1 + z²/10), z = 1.96: the textbook's
	 * 0.3127 to 0.8318. */
	await page.evaluate(() => eprof.flames[0].choose(eprof.flames[0].tree.children(0)[1]));
	same(await page.textContent(".detail h3"), "main");
	same(await page.locator(".detail dt:has-text('Share') + dd").textContent(), "31.3\u00a0% to 83.2\u00a0% by 10 samples");
	same(await page.evaluate(() => [wilson(0, 10), wilson(1, 10)].map(v => v.map(x => x.toFixed(4)))),
		[["0.0000", "0.2775"], ["0.7225", "1.0000"]], "at the ends");
});

test("metrics: each has its own samples, threads and range", async browser => {
	const page = await open(browser, "metrics.html");
	same(await page.evaluate(() => eprof.model.metrics.map(m => [m.name, m.total, m.samples])),
		[["cpu-clock", 100, 2], ["blocked", 400, 1]]);
	await page.evaluate(() => eprof.model.set({threads: [1]}));
	await page.click("[role=tab]:has-text('blocked')");
	await page.waitForFunction(() => eprof.flames[1].canvas.width > 100);
	same(await page.evaluate(() => eprof.flames.map(f => [f.summed.tree.total[0], f.stale])),
		[[0, false], [400, false]], "both follow");
	same(await page.evaluate(() => eprof.model.filter.metric), 1, "the one that shows");
});

test("zones: heaviest first, reversed, sandwich; no time order", async browser => {
	const page = await open(browser, "zones.html");
	const modes = page.locator(".flame >> nth=0 >> .choice button");
	same(await modes.allTextContents(), ["Flame graph", "Sandwich", "Reversed"]);
	await page.evaluate(() => eprof.flames[0].showSandwich("sqlite3VdbeExec"));
	same(await page.evaluate(() => eprof.flames[0].shownGraphs.map(g => g.tree.total[0])),
		[5092720000, 5092720000], "callers and callees have its time");
	same(await page.evaluate(() => location.hash), "#x=sandwich&f=sqlite3VdbeExec");
	await page.evaluate(() => eprof.flames[0].setMode("reversed"));
	same(await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		return tree.children(0).reduce((sum, c) => sum + tree.total[c], 0) === tree.total[0];
	}), true, "reversed adds up");
});

test("hostile names: in menu, chips, lists and groups they are text", async browser => {
	const page = await open(browser, "hostile.html");
	await page.evaluate(() => eprof.flames[0].choose(eprof.flames[0].tree.children(1)[0]));
	await page.click(".detail .act");
	await page.click(".menu [role=menuitem]:has-text('Focus')");
	for (const group of ["thread", "process", "none", "name"])
		await set(page, {group});
	await page.evaluate(() => eprof.flames[0].showSandwich("__proto__"));
	await page.evaluate(() => eprof.flames[0].setMode("time"));
	same(await page.locator("img").count(), 0, "images");
	same(await page.title(), "hostile.html", "title");
	same(page.complaints, [], "complaints");
});

test("deep stacks: every way to show them works", async browser => {
	const page = await open(browser, "deep.html");
	same(await page.evaluate(() => ["time", "reversed", "sandwich", "flame"].map(mode => {
		eprof.flames[0].setMode(mode);
		return eprof.flames[0].tree.rows;
	})), /* the leaf is level_44, of which the outermost is the 45th of 1,500 */
		[1502, 1502, 1456, 1502]);
	await set(page, {collapse: true});
	same(await page.evaluate(() => eprof.flames[0].tree.rows), 47, "level_0 to level_44");
});

main("html modes");
