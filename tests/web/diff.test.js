// Opens the page of a comparison that tests/cli/diff.test had written into a folder, in Chromium, and
// does with its flame graph what a reader does.
//
//	node tests/web/diff.test.js FOLDER
"use strict";

const fs = require("fs");
const path = require("path");
const {folder, test, same, open, main} = require("./harness.js");

const EVIL = "</script><script>alert(1)</script>&\"'";
const GONE = "only_old(int, char const*)";

/* [depth, x, width] of all boxes, by node of the layout's order: parents first. */
const boxes = page => page.evaluate(() => {
	const {tree} = eprof.flames[0];
	return [...Array(tree.n).keys()].map(i => [tree.depth[i], tree.x[i], tree.total[i]]);
});
const sorted = list => list.slice().sort((a, b) => a[0] - b[0] || a[1] - b[1] || b[2] - a[2]);

/* The middle of a box in the window, and the colour that it is drawn in. */
const box = (page, name) => page.evaluate(wanted => {
	const {tree, canvas} = eprof.flames[0];
	const i = [...Array(tree.n).keys()].find(k => tree.of(k).name === wanted);
	const {left, width} = canvas.span(i), at = canvas.canvas.getBoundingClientRect();
	const ratio = devicePixelRatio, top = canvas.rowTop(tree.depth[i]);
	const [r, g, b] = canvas.context.getImageData((left + width - 3) * ratio, (top + 3) * ratio, 1, 1).data;
	return {i, x: at.left + left + width / 2, y: at.top + top + 8, width, colour: [r, g, b],
		label: tree.label(i)};
}, name);

const tip = page => page.textContent("#tip");
const drawn = page => page.evaluate(() => new Promise(done => requestAnimationFrame(() =>
	requestAnimationFrame(done))));

test("the same rectangles as paper, in every way", async browser => {
	const page = await open(browser, "diff.html");
	const expected = JSON.parse(fs.readFileSync(path.join(folder, "boxes.json"), "utf8"));
	for (const way of ["share", "cpu", "work"]) {
		await page.click(`[data-way="${way}"]`);
		same(sorted(await boxes(page)), sorted(expected[way]), way);
	}
});

test("names before and after", async browser => {
	const page = await open(browser, "diff.html");
	same(await page.textContent(".flame .caption"), "Before: 1.0 · After: 1.1 · cpu-clock per run of " +
		"the command · as wide as both together · one run a side: suspect", "caption");
	same(await page.textContent(".flame .per"),
		"Before (1.0): 1.00 s · After (1.1): 1.50 s · per run of the command", "both sides");
	const scan = await box(page, "scan");
	await page.mouse.move(scan.x, scan.y);
	const text = await tip(page);
	for (const part of ["Before: 1.0: 300 ms, self 300 ms; 300 samples", "Change: +200 %, 95 % interval +",
		"After: 1.1: 900 ms, self 900 ms; 900 samples", "Verdict: suspect: more, 99.9 % sure"])
		same(text.includes(part), true, `'${part}' in '${text}'`);
	const emit = await box(page, "emit");
	await page.mouse.move(emit.x, emit.y);
	same(/Verdict: not distinguishableTo decide: /.test(await tip(page)), true, "what would decide");
});

test("says what the file says on paper", async browser => {
	const page = await open(browser, "diff.html");
	const svg = fs.readFileSync(path.join(folder, "diff.svg"), "utf8");
	for (const name of ["scan", "parse", "emit", "main"]) {
		const {x, y} = await box(page, name);
		await page.mouse.move(x, y);
		const lines = await page.evaluate(() =>
			[...document.querySelectorAll("#tip div")].map(e => e.textContent));
		for (const line of lines.filter(text => !text.startsWith("From")))
			same(svg.includes(line.replace(/</g, "&lt;").replace(/>/g, "&gt;")), true, `'${line}' of ${name}`);
	}
});

test("colours, words and a legend of both", async browser => {
	const page = await open(browser, "diff.html");
	await drawn(page);
	const seen = {};
	for (const name of ["scan", "emit", GONE, EVIL])
		seen[name] = await box(page, name);
	same(seen.scan.colour, [230, 115, 35], "more");
	same(seen.emit.colour, [214, 214, 212], "not distinguishable");
	same(seen[GONE].colour, [176, 150, 232], "gone");
	same(seen[EVIL].colour, [246, 226, 70], "new");
	same([seen.scan.label, seen.emit.label, seen[GONE].label, seen[EVIL].label],
		["+200 % scan", "emit", "gone " + GONE, "new " + EVIL], "labels");
	same(await page.locator(".flame .legend li:not(.keys)").allTextContents(), ["gone", "less: 95 %",
		"99 %", "99.9 % sure", "more: 95 %", "99 %", "99.9 % sure", "new", "not distinguishable"], "legend");
});

test("a removed path shows, and a hostile name is text", async browser => {
	const page = await open(browser, "diff.html");
	const gone = await box(page, GONE);
	same(gone.width > 60, true, "wide enough to see");
	await page.mouse.click(gone.x, gone.y);
	same(await page.textContent(".flame .detail h3"), GONE, "zoomed");
	same((await page.textContent(".flame .detail")).includes("gone"), true, "verdict");
	await page.keyboard.press("Escape");
	const evil = await box(page, EVIL);
	await page.mouse.click(evil.x, evil.y);
	same(await page.textContent(".flame .detail h3"), EVIL, "text");
	same(page.asked.length, 1, "requests");
});

test("buttons choose how values are had, and links keep it", async browser => {
	const page = await open(browser, "diff.html");
	const pressed = () => page.locator("[data-way][aria-pressed=true]").textContent();
	same(await pressed(), "Per unit of work");
	await page.click("[data-way=share]");
	same(await pressed(), "Share");
	same(await page.textContent(".flame .per"),
		"Before (1.0): 100 % · After (1.1): 100 % · as shares of all samples", "both sides");
	same((await box(page, "scan")).label, "+200 % scan", "what changed is the same in all ways");
	same((await box(page, "emit")).label, "emit", "a smaller share of a longer run is no change");
	const {hash} = new URL(page.url());
	const linked = await open(browser, "diff.html", {hash});
	same(await linked.locator("[data-way][aria-pressed=true]").textContent(), "Share", "by a link");
	await page.goBack().catch(() => null);
});

test("search counts both sides", async browser => {
	const page = await open(browser, "diff.html");
	await page.keyboard.press("/");
	await page.keyboard.type("scan");
	same(await page.textContent(".flame .matched"), "1 match · Before 300 ms · After 900 ms");
	await page.keyboard.press("Enter");
	same(await page.textContent(".flame .detail h3"), "scan");
});

test("dark and narrow", async browser => {
	const page = await open(browser, "diff.html",
		{context: {colorScheme: "dark", viewport: {width: 420, height: 800}}});
	await drawn(page);
	same((await box(page, "scan")).colour, [230, 115, 35], "more");
	same(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true,
		"nothing beyond the window's edge");
});

main("diff");
