// Takes a picture of a page of eprof-render in headless Chromium.
//
//	node page.js PAGE PICTURE THEME WIDTH HEIGHT [PART]
//
// PART is what the picture begins with: the heading of a part of the page; default: its top.
"use strict";

const path = require("path");
const {pathToFileURL} = require("url");
const {chromium} = require("playwright-core");

const [file, picture, theme, width, height, part] = process.argv.slice(2);

async function take(browser) {
	const context = await browser.newContext({viewport: {width: Number(width), height: Number(height)},
		colorScheme: theme});
	const page = await context.newPage();
	await page.goto(pathToFileURL(path.resolve(file)).href);
	await page.waitForSelector("html[data-ready]", {timeout: 120000});
	if (part)
		await page.getByRole("heading", {name: part, exact: true}).first().evaluate(heading => {
			/* A heading that the tools of its part replace is itself a pixel somewhere. */
			const shows = heading.offsetHeight > 1, of = shows ? heading : heading.closest(".part");
			window.scrollTo(0, of.getBoundingClientRect().top - (shows ? 16 : 0));
		});
	await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
	await page.screenshot({path: picture});
}

(async () => {
	const browser = await chromium.launch({executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
			"--disable-background-networking", "--disable-component-update"]});
	try {
		await take(browser);
	} finally {
		await browser.close();
	}
})().catch(e => {
	console.error(`page.js: ${file}: ${e.message.split("\n")[0]}`);
	process.exit(1);
});
