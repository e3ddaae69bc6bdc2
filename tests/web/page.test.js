// Opens pages that tests/cli/html.test had written into a folder, in Chromium, and does with them what
// a reader does. Prints "ok NAME" and "not ok NAME: WHY".
//
//	node tests/web/page.test.js FOLDER
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {folder, test, same, open, main} = require("./harness.js");

/* Where the box of that name and level lies in the window. */
async function place(page, name, depth) {
	return page.evaluate(([wanted, level]) => {
		const {tree, canvas} = eprof.flames[0];
		const all = [...Array(tree.n).keys()];
		const i = all.find(k => tree.of(k).name === wanted && tree.depth[k] === level);
		canvas.stage.scrollIntoView({block: "center"});
		const {left, width} = canvas.span(i), at = canvas.canvas.getBoundingClientRect();
		return {i, x: at.left + left + width / 2, y: at.top + canvas.rowTop(level) + 8};
	}, [name, depth]);
}

const status = page => page.textContent(".flame .matched");
const chosen = page => page.textContent(".flame .detail h3");
const zoomed = page => page.evaluate(() => {
	const {tree, canvas} = eprof.flames[0];
	return tree.of(canvas.base).name;
});

test("loads nothing and has no complaints", async browser => {
	const page = await open(browser, "small.html");
	same(page.asked.length, 1, "requests");
	same(page.complaints, [], "complaints");
	const sent = await page.evaluate(() => fetch("https://example.com/").then(() => "sent", () => "refused"));
	same(sent, "refused", "a request of its own");
	page.complaints.length = 0; /* of that one */
});

test("the boxes are the layout's integers", async browser => {
	const page = await open(browser, "small.html");
	const boxes = await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		return [0, ...tree.children(0)].map(
			i => [tree.of(i).name, tree.x[i], tree.total[i], tree.totalSamples[i]]);
	});
	same(boxes, [["root", 0, 10000000000, 1000], ["node", 0, 1500000000, 150],
		["sqlite3", 1500000000, 7200000000, 720], ["work;er<1>&?", 8700000000, 1300000000, 130]]);
});

test("colours on the canvas are the frames' own", async browser => {
	const page = await open(browser, "small.html");
	const [drawn, own] = await page.evaluate(() => {
		const {tree, canvas} = eprof.flames[0];
		canvas.draw();
		const i = tree.children(0)[1], {left, width} = canvas.span(i);
		const [r, g, b] = canvas.context.getImageData(left + width - 5, canvas.rowTop(1) + 9, 1, 1).data;
		return ["#" + [r, g, b].map(v => v.toString(16).padStart(2, "0")).join(""), tree.of(i).colour];
	});
	same(drawn, own, "colour");
});

test("search counts each sample once", async browser => {
	const page = await open(browser, "small.html");
	await page.fill(".flame input", "sqlite3Btree|pread");
	same(await status(page), "2 matches · 66.0 % of all (660 samples)", "status");
	await page.keyboard.press("Enter");
	same(await status(page), "1 / 2 · 66.0 % of all (660 samples)", "status");
	same(await chosen(page), "sqlite3BtreeMovetoUnpacked", "chosen");
	await page.click(".tools >> text=›");
	same((await status(page)).slice(0, 5), "2 / 2", "status");
	await page.fill(".flame input", "std::less<long long>&&)");
	same(await status(page),
		"1 match · 6.0 % of all (60 samples) · no regular expression: searched as text", "status");
});

test("recursion counts once", async browser => {
	const page = await open(browser, "small.html");
	await page.fill(".flame input", "^expr_walk$");
	same(await status(page), "2 matches · 1.5 % of all (15 samples)", "status");
});

test("click zooms, Escape and 0 reset, callers stay in reach", async browser => {
	const page = await open(browser, "small.html");
	const box = await place(page, "sqlite3VdbeExec", 5);
	await page.mouse.click(box.x, box.y);
	same(await zoomed(page), "sqlite3VdbeExec", "zoomed");
	same(await page.locator(".crumbs button").allTextContents(),
		["root", "sqlite3", "_start", "main", "sqlite3_step", "sqlite3VdbeExec"], "crumbs");
	await page.fill(".flame input", "pread64");
	same(await status(page), "2 matches · 11.0 % of all (110 samples) · 15.3 % of the zoomed");
	await page.click(".crumbs button >> nth=3");
	same(await zoomed(page), "main", "zoomed");
	await page.focus(".stage");
	await page.keyboard.press("Escape");
	same(await zoomed(page), "root", "zoomed");
	await page.goBack();
	same(await zoomed(page), "main", "zoomed after Back");
});

test("a click on a caller's row zooms to it", async browser => {
	const page = await open(browser, "small.html");
	const box = await place(page, "sqlite3VdbeExec", 5);
	await page.mouse.click(box.x, box.y);
	const caller = await place(page, "sqlite3_step", 4);
	await page.mouse.click(caller.x, caller.y);
	same(await zoomed(page), "sqlite3_step", "zoomed");
});

test("the tooltip tells name, values and shares", async browser => {
	const page = await open(browser, "small.html");
	const box = await place(page, "sqlite3VdbeExec", 5);
	await page.mouse.move(box.x, box.y);
	same(await page.locator("#tip > *").allTextContents(), [
		"Total: 7.20 s, 720 samples: 72.0 % of all", "sqlite3VdbeExec", "Self: 600 ms, 60 samples: 6.0 % of all",
		"Parent: 100 % of sqlite3_step", "Share: 69.1 % to 74.7 % by 1,000 samples",
		"From: user · /usr/lib/libsqlite3.so.0 · sqlite3.c:93120"]);
});

test("arrow keys walk and are told", async browser => {
	const page = await open(browser, "small.html");
	const told = async key => {
		await page.keyboard.press(key);
		return chosen(page);
	};
	await page.focus(".stage");
	same(await told("ArrowDown"), "sqlite3", "down");
	same(await told("ArrowLeft"), "node", "left");
	same(await told("ArrowRight"), "sqlite3", "right");
	same(await told("ArrowDown"), "_start", "down");
	same(await page.textContent(".flame .unseen"), "_start, total 72.0 %, self 0 %, level 2, 1 of 1, calls 1");
	same(await told("ArrowUp"), "sqlite3", "up");
	await page.keyboard.press("Enter");
	same(await zoomed(page), "sqlite3", "zoomed");
});

test("Ctrl-F and slash lead to the search", async browser => {
	const page = await open(browser, "small.html");
	for (const key of ["Control+f", "/"]) {
		await page.evaluate(() => document.activeElement.blur());
		await page.keyboard.press(key);
		same(await page.evaluate(() => document.activeElement === eprof.flames[0].input), true, key);
	}
});

test("the address holds the state", async browser => {
	const page = await open(browser, "small.html");
	const box = await place(page, "sqlite3", 1);
	await page.mouse.click(box.x, box.y);
	await page.fill(".flame input", "pread");
	await page.click("text=Root at bottom");
	const hash = await page.evaluate(() => location.hash);
	same(hash, `#n=${box.i}&s=pread&v=flame`, "hash");
	const other = await open(browser, "small.html", {hash});
	same(await zoomed(other), "sqlite3", "zoomed");
	same((await status(other)).slice(0, 9), "2 matches", "status");
	same(await other.evaluate(() => eprof.flames[0].canvas.icicle), false, "icicle");
	const wrong = await open(browser, "small.html", {hash: "#n=999999&s=(&v=x"});
	same(await zoomed(wrong), "root", "zoomed by a wrong address");
	same(wrong.complaints, [], "complaints");
});

test("the table sorts, filters and leads to the graph", async browser => {
	const page = await open(browser, "small.html");
	const first = async () => (await page.textContent("#report .capture > .table >> nth=0 >> tbody tr:first-child td.text")).trim();
	same(await first(), "vdbeRecordCompareInt", "first by self");
	await page.click("th button:has-text('Total')");
	same(["_start", "main"].includes(await first()), true, "first by total is _start or main");
	await page.click("th button:has-text('Function')");
	same(await first(), "__vdso_clock_gettime", "first by name");
	await page.fill("input[aria-label='Filter rows']", "^pread|ext4");
	same(await page.locator("#report .capture > .table >> nth=0 >> tbody tr").count(), 2, "rows");
	await page.click("button.name:has-text('pread64')");
	same(await status(page), "2 matches · 11.0 % of all (110 samples)", "status");
});

test("a path shows itself in the graph", async browser => {
	const page = await open(browser, "small.html");
	await page.click(".capture > .paths summary >> nth=0");
	await page.click(".capture > .paths button >> nth=0");
	same(await chosen(page), "vdbeRecordCompareInt", "chosen");
});

/* --- zones ---------------------------------------------------------------------------------- */

const zoneRows = page => page.locator(".many tbody tr");
const zoneNames = page => page.locator(".many tbody td.text.code:not(.extra)").allTextContents();
const filterZones = (page, text) => page.fill(".many [aria-label='Filter rows']", text);

test("zones: the page has no complaints", async browser => {
	for (const name of ["zones.html", "inside.html"]) {
		const page = await open(browser, name);
		same(page.asked.length, 1, "requests");
		same(page.complaints, [], "complaints");
	}
});

test("zones: the flame graph has exact times", async browser => {
	const page = await open(browser, "zones.html");
	const boxes = await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		const name = i => tree.of(i).name.split("<int")[0];
		return tree.children(0).map(i => [name(i), tree.x[i], tree.total[i], tree.totalSamples[i]]);
	});
	same(boxes, [["<wait>", 0, 1999999998, 12], ["dict", 1999999998, 999000000, 2003],
		["memcpy", 2998999998, 0, 21474836480], ["sqlite3_step", 2998999998, 5592620000, 100]]);
	const box = await place(page, "sqlite3VdbeExec", 2);
	await page.mouse.move(box.x, box.y);
	same(await page.locator("#tip > *").allTextContents(), [
		"Total: 5.09 s, 100 calls: 59.3 % of all", "sqlite3VdbeExec", "Self: 2.90 s: 33.7 % of all",
		"Parent: 91.1 % of sqlite3_step", "From: zone · /usr/lib/libsqlite3.so.0 · sqlite3.c:93120"]);
	await page.fill(".flame >> nth=0 >> input", "^expr|pread");
	same(await page.textContent(".flame >> nth=0 >> .matched"), "2 matches · 13.9 % of all (1.20 s)");
	same(await page.locator(".flame >> nth=0 >> .legend li:not(.keys)").allTextContents(),
		["zone", "no function"]);
});

test("long C++ names are short until they are wanted whole", async browser => {
	const page = await open(browser, "small.html");
	const string = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >";
	const cases = [
		[string + "::size", "std::string::size"],
		[`std::map<${string}, long>::find`, "std::map<…>::find"],
		["void f<g<int>, h<(a->b)> >(k<int>&, int)", "void f<…>(k<int>&, int)"],
		["std::operator< <char, int>(x const&)", "std::operator< <char, int>(x const&)"],
		["std::operator<<(std::ostream&)", "std::operator<<(std::ostream&)"],
		["a::operator<=>(b<c> const&)", "a::operator<=>(b<c> const&)"],
		["b<unsigned>::c<true>::d<long long>", "b<unsigned>::c<true>::d<…>"],
		["std::__cxx11::list<int>::push", "std::list<int>::push"],
		["x::operator->", "x::operator->"],
		["<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<alloc::vec::Vec<T> as core::ops::Drop>::drop"],
		["core::iter::fold::<u8>", "core::iter::fold::<u8>"],
		["core::iter::fold::<alloc::vec::Vec<T>>", "core::iter::fold::<…>"],
		["<wait>", "<wait>"], ["a < b", "a < b"], ["open<", "open<"], ["main", "main"],
	];
	for (const [whole, short] of cases)
		same(await page.evaluate(name => Names.fold(name), whole), short, whole);
	const box = await place(page, "say(\"hi; there\", std::less<long long>&&)", 5);
	const label = () => page.evaluate(i => eprof.flames[0].tree.label(i), box.i);
	same(await label(), "say(\"hi; there\", std::less<…>&&)", "in the graph");
	for (const text of ["less<long long>", "less<…>"]) {
		await page.fill(".flame input", text);
		same((await status(page)).slice(0, 15), "1 match · 6.0 %", text);
	}
	await page.evaluate(i => eprof.flames[0].choose(i), box.i);
	same(await page.textContent(".wholename"), "say(\"hi; there\", std::less<long long>&&)", "whole beside the graph");
	await page.click("#settings");
	await page.check(".settings input[type=checkbox]");
	same(await label(), "say(\"hi; there\", std::less<long long>&&)", "whole");
	same([await page.locator(".wholename").count(), await chosen(page)],
		[0, "say(\"hi; there\", std::less<long long>&&)"], "beside it");
	await page.reload();
	await page.waitForSelector("html[data-ready]");
	same(await label(), "say(\"hi; there\", std::less<long long>&&)", "kept");
	await page.evaluate(() => eprof.settings.setWhole(false));
	same(await label(), "say(\"hi; there\", std::less<…>&&)", "short again");
});

test("startup frames are hidden on demand, and nothing else", async browser => {
	const page = await open(browser, "small.html");
	const look = () => page.evaluate(() => {
		const {tree} = eprof.flames[0], names = tree.usedFrames().map(f => f.name);
		return [tree.total[0], tree.totalSamples[0], names.filter(isStartupName), names.length];
		function isStartupName(name) {
			return ["_start", "do_syscall_64", "entry_SYSCALL_64_after_hwframe"].includes(name);
		}
	});
	const before = await look();
	same(before.slice(0, 3), [10000000000, 1000, ["_start", "entry_SYSCALL_64_after_hwframe", "do_syscall_64"]], "before");
	await page.click("text=Hide startup frames");
	same(await look(), [10000000000, 1000, [], before[3] - 3], "hidden");
	same(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("su")), "1", "address");
	await page.focus(".stage");
	await page.keyboard.press("u");
	same(await look(), before, "back");
	same(await page.evaluate(() => ["__x64_sys_read", "__x64_sys", "main", "clone3"].map(name =>
		isStartup({name, kind: KIND.KERNEL}))), [true, false, false, true], "names");
});

test("source lines open in the editor that one names", async browser => {
	const page = await open(browser, "small.html");
	const box = await place(page, "sqlite3VdbeExec", 5);
	await page.evaluate(i => eprof.flames[0].choose(i), box.i);
	same(await page.locator("a.editor").count(), 0, "none until one is named");
	await page.click("#settings");
	await page.fill(".settings input[type=text]", "vscode://file/{path}:{line}");
	await page.keyboard.press("Enter");
	same(await page.getAttribute("a.editor", "href"), "vscode://file/sqlite3.c:93120", "link");
	same(await page.evaluate(() => ["javascript:alert({line})", " JavaScript:{path}", "data:{path}", "{path}"].map(t => {
		Editor.template = t;
		return Editor.link("a.c", 1);
	})), ["", "", "", ""], "links that are none");
	same(await page.evaluate(() => {
		Editor.template = "editor:{path}#{line}";
		return Editor.link("/a b/$&\"<x>.c", 0);
	}), "editor:/a%20b/$&%22%3Cx%3E.c#1", "hostile file");
});

test("lines of tables open in the editor, too", async browser => {
	const page = await open(browser, "source.html");
	same(await page.locator("a.sourceline").count(), 0, "none until one is named");
	await page.click("#settings");
	await page.fill(".settings input[type=text]", "vscode://file/{path}:{line}");
	await page.keyboard.press("Enter");
	const links = await page.evaluate(() => [...document.querySelectorAll("a.sourceline")].map(a =>
		[a.textContent, a.getAttribute("href"), a.closest("tr").children[0].textContent]));
	same(links.filter(l => l[0].includes("86") && l[2] === "30.0 %"),
		[["86617", "vscode://file/sqlite3.c:86617", "30.0 %"],
			["sqlite3.c:86617", "vscode://file/sqlite3.c:86617", "30.0 %"]], "source and lines");
	same(links.filter(l => /^866\d\d$/.test(l[0])).length, 8, "of all lines");
});

test("boxes of code without a name show their offset", async browser => {
	const page = await open(browser, "small.html");
	same(await page.evaluate(() => {
		const {tree, canvas} = eprof.flames[0], i = tree.n - 1;
		tree.frames[tree.frame[i]] = {...tree.of(i), name: "libverylongname.so.1+0xb83d0", kind: KIND.UNNAMED};
		canvas.draw();
		return [canvas.fitting(i, 60), canvas.fitting(i, 600)];
	}), ["+0xb83d0", "libverylongname.so.1+0xb83d0"], "narrow, wide");
});

test("the keys open at their top", async browser => {
	const page = await open(browser, "small.html", {context: {viewport: {width: 700, height: 400}}});
	for (let i = 0; i < 2; i++) {
		await page.click("#keys");
		same(await page.evaluate(() => {
			const {dialog} = eprof.help, {scrollTop} = dialog, heading = dialog.querySelector("h2");
			const shown = heading.getBoundingClientRect().top >= dialog.getBoundingClientRect().top;
			dialog.scrollTop = dialog.scrollHeight;
			return [scrollTop, shown];
		}), [0, true], "scrolled");
		await page.click("dialog.help button");
	}
});

test("waits: colours tell why", async browser => {
	const page = await open(browser, "waits.html");
	same(page.complaints, [], "complaints");
	same((await page.locator(".flame .legend li:not(.keys)").allTextContents()).sort(),
		["inlined", "runnable", "sleep", "thread", "user"]);
	/* By stripes, too: within one box there are pixels of two colours; in the legend as well. */
	const colours = await page.evaluate(() => {
		const {tree, canvas} = eprof.flames[0];
		canvas.draw();
		return [true, false].map(waits => {
			const i = [...Array(tree.n).keys()].find(k => Boolean(tree.of(k).reason) === waits &&
				canvas.span(k).width > 18), {left, width} = canvas.span(i);
			const at = canvas.canvas.width / canvas.width, y = (canvas.rowTop(tree.depth[i]) + 3) * at;
			const {data} = canvas.context.getImageData(Math.round((left + width - 14) * at), Math.round(y), 10, 1);
			return new Set(Array.from({length: 10}, (_, k) => data.slice(4 * k, 4 * k + 3).join())).size > 1;
		});
	});
	same(colours, [true, false], "stripes of waits, none of what ran");
	same((await page.locator(".legend li:has(.waiting)").allTextContents()).sort(), ["runnable", "sleep"], "legend");
	const said = await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		const at = (name, depth) => [...Array(tree.n).keys()].find(
			i => tree.depth[i] === depth && tree.of(i).name === name);
		return [at("b", 4), at("worker", 1), at("cc1", 1)].map(
			i => eprof.flames[0].lines(i).find(([label]) => label === "Mostly")[1]);
	});
	same(said, ["sleep", "runnable", "on a CPU"], "why");
	await page.fill(".flame input", "^a$");
	same((await status(page)).slice(0, 9), "3 matches", "one function of several colours");
});

test("zones: the table sorts by any column", async browser => {
	const page = await open(browser, "zones.html");
	same((await zoneNames(page))[0], "sqlite3_step", "first by total");
	await page.click(".many th button:has-text('Calls')");
	same((await zoneNames(page)).slice(0, 2), ["memcpy", "vdbeRecordCompareInt"], "by calls");
	await page.click(".many th button:has-text('Zone')");
	same((await zoneNames(page))[0], "<wait>", "by name");
	same(await page.locator(".many th.extra >> visible=true").count(), 0, "extra columns");
	await page.click("text=/\\d+ more columns/");
	await page.click(".many th button:has-text('Minor faults')");
	same((await zoneNames(page))[0].slice(0, 5), "dict<", "by faults");
	/* What nothing stands in is not there. */
	same(await page.locator(".many th:has-text('Major faults')").count(), 0, "empty columns");
	await page.click("text=Fewer columns");
	same(await page.locator(".many th.extra >> visible=true").count(), 0, "extra columns");
});

test("zones: the table filters by any column", async browser => {
	const page = await open(browser, "zones.html");
	const cases = [
		["mean>=4ms", 5], ["mean>4ms", 4], ["mean>4.0ms calls<50", 2], ["counts=1000000", 1],
		["calls!=100", 6], ["share>54.9%", 2], ["module=libc", 2], ["module!=sqlite", 4],
		["netmean<1.5us mean>0ns", 1], ["minorfaults>4000", 1], ["site=stepped", 1], ["exit=returns", 2],
		["sqlite3 total>5.5s", 1], ["walk", 1], ["notes=short", 1], ["dict<int, std", 1], ["mean>x", 0],
		["cycles>1000", 1], ["cycles=0", 7], ["Cycles>=3e9 calls>1", 1], ["nosuch>5", 0], ["", 8],
	];
	for (const [text, rows] of cases) {
		await filterZones(page, text);
		same(await zoneRows(page).count(), rows, text);
	}
	await filterZones(page, "p99>1ms");
	same(await page.textContent(".many .count"), "5 of 8", "count");
});

test("zones: conditions name events as the kernel does", async browser => {
	const page = await open(browser, "zones.html");
	const parsed = await page.evaluate(() => {
		const columns = ["L1-dcache-load-misses", "msr/tsc/", "cpu/event=0xc0,umask=1/"].map(
			key => ({kind: 1, key, title: key, text: ["5", "9"], value: [5, 9]}));
		return ["L1-dcache-load-misses>5", "msr/tsc/<=5", "cpu/event=0xc0,umask=1/!=5", "msr/tsc>5"]
			.map(text => parseFilter(text, columns).conditions.map(holds => [holds(0), holds(1)]));
	});
	same(parsed, [[[false, true]], [[true, false]], [[false, true]], []]);
});

test("zones: names lead to the graph that they belong to", async browser => {
	const page = await open(browser, "zones.html");
	await page.click(".many button.name:has-text('vdbeRecordCompareInt')");
	same(await page.textContent(".flame >> nth=0 >> .matched"), "1 match · 11.6 % of all (1.00 s)");
	same(await page.textContent(".flame >> nth=1 >> .matched"), "", "the samples' graph");
	await page.click(".capture > .table:not(.many) >> nth=0 >> button.name:has-text('vdbeRecordCompareInt')");
	same(await page.textContent(".flame >> nth=1 >> .matched"),
		"1 match · 45.0 % of all (450 samples)", "the samples' graph");
});

test("zones: from a zone that waited a click leads to its stacks", async browser => {
	const page = await open(browser, "waiting-zones.html");
	same(await page.locator("button.waits").allTextContents(), ["blocked"], "zones that waited");
	same((await shownPart(page))[1], "cpu-clock", "before");
	await page.click("tr:has(button.name:has-text('wait')) button.waits");
	same((await shownPart(page))[1], "blocked", "after");
	same(await page.textContent(".part:not([hidden]) .flame .matched"),
		"1 match · 100 % of all (1 sample)", "match");
	same(await page.textContent(".flame >> nth=0 >> .matched"), "", "the zones' graph");
	same(page.complaints, [], "complaints");
});

test("zones: one zone has its callers, lines and nothing of others", async browser => {
	const page = await open(browser, "inside.html");
	const headings = await page.locator("h2").allTextContents();
	same(headings.slice(headings.indexOf("Zone flame graph")).slice(0, 6), ["Zone flame graph", "Flame graph",
		"Samples over time", "Threads over time", "Zones", "Zone sqlite3VdbeExec"]);
	same(await zoneNames(page), ["sqlite3VdbeExec"], "zones");
	same(await page.evaluate(() => eprof.flames[1].tree.totalSamples[0]), 720, "samples");
});

test("zones: all columns show without the script", async browser => {
	const context = await browser.newContext({javaScriptEnabled: false});
	const page = await context.newPage();
	await page.goto(pathToFileURL(path.join(folder, "zones.html")).href);
	same(await page.locator(".many th:has-text('Minor faults')").isVisible(), true, "column");
});

/* What shows of the tabs' part: its flame graph's total, and the first thread. */
const shownPart = page => page.evaluate(() => {
	const part = [...document.querySelectorAll(".part")].filter(e => !e.hidden);
	const {tree, canvas} = eprof.firstShown();
	return [new Set(part.map(e => e.dataset.part)).size, part[0].dataset.part, tree.total[0], canvas.width > 100,
		part[part.length - 1].querySelector("[data-table]:last-of-type tbody tr td.text").textContent];
});

test("metrics: one shows at a time, by tabs", async browser => {
	const page = await open(browser, "metrics.html");
	same(await page.locator("[role=tab]").allTextContents(), ["cpu-clock", "blocked"], "tabs");
	same(await shownPart(page), [1, "cpu-clock", 100, true, "main"], "first");
	await page.click("[role=tab]:has-text('blocked')");
	await page.waitForFunction(() => eprof.firstShown().canvas.width > 100);
	same(await shownPart(page), [1, "blocked", 400, true, "sleeper"], "second");
	same(await page.evaluate(() => location.hash), "#m=blocked", "hash");
	await page.keyboard.press("ArrowRight");
	same((await shownPart(page))[1], "cpu-clock", "by key, round");
	same(await page.evaluate(() => document.activeElement.textContent), "cpu-clock", "focus");
	same(page.complaints, [], "complaints");
});

test("metrics: names lead to the graph of the same metric, and links to a metric", async browser => {
	const page = await open(browser, "metrics.html", {hash: "#m=blocked"});
	same((await shownPart(page))[1], "blocked", "from the address");
	await page.click(".part:not([hidden]) button.name:has-text('wait')");
	same((await page.textContent(".part:not([hidden]) .flame .matched")).slice(0, 7), "1 match", "match");
	await page.keyboard.press("/");
	same(await page.evaluate(() => document.activeElement === eprof.firstShown().input), true, "slash");
});

test("metrics: paper and readers without the script have all", async browser => {
	const page = await open(browser, "metrics.html");
	await page.emulateMedia({media: "print"});
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	same(await page.evaluate(() => [...document.querySelectorAll(".part")].map(e => e.hidden)),
		[false, false, false, false], "hidden"); /* a graph and tables of each */
	same(await page.evaluate(() => eprof.flames.every(f => f.canvas.width > 100)), true, "drawn");
	await page.evaluate(() => dispatchEvent(new Event("afterprint")));
	same((await shownPart(page)).slice(0, 2), [1, "cpu-clock"], "after it");
	const context = await browser.newContext({javaScriptEnabled: false});
	const plain = await context.newPage();
	await plain.goto(pathToFileURL(path.join(folder, "metrics.html")).href);
	same(await plain.locator("h2:has-text('Top functions: blocked')").isVisible(), true, "plain");
});

test("metrics: where one is named there are no tabs", async browser => {
	const page = await open(browser, "blocked.html");
	same(await page.locator("[role=tab]").count(), 0, "tabs");
	same(await page.evaluate(() => eprof.flames[0].tree.total[0]), 400, "total");
});

test("hostile names are text", async browser => {
	const page = await open(browser, "hostile.html");
	same(await page.title(), "hostile.html", "title");
	same(await page.locator("img").count(), 0, "images");
	same(page.complaints, [], "complaints");
	await page.fill(".flame input", "^__proto__$");
	same(await status(page), "1 match · 25.0 % of all (2 samples)", "status");
});

test("deep stacks draw what is visible", async browser => {
	const page = await open(browser, "deep.html");
	const seen = await page.evaluate(() => {
		const {tree, canvas, stage} = eprof.flames[0];
		stage.scrollTop = stage.scrollHeight;
		canvas.draw();
		return [tree.rows, canvas.canvas.height < 2000, canvas.at(100, canvas.height - 5)];
	});
	same(seen, [1502, true, 1501]);
});

test("dark as the system says, and by the button", async browser => {
	const page = await open(browser, "small.html", {context: {colorScheme: "dark"}});
	const dark = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	same(await dark(), "rgb(21, 24, 29)", "dark page");
	await page.click("#theme");
	same(await dark(), "rgb(251, 251, 250)", "light page");
});

test("print has every row of the graph", async browser => {
	const page = await open(browser, "small.html");
	const heights = await page.evaluate(() => {
		const {canvas} = eprof.flames[0];
		const height = () => Math.round(canvas.canvas.height / devicePixelRatio);
		dispatchEvent(new Event("beforeprint"));
		const whole = height();
		const drawn = canvas.context.getImageData(Math.round(0.154 * canvas.width), whole - 10, 1, 1).data[3];
		dispatchEvent(new Event("afterprint"));
		return [whole, drawn > 0, height() < whole];
	});
	same(heights, [19 * 62, true, true]);
});

test("reads without its script", async browser => {
	const context = await browser.newContext({javaScriptEnabled: false});
	const page = await context.newPage();
	await page.goto(pathToFileURL(path.join(folder, "small.html")).href);
	same(await page.locator("tbody tr").first().isVisible(), true, "table");
	same(await page.locator("text=need JavaScript").isVisible(), true, "word about it");
});

test("canvas has the screen's own pixels", async browser => {
	const page = await open(browser, "small.html", {context: {deviceScaleFactor: 2}});
	same(await page.evaluate(() => {
		const {canvas, width} = eprof.flames[0].canvas;
		return canvas.width === 2 * width;
	}), true, "twice as wide");
});

test("boxes too narrow to draw are drawn as one, which says how many", async browser => {
	const page = await open(browser, "wide.html");
	const drawn = await page.evaluate(() => {
		const {canvas} = eprof.flames[0], said = [], {drawText} = canvas, {tree} = canvas;
		canvas.drawText = (name, ...rest) => said.push(name) && drawText.call(canvas, name, ...rest);
		canvas.draw();
		const first = [...Array(tree.n).keys()].find(i => tree.depth[i] === 4);
		const {left} = canvas.span(first), at = canvas.canvas.width / canvas.width;
		return [said.filter(t => t.includes("narrow")), [...canvas.context.getImageData(
			(left + 400) * at, (canvas.rowTop(4) + 2) * at, 1, 1).data]];
	});
	same(drawn, [["20,000 functions, each too narrow to be drawn"], [206, 208, 212, 255]], "drawn");
	await page.fill("input[type=search]", "callee_00007");
	await page.waitForTimeout(300);
	same(await page.evaluate(() => {
		const {canvas} = eprof.flames[0];
		return canvas.matches[canvas.tree.frame[[...Array(canvas.tree.n).keys()]
			.find(i => canvas.tree.of(i).name === "callee_00007")]];
	}) > 0, true, "one of them is found");
});

main("html");
