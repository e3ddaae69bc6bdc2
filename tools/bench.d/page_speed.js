// Opens a page in headless Chromium and prints how soon it shows and answers, as JSON in ms.
//
//	node page_speed.js PAGE
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require("playwright-core");

/* Runs @act in the page; the time until the frame after it is there. */
const timed = (page, act) => page.evaluate(async source => {
	const act = eval(source), began = performance.now();
	act();
	await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	return performance.now() - began;
}, "(" + act + ")");

async function visit(browser, file) {
	const page = await (await browser.newContext({viewport: {width: 1400, height: 900},
		bypassCSP: true})).newPage();
	const began = Date.now();
	await page.goto(pathToFileURL(path.resolve(file)).href);
	await page.waitForSelector("html[data-ready]", {timeout: 120000});
	await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
	const out = {"first paint": Date.now() - began};
	out.search = await timed(page, () => eprof.flames[0].search("1"));
	out.zoom = await timed(page, () => eprof.flames[0].zoom(eprof.flames[0].tree.children(0)[0]));
	return out;
}

(async () => {
	const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox"]});
	try {
		console.log(JSON.stringify(await visit(browser, process.argv[2])));
	} finally {
		await browser.close();
	}
})().catch(e => {
	console.error(e.message);
	process.exit(1);
});
