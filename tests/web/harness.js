// What the browser tests share: a Chromium, pages opened in it with all that they complain about, and
// the list of tests, each of which prints "ok NAME" or "not ok NAME: WHY".
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require("playwright-core");

const tests = [];
const test = (name, run) => tests.push({name, run});
/* Where the pages are: the first argument. */
const folder = path.resolve(process.argv[2] || ".");

function same(got, want, what) {
	if (JSON.stringify(got) !== JSON.stringify(want))
		throw new Error(`${what || "value"} is ${JSON.stringify(got)}, not ${JSON.stringify(want)}`);
}

/* A page, and all that it asked the network for or complained about. */
async function open(browser, name, options = {}) {
	const context = await browser.newContext(
		{viewport: {width: 1280, height: 900}, ...options.context});
	const page = await context.newPage();
	context.opened = page;
	const url = pathToFileURL(path.join(folder, name)).href + (options.hash || "");
	page.asked = [];
	page.complaints = [];
	page.on("request", r => page.asked.push(r.url()));
	page.on("console", m => m.type() === "error" && page.complaints.push(m.text()));
	page.on("pageerror", e => page.complaints.push(e.message));
	page.on("dialog", d => page.complaints.push("dialog " + d.message()) && d.dismiss());
	await page.goto(url);
	await page.waitForSelector("html[data-ready]", {timeout: 120000});
	return page;
}

/* @of: what the names of all tests begin with. */
async function main(of) {
	const browser = await chromium.launch({
		executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
			"--disable-background-networking", "--disable-component-update"],
	});
	let failed = 0;
	for (const {name, run} of tests) {
		try {
			const began = Date.now();
			await run(browser);
			if (process.env.WEB_TIMES)
				console.error(`# ${Date.now() - began} ms ${name}`);
			for (const {opened} of browser.contexts())
				same(opened ? opened.complaints : [], [], "complaints of the page");
			console.log(`ok ${of}: ${name}`);
		} catch (e) {
			failed++;
			console.log(`not ok ${of}: ${name}: ${e.message.split("\n")[0]}`);
		}
		for (const context of browser.contexts())
			await context.close();
	}
	await browser.close();
	process.exit(failed ? 1 : 0);
}

module.exports = {folder, test, same, open, main};
