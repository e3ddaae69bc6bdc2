// The page of a capture of allocations, heap.html of tests/kernel/heap/heap_page.test: samples are no
// events there, but sums that were looked at once a second.
//
//	node tests/web/heap.test.js FOLDER
"use strict";

const fs = require("fs");
const path = require("path");
const {folder, test, same, open, main} = require("./harness.js");

/* What is told of a box of function @name in graph @k; nothing where it has none. */
const told = (page, k, name) => page.evaluate(([which, wanted]) => {
	const flame = eprof.flames[which], {tree} = flame;
	const i = [...Array(tree.n).keys()].find(box => tree.of(box).name === wanted);
	return i ? flame.detail.lines(i, flame.shownGraphs[0]).map(line => line.join(" ")) : [];
}, [k, name]);

test("details of a frame say how much, and no number of samples", async browser => {
	const page = await open(browser, "heap.html");
	const metrics = await page.evaluate(() => eprof.flames.map(f => f.metric));
	for (let k = 0; k < metrics.length; k++) {
		const lines = await told(page, k, "hold");
		same(lines.filter(line => /sample/.test(line)), [], "lines with samples of " + metrics[k]);
	}
	const [total] = await told(page, metrics.indexOf("peak"), "hold");
	same(total.split(":")[0], "Total 97.7 KiB", "of peak");
});

test("there is no heat map of samples, and no column of their number", async browser => {
	const page = await open(browser, "heap.html");
	same(await page.evaluate(() => [...document.querySelectorAll(".timechart.heat")]
		.filter(e => e.offsetParent).length), 0, "heat maps");
	const heads = await page.evaluate(() => {
		document.querySelectorAll(".treegrid").forEach(e => { e.open = true; });
		return [...document.querySelectorAll(".treegrid thead tr")].map(e => e.textContent);
	});
	same(heads.filter(text => /Samples/.test(text)), [], "heads");
	if (process.env.WEB_PICTURE)
		fs.writeFileSync(path.join(folder, "heap.png"), await page.screenshot({fullPage: true}));
});

main("heap page");
