// Every kind of page through the accessibility checker axe-core, light and dark, wide and narrow: no
// violation, contrast of colours included.
//
//	node tests/web/access.test.js FOLDER [PAGE…]
"use strict";

const fs = require("fs");
const {folder, test, same, open, main} = require("./harness.js");

const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const pages = process.argv.length > 3 ? process.argv.slice(3) :
	fs.readdirSync(folder).filter(name => name.endsWith(".html"));

/* What the checker finds: "rule: first element, and how many". */
const violations = (page, rules) => page.evaluate(async only => {
	const found = await axe.run(document, {resultTypes: ["violations"], preload: false,
		...(only ? {runOnly: {type: "rule", values: only}} : {})});
	return found.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 150)} (${v.nodes.length}) ` +
		v.nodes[0].any.concat(v.nodes[0].all).map(c => c.message).join("; ").slice(0, 300));
}, rules);

/* What is closed when a page is opened. */
const openAll = page => page.evaluate(() => {
	document.querySelectorAll("details").forEach(e => { e.open = true; });
	return new Promise(done => requestAnimationFrame(() => setTimeout(done)));
});

for (const name of pages)
	test(name, async browser => {
		const page = await open(browser, name);
		await openAll(page);
		await page.evaluate(axe);
		same(await violations(page), [], "light and wide");
		await page.emulateMedia({colorScheme: "dark"});
		same(await violations(page, ["color-contrast"]), [], "dark");
		await page.setViewportSize({width: 400, height: 800});
		same(await violations(page), [], "dark and narrow");
	});

test("the list of keys", async browser => {
	const page = await open(browser, pages[0]);
	await page.click("#keys");
	await page.evaluate(axe);
	same(await violations(page), [], "dialog");
});

test("the checker finds what is wrong", async browser => {
	const page = await open(browser, pages[0]);
	await page.evaluate(axe);
	await page.evaluate(() => {
		const p = document.createElement("p");
		p.style.color = "#aaa";
		p.textContent = "too faint to read";
		document.querySelector("main").prepend(p);
	});
	same((await violations(page)).map(v => v.split(":")[0]), ["color-contrast"], "found");
});

main("access");
