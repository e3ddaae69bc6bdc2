// Opens SVG flame graphs that tests/cli/picture.test had written into a folder, in Chromium, and does
// with them what a reader does; and holds them against the page of the same profile.
//
//	node tests/web/picture.test.js FOLDER
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {folder, test, same, open, main} = require("./harness");

async function openPicture(browser, name) {
	const context = await browser.newContext({viewport: {width: 1280, height: 900}});
	const page = await context.newPage();
	context.opened = page;
	page.asked = [];
	page.complaints = [];
	page.on("request", r => page.asked.push(r.url()));
	page.on("console", m => m.type() === "error" && page.complaints.push(m.text()));
	page.on("pageerror", e => page.complaints.push(e.message));
	page.on("dialog", d => page.complaints.push("dialog " + d.message()) && d.dismiss());
	await page.goto(pathToFileURL(path.join(folder, name)).href);
	await page.waitForSelector("#search", {timeout: 120000});
	return page;
}

/* Every box that shows: its name, level, left edge and width in whole pixels. */
const boxes = page => page.evaluate(() => [...document.querySelectorAll("g.r")].flatMap((row, depth) =>
	[...row.querySelectorAll("path")].filter(p => p.style.display !== "none").map(p => {
		const b = p.getBBox(), name = p.querySelector("title").textContent.split("\n")[0];
		return {name, depth, x: Math.round(b.x),
			w: Math.round(b.width), faded: p.classList.contains("a"),
			found: p.classList.contains("f")};
	})));
const box = async (page, name) => (await boxes(page)).find(b => b.name === name);
const click = (page, name) => page.evaluate(wanted => {
	const path = [...document.querySelectorAll("#flame path")].find(p =>
		p.querySelector("title").textContent.split("\n")[0] === wanted);
	path.dispatchEvent(new MouseEvent("click", {bubbles: true}));
}, name);
const text = (page, id) => page.textContent("#" + id);

test("zooms, shows callers faded, and comes back", async browser => {
	const page = await openPicture(browser, "sample.svg");
	const before = await boxes(page);
	same((await box(page, "root")).w, 1168, "width of the root");
	await click(page, "sqlite3_step");
	const zoomed = await box(page, "sqlite3_step");
	same([zoomed.x, zoomed.w, zoomed.faded], [16, 1168, false], "what is zoomed");
	same([(await box(page, "main")).w, (await box(page, "main")).faded], [1168, true], "its caller");
	same(await box(page, "node"), undefined, "what is beside it");
	same(await page.isVisible("#reset"), true, "the way back");
	/* The deepest stack of the sample is within. */
	same((await boxes(page)).some(b => b.name === "copy_page_to_iter" && b.w > 100), true, "what is below");
	await page.click("#reset");
	same(await boxes(page), before, "boxes after the way back");
	same(await page.isVisible("#reset"), false, "the way back, when there");
	same(page.asked.length, 1, "requests");
});

/* As a browser fills it: a colour, or a pattern of stripes over one. */
test("boxes of waits are striped, those of code are not", async browser => {
	const page = await openPicture(browser, "waits.svg");
	const fill = name => page.evaluate(wanted => {
		const path = [...document.querySelectorAll("#flame path")].find(p =>
			p.querySelector("title").textContent.split("\n")[0] === wanted);
		const [, id] = /^url\("?#(\w+)"?\)$/.exec(getComputedStyle(path).fill) || [];
		return id ? document.getElementById(id).firstChild.getAttribute("fill") + " " +
			document.querySelectorAll(`#${id} use`).length : "plain";
	}, name);
	same([await fill("work"), (await fill("wait")).length, (await fill("wait")).slice(-2)], ["plain", 9, " 1"], "fills");
	same(await page.evaluate(() => document.querySelectorAll("pattern").length > 2), true, "in the legend, too");
});

test("searches, of all and of what is zoomed, each part once", async browser => {
	const page = await openPicture(browser, "sample.svg");
	await page.keyboard.press("/");
	await page.keyboard.type("^sqlite3");
	/* 720 samples are of the thread sqlite3, whatever else matches in it, and 5 of another. */
	same((await text(page, "matched")).split(",")[0], "Matched: 72.5 %");
	await page.keyboard.press("Enter");
	await page.keyboard.press("/");
	await page.keyboard.type("vdbeRecordCompareInt");
	same(await text(page, "matched"), "Matched: 45.0 %, 1 box");
	same((await boxes(page)).filter(b => b.found).map(b => b.name), ["vdbeRecordCompareInt"]);
	await page.keyboard.press("Enter");
	await click(page, "sqlite3BtreeMovetoUnpacked");
	/* 450 of its 650 samples. */
	same(await text(page, "matched"), "Matched: 69.2 % of the zoomed, 1 box");
	await page.keyboard.press("Control+f");
	await page.keyboard.type("((");
	same((await text(page, "matched")).startsWith("Matched: 0 %"), true, "no regular expression");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");
	same(await text(page, "matched"), "", "after Escape");
	same((await box(page, "root")).faded, false, "zoomed out by Escape");
});

test("tells of the box below the pointer", async browser => {
	const page = await openPicture(browser, "sample.svg");
	await page.hover("g.r path >> nth=0");
	same(await text(page, "detail"), "100 %, 10.0 s, 1,000 samples · root");
});

test("has the page's boxes at the page's places", async browser => {
	const page = await open(browser, "small.html");
	const wanted = await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		return [...Array(tree.n).keys()].map(i =>
			[tree.depth[i], tree.x[i], tree.total[i], tree.of(i).name].join(" ")).sort();
	});
	const picture = await openPicture(browser, "sample.svg");
	const got = await picture.evaluate(() => [...document.querySelectorAll("g.r")].flatMap((row, depth) =>
		[...row.querySelectorAll("path")].map(p => {
			const [x, w] = p.dataset.f.split(",").map(s => parseInt(s, 36));
			const name = p.querySelector("title").textContent.split("\n")[0];
			return [depth, x, w, name].join(" ");
		})));
	same(got.length, wanted.length, "boxes");
	same(got.sort(), wanted, "boxes");
});

test("names are text, whatever they are", async browser => {
	const page = await openPicture(browser, "hostile.svg");
	same(await page.evaluate(() => document.querySelectorAll("img, script").length), 1, "elements");
	same((await boxes(page)).some(b => b.name.includes("</script><script>document.title='owned'")), true);
	await click(page, "]]>--><!--");
	same((await box(page, "]]>--><!--")).w, 1168, "zoomed into one");
});

test("boxes too narrow to draw are one, and counted", async browser => {
	const page = await openPicture(browser, "wide.svg");
	const all = await boxes(page), merged = all.filter(b => b.name === "20,000 boxes");
	same(merged.length, 1, "such boxes");
	same(merged[0].w, 584, "its width");
	same(all.length, 5, "boxes in all");
	await click(page, "20,000 boxes");
	same((await box(page, "root")).w, 1168, "not to be zoomed into");
});

main("svg");
