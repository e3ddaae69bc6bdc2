// What stands around the flame graph of pages that tests/cli/around.test had written into a folder:
// overview, heatmap, tables, keys, captures in one page, a page in a folder. Prints "ok NAME" and
// "not ok NAME: WHY". *.csv there are the same tables as the program itself wrote them.
//
//	node tests/web/around.test.js FOLDER
"use strict";

const fs = require("fs");
const path = require("path");
const {folder, test, same, open, main} = require("./harness.js");

const texts = (page, selector) => page.locator(selector).allTextContents();
const focused = page => page.evaluate(() => document.activeElement.textContent);
const press = async (page, ...keys) => {
	for (const key of keys)
		await page.keyboard.press(key);
};

/* --- overview ------------------------------------------------------------------------------- */

test("the overview tells what, how sure, where and when", async browser => {
	const page = await open(browser, "zones.html");
	same(await texts(page, ".cards dt"), ["Captured", "Samples", "On CPU", "Zones"]);
	same(await texts(page, ".cards b"), ["10.0 s", "1,000", "1.00 CPUs", "8"]);
	same((await texts(page, ".cards span"))[1], "19 of 1,019 lost (1.9 %): 12 ring full; 7 stack unreadable");
	same((await texts(page, ".costliest >> nth=0 >> li")).slice(0, 2),
		["33.7 %sqlite3VdbeExec", "23.3 %<wait>"], "zones");
	same((await texts(page, ".costliest >> nth=1 >> li")).slice(0, 2),
		["30.0 %vdbeRecordCompareInt", "15.0 %memcmp_inline"], "functions");
	same(await page.locator("table:has-text('Peak') .spark path").count(), 1, "curves");
	same(await texts(page, ".folded summary"), ["All about this capture, 4 warnings"]);
	same(await page.locator(".folded dl").isVisible(), false, "details before they are opened");
	const top = await page.evaluate(() => document.querySelector(".front").getBoundingClientRect().top);
	same(top < 180, true, "the overview is first, below the sentence");
});

/* The page's first view, 1440 by 900, has the flame graph of the first part, with the five
 * functions beside it; in a narrow window they are below it. */
test("the first view has sentence, figures, flame graph and the five costliest functions", async browser => {
	for (const name of ["sample.html", "metrics.html", "zones.html"]) {
		const page = await open(browser, name, {context: {viewport: {width: 1440, height: 900}}});
		const boxes = () => page.evaluate(() => [".cards", ".stage", ".costliest"].map(selector => {
			const {left, right, top, bottom} = document.querySelector(selector).getBoundingClientRect();
			return {left, right, top, bottom};
		}));
		const [cards, stage, list] = await boxes();
		same([cards.bottom < stage.top, stage.bottom <= 900, list.left >= stage.right, list.bottom <= 900,
			list.right <= 1440], [true, true, true, true, true], name);
		await page.setViewportSize({width: 700, height: 900});
		const [, narrow, below] = await boxes();
		same([below.top >= narrow.bottom, narrow.top < 900, below.right <= 700], [true, true, true], "narrow");
	}
});

test("the five costliest functions are those of the selection, and searched by a click", async browser => {
	const page = await open(browser, "sample.html");
	same((await texts(page, ".costliest li")).length, 5, "rows");
	await page.evaluate(() => eprof.model.set({focus: "pread"}));
	const want = await page.evaluate(() => functionRows(eprof.flames[0].summed.tree, "functions")
		.filter(row => row.self).map(row => row.function));
	same(await texts(page, ".costliest .middle"), want.slice(0, 5), "of the selection");
	await page.click(".costliest li:first-child button");
	same((await page.textContent(".flame .matched")).slice(0, 16), "1 match · 8.0 % ", "searched");
});

/* Of the sample, which has a name of 30 letters with an offset, and of more than 300. */
test("long names of the list are one line, cut in the middle, whole in the title", async browser => {
	const page = await open(browser, "sample.html", {context: {viewport: {width: 1280, height: 900}}});
	const of = focus => page.evaluate(text => {
		eprof.model.set({focus: text});
		const button = document.querySelector(".costliest li:first-child button");
		const [head, tail] = button.querySelector(".middle").children, box = button.getBoundingClientRect();
		return [button.title.split("\n")[0], head.textContent, tail.textContent, head.scrollWidth > head.clientWidth,
			tail.getBoundingClientRect().right <= box.right, box.height < 34];
	}, focus);
	same(await of("libcrypto"), ["libcrypto.so.3+0x1f30", "libcrypto.so.3", "+0x1f30", false, true, true], "short");
	const long = await of("__variant");
	same([long[0].length > 300, long[2].length, ...long.slice(3)], [true, 10, true, true, true], "long");
});

test("zones have a curve of their times", async browser => {
	const page = await open(browser, "zones.html");
	same(await page.locator(".many tbody td.spark").count(), 8, "cells");
	/* 100 calls of sqlite3_step: half of them short, half long, none between. */
	same(await page.getAttribute(".many tbody tr:first-child td.spark path", "d"),
		"M0 8V0H1V8H2V8H3V8H4V8H5V8H6V8H7V8H8V8H9V8H10V8H11V0H12V8z", "curve");
});

/* --- heatmap -------------------------------------------------------------------------------- */

test("cells suit the capture", async browser => {
	const page = await open(browser, "sample.html");
	const cases = [
		/* span, step, samples → column, cell */
		[[60e9, 1e6, 6000], [1e9, 20e6]], /* a minute: seconds by 20 ms */
		[[60e9, 1e6, 600], [1e9, 200e6]], /* few samples: longer cells */
		[[10e9, 1e6, 100000], [200e6, 5e6]],
		[[100e6, 1e3, 1000], [2e6, 200e3]], /* 0.1 s */
		[[3600e9, 1e9, 1e6], [60e9, 2e9]], /* an hour: minutes */
		[[5, 1, 3], [1, 1]],
		[[0, 1, 0], [1, 1]],
	];
	for (const [given, [column, cell]] of cases) {
		const grid = await page.evaluate(args => heatGrid(...args), given);
		same([grid.column, grid.cell], [column, cell], given.join());
		same(grid.column % grid.cell, 0, "whole cells");
	}
});

/* The sample's 1,000 samples come every 10 ms, one a cell of 20 ms at most. */
test("a range by keys refilters tables and graph; Escape takes it back", async browser => {
	const page = await open(browser, "sample.html");
	const grid = await page.evaluate(() => eprof.heat.grid);
	same([grid.column, grid.cell, grid.rows], [200e6, 20e6, 10], "grid");
	same(await page.evaluate(() => eprof.heat.counts.reduce((a, v) => a + v)), 1000, "all samples");
	await page.focus(".heat-stage");
	await press(page, ...Array(10).fill("ArrowRight"), ...Array(9).fill("Shift+ArrowRight"),
		...Array(9).fill("Shift+ArrowDown"));
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.to]), [2e9, 4e9], "range");
	same(await page.textContent(".heat .matched"), "2.00 s to 4.00 s: 200 of 1,000 samples");
	same(await page.evaluate(() => eprof.flames[0].tree.totalSamples[0]), 200, "samples in the graph");
	same(await page.textContent(".capture > .table >> nth=0 >> caption"),
		"100 % = 2.00 s in the selected range, 200 of 1,000 samples of cpu-clock", "caption");
	same(await page.textContent(".flame .caption"),
		"100 % = 2.00 s in the selected range, 200 of 1,000 samples of cpu-clock", "caption of the graph");
	same((await texts(page, ".cards > div")).map(t => t.replace(/\n/g, "")),
		["Captured2.00 sselected, of 10.0 s", "Samples200of 1,000 samples selected",
			"On CPU1.00 CPUsbusy on average, 2.00 s selected"], "cards");
	same(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("t")),
		"2000000000-4000000000", "address");
	await press(page, "Escape");
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.to]), [null, null], "range");
	same(await page.textContent(".capture > .table >> nth=0 >> caption"),
		"100 % = 10.0 s of time on CPU, 1,000 samples of cpu-clock", "caption");
	same(await page.textContent(".flame .caption"),
		"100 % = 10.0 s of time on CPU, 1,000 samples of cpu-clock", "caption of the graph");
	same(await texts(page, ".cards b"), ["10.0 s", "1,000", "1.00 CPUs"], "cards of the whole");
	await page.evaluate(() => eprof.model.set({threads: [0]}));
	same((await texts(page, ".cards span"))[0].slice(0, 20), "of the whole capture", "what is not of threads");
});

test("a range by pointer, told before and after", async browser => {
	const page = await open(browser, "sample.html");
	await page.locator(".heat-stage").scrollIntoViewIfNeeded();
	const at = await page.evaluate(() => {
		const {heat} = eprof, box = heat.canvas.getBoundingClientRect();
		const middle = cell => {
			const [x, y, w, h] = heat.rect(cell);
			return {x: box.left + x + w / 2, y: box.top + y + h / 2};
		};
		return [middle(35), middle(4)]; /* backwards in time */
	});
	await page.mouse.move(at[0].x, at[0].y);
	same(await texts(page, "#tip > *"), ["700 ms to 720 ms", "Samples: 2"]);
	await page.mouse.down();
	await page.mouse.move(at[1].x, at[1].y);
	await page.mouse.up();
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.to]), [80e6, 720e6], "range");
	await page.click(".heat button:has-text('Whole capture')");
	same(await page.evaluate(() => eprof.model.isFiltered), false, "filtered");
});

/* --- threads over time ------------------------------------------------------------------------ */

/* ms in each state of a thread, by tenth of the second; see lanes_profile.h. */
const tenths = (page, tid) => page.evaluate(wanted => {
	const {states} = eprof.lanes, thread = eprof.model.threads.findIndex(t => t.tid === wanted);
	const {of, width, states: seen} = states.columns([thread], 100e6, 10), cells = of.get(thread);
	return Object.fromEntries(seen.map(s => [states.label(s),
		[...Array(10).keys()].map(i => Math.round(cells[i * width + s] / 1e6))]));
}, tid);

test("lanes have what each thread did: running, ready or waiting and for what", async browser => {
	const page = await open(browser, "lanes.html");
	same(await tenths(page, 10), {running: [100, 0, 0, 0, 0, 0, 0, 0, 0, 0],
		"ready, no CPU": [0, 0, 0, 0, 100, 0, 0, 0, 0, 0], pipe: [0, 100, 100, 100, 0, 0, 0, 0, 0, 0]}, "main");
	same(await tenths(page, 11), {sleep: Array(10).fill(100)}, "sleeper");
	same(await tenths(page, 20), {"ready, no CPU": [0, 0, 0, 0, 0, 50, 0, 0, 0, 0]}, "cc1");
	same(await page.evaluate(() => eprof.lanes.shown.slice(0, 4).map(t => eprof.lanes.title(t))),
		["main 10 of prog 10", "cc1 20 of make 20", "sleeper 11 of prog 10", "idle 100 of make 20"], "order");
	same(await texts(page, ".lanes .legend li"), ["running", "ready, no CPU", "pipe", "sleep"], "legend");
});

/* --- calls over time --------------------------------------------------------------------------- */

/* Of script_profile() in script_profile.h: as tests/unit/core/test_frames_shown.c has it. */
test("frames of scripts, or all others, are chosen", async browser => {
	const page = await open(browser, "script.html");
	const stacks = () => page.evaluate(() => {
		const {tree} = eprof.flames[0], paths = [];
		for (let i = 1; i < tree.n; i++) {
			paths[i] = (tree.parent[i] ? paths[tree.parent[i]] + ";" : "") + tree.of(i).name;
			if (tree.self[i])
				paths[i] += " " + tree.self[i];
		}
		return paths.filter(path => / \d+$/.test(path)).map(path => path.replace(/ \d+;/g, ";")).sort();
	});
	const choice = page.getByLabel("Which frames show");
	await choice.selectOption("script");
	same(await stacks(), ["python3;[native] 7", "python3;run 3", "python3;run;dumps 5", "python3;run;save 30"], "script");
	await choice.selectOption("native");
	same(await stacks(), ["python3;[script] 3", "python3;main 25", "python3;main;collect 7",
		"python3;main;write;vfs_write_k 10"], "native");
	same(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("fr")), "native", "address");
	await choice.selectOption("all");
	same((await stacks()).length, 5, "all");
	same((await texts(page, ".flame .legend li")).includes("Python"), true, "in the legend");
	const plain = await open(browser, "sample.html");
	same(await plain.getByLabel("Which frames show").isVisible(), false, "of a program without scripts");
});

/* Of timeline_known() in timeline_profile.h. */
test("calls of a timeline are boxes in lanes, with marks", async browser => {
	const page = await open(browser, "timeline.html");
	same(await page.evaluate(() => {
		const {lanes, boxes, functions} = eprof.callCharts[0].chart;
		return lanes.map(lane => lane.name).concat([...boxes.of].map((of, i) => functions[of - 1].name + " " +
			boxes.row[i] + " " + boxes.start[i] + " " + boxes.length[i]));
	}), ["main 10", "worker 11", "outer 0 100 800", "parse 1 150 200", "read 1 450 160", "parse 1 620 200",
		"job 0 200 200"], "boxes");
	same(await page.evaluate(() => {
		const {marks, kinds} = eprof.callCharts[0].chart;
		return [...marks.kind].map((kind, i) => kinds[kind].name + " " + marks.start[i] + " " + marks.text(i));
	}), ["off the CPU 460 futex", "exception thrown 360 ", "exception caught 410 ", "trigger 950 job>1us"],
	"marks");
	same(await page.evaluate(() => eprof.callCharts[0].lines(4)), [["", "job"], ["Start", "200 ns"],
		["Thread", "worker 11"], ["", "left by an exception"]], "what the tooltip says");
});

test("lanes of calls are zoomed by pointer and keys", async browser => {
	const page = await open(browser, "timeline.html"), stage = page.locator(".calls-stage");
	const view = () => page.evaluate(() => {
		const {from, to} = eprof.callCharts[0].canvas.view;
		return [Math.round(from), Math.round(to)];
	});
	same(await view(), [0, 1000], "all");
	await stage.focus();
	await press(page, "ArrowDown", "ArrowDown", "ArrowLeft", "Enter");
	same(await view(), [140, 360], "a call by keys");
	same(await page.locator("[data-chart] .unseen").textContent(),
		"200 ns, parse, Start 150 ns, Thread main 10", "spoken");
	await press(page, "Escape");
	same(await view(), [0, 1000], "all again");
	const {left, scale} = await page.evaluate(() => {
		const {left, scale} = eprof.callCharts[0].canvas;
		return {left, scale};
	});
	const {x, y} = await stage.boundingBox();
	await page.mouse.move(x + left + 200 * scale, y + 20);
	await page.mouse.down();
	await page.mouse.move(x + left + 600 * scale, y + 30);
	await page.mouse.up();
	const [from, to] = await view();
	same([Math.abs(from - 200) < 3, Math.abs(to - 600) < 3], [true, true], "a range by dragging");
});

/* Of timeline_of_work() in timeline_profile.h. */
test("the profiler's own work is a strip below the calls, at every zoom", async browser => {
	const page = await open(browser, "work.html"), stage = page.locator(".calls-stage");
	same(await page.evaluate(() => {
		const {own, lanes} = eprof.callCharts[0].chart;
		return lanes.map((lane, k) => lane.name + ": " + (own.lanes[k] ? [...own.start].slice(own.lanes[k].first,
			own.lanes[k].end).join(" ") : "none"));
	}), ["main 10: 1000 2000 5000 6500 9000", "coroutine 4, first in main 10: none", "worker 11: 3000 4500"], "spans");
	same((await texts(page, "[data-chart] .legend li")).pop(), "eprof's own work, 0 to 100 % of the thread's time", "legend");
	same(await page.evaluate(() => eprof.callCharts[0].lines(0).pop()), ["eprof's own work", "31.4 %"],
		"of a call from 1000 to 9000: 1005 and 1505 of 8000, and none of what its end took");
	const {x, y} = await stage.boundingBox();
	const tip = async ns => {
		const {left, top} = await page.evaluate(at => {
			const {canvas, chart} = eprof.callCharts[0];
			return {left: canvas.x(at), top: chart.lanes[0].ownTop};
		}, ns);
		await page.mouse.move(x + left + 0.1, y + top + 4);
		return (await page.locator("#tip").textContent()).split("of the")[0];
	};
	same(await tip(1500), "eprof's own work: 100 %", "in it");
	same(await tip(3000), "eprof's own work: 0 %", "beside it");
	/* Columns that are filled by halves: 2000 to 2010. */
	await page.evaluate(() => eprof.callCharts[0].setView(1990, 2030));
	same(await tip(2005), "eprof's own work: 50.0 %", "zoomed");
	same(await page.evaluate(() => {
		const {canvas, chart: {own}} = eprof.callCharts[0], {left, scale, width, view} = canvas;
		return own.runs(own.lanes[0], width - left, at => view.from + at / scale, 8)
			.map(([from, to, share]) => [Math.round(from / scale), Math.round(to / scale), Math.round(100 * share)]);
	}), [[0, 10, 100], [10, 20, 50]], "as drawn");
});

/* A page of one sum has the same states, but no part of a wait that was ready. */
test("lanes of wall time alone tell states by their reasons", async browser => {
	const page = await open(browser, "wall.html");
	same(await tenths(page, 10), {running: [100, 0, 0, 0, 0, 0, 0, 0, 0, 0],
		pipe: [0, 100, 100, 100, 100, 0, 0, 0, 0, 0]}, "main");
	same(await tenths(page, 20), {"ready, no CPU": [0, 0, 0, 0, 0, 50, 0, 0, 0, 0]}, "cc1");
});

/* The colour in the middle of a lane at a time, as drawn but for stripes; @high: from below, of 1. */
const colourAt = (page, lane, ms, high) => page.evaluate(([k, at, share]) => {
	const {lanes} = eprof, {context: c} = lanes;
	lanes.stripes = "transparent";
	lanes.paint();
	lanes.stripes = null;
	const x = lanes.left + at * 1e6 / lanes.cellNs * lanes.columnWidth, y = k * 18 + 15 * (1 - share);
	const [r, g, b] = c.getImageData(Math.round(x), Math.floor(y), 1, 1).data;
	return "#" + [r, g, b].map(v => v.toString(16).padStart(2, "0")).join("");
}, [lane, ms, high]);

test("lanes have the colours of the flame graph's waits", async browser => {
	const page = await open(browser, "lanes.html");
	const of = label => page.evaluate(text => {
		const {states} = eprof.lanes.sums;
		return eprof.lanes.states.colour(states.find(s => eprof.lanes.states.label(s) === text));
	}, label);
	same(await colourAt(page, 0, 50, 0.5), await of("running"), "running");
	same(await colourAt(page, 0, 250, 0.5), await of("pipe"), "pipe");
	same(await colourAt(page, 0, 450, 0.5), await of("ready, no CPU"), "ready");
	same(await of("pipe"), await page.evaluate(() =>
		eprof.model.palette.find(p => p.label === "pipe").shades[8]), "a shade of the flame graph's");
	same(await page.locator(".lanes .swatch.waiting").count(), 3, "striped");
});

test("of many threads the busiest have lanes, more on demand", async browser => {
	const page = await open(browser, "lanes.html");
	same(await page.evaluate(() => eprof.lanes.shown.length), 30, "lanes");
	same(await page.textContent(".lanes > button"), "10 more threads", "more");
	/* One that is not among them shows when it is chosen. */
	await page.evaluate(() => eprof.model.set({threads: [39]}));
	same(await page.evaluate(() => [eprof.lanes.shown.length, eprof.lanes.shown[30]]), [31, 39], "chosen");
	await page.evaluate(() => eprof.model.set({threads: null}));
	await page.click(".lanes > button");
	same(await page.evaluate(() => eprof.lanes.shown.length), 40, "all lanes");
	same(await page.isVisible(".lanes > button"), false, "none left");
});

/* Where a time of a lane lies in the window. */
const laneAt = (page, lane, ms) => page.evaluate(([k, at]) => {
	const {lanes} = eprof;
	lanes.stage.scrollIntoView({block: "center"});
	const {left, top} = lanes.canvas.getBoundingClientRect();
	return {x: left + lanes.left + (at + 0.1) * 1e6 / lanes.cellNs * lanes.columnWidth, y: top + k * 18 + 7};
}, [lane, ms]);

test("a lane tells thread, time and states; a click chooses its thread, a drag a range", async browser => {
	const page = await open(browser, "lanes.html");
	const at = await laneAt(page, 0, 400), to = await laneAt(page, 5, 700);
	await page.mouse.move(at.x, at.y);
	same(await texts(page, "#tip > *"), ["main 10 of prog 10", "Time: 400 ms to 405 ms",
		"ready, no CPU: 100 % · 5.00 ms"], "tooltip");
	await page.mouse.down();
	await page.mouse.up();
	same(await page.evaluate(() => eprof.model.filter.threads), [0], "thread");
	same(await page.textContent(".lanes .matched"),
		"Only main 10 of prog 10: click its lane again for all threads", "status");
	await page.mouse.down();
	await page.mouse.up();
	same(await page.evaluate(() => eprof.model.filter.threads), null, "all threads");
	await page.mouse.down();
	await page.mouse.move(to.x, to.y);
	await page.mouse.up();
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.to,
		eprof.model.filter.threads]), [400e6, 705e6, null], "range");
	await page.click(".lanes button:has-text('Whole capture')");
	same(await page.evaluate(() => eprof.model.isFiltered), false, "filtered");
});

test("lanes by keys, spoken", async browser => {
	const page = await open(browser, "lanes.html");
	await page.focus(".lanes-stage");
	await press(page, ...Array(20).fill("ArrowRight"));
	same(await page.textContent(".lanes .unseen"),
		"main 10 of prog 10, 100 ms to 105 ms: waiting (pipe) 100 % · 5.00 ms", "spoken");
	await press(page, "Shift+ArrowRight", "ArrowDown", "ArrowDown");
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.to]), [100e6, 110e6], "range");
	same(await page.textContent(".lanes .unseen"),
		"sleeper 11 of prog 10, 105 ms to 110 ms: waiting (sleep) 100 % · 5.00 ms", "spoken");
	await press(page, "Enter");
	same(await page.evaluate(() => eprof.model.filter.threads), [1], "thread");
	await press(page, "Escape");
	same(await page.evaluate(() => [eprof.model.filter.from, eprof.model.filter.threads]), [null, [1]], "Escape");
});

/* --- tables --------------------------------------------------------------------------------- */

/* Rows of a CSV without quotes in it, by name of the column. */
function csv(name) {
	const [head, ...lines] = fs.readFileSync(path.join(folder, name), "utf8").trim().split("\r\n");
	const keys = head.split(",");
	return lines.map(line => Object.fromEntries(line.split(",").map((v, i) => [keys[i], v])));
}

/* Rows of the page's table that has column @key, as numbers. */
const shown = (page, key, keys) => page.evaluate(([wanted, columns]) => {
	const table = eprof.tables.find(t => t.columns[t.columns.length - 1] &&
		t.columns.some(c => c.key === wanted) && t.columns.some(c => c.key === "samples"));
	return Array.from({length: table.rows}, (_, r) => columns.map(k => {
		const c = table.columns.find(column => column.key === k);
		return c.kind ? c.value[r] : c.text[r];
	}));
}, [key, keys]);

test("tables of a range are what the program says of it", async browser => {
	const page = await open(browser, "sample.html");
	await page.evaluate(() => eprof.model.set({from: 2e9, to: 4e9}));
	for (const [name, key, keys] of [
		["functions.csv", "function", ["value_ns", "samples", "total_samples", "module"]],
		["modules.csv", "build_id", ["value_ns", "samples", "total_samples", "module"]],
		["threads.csv", "tid", ["value_ns", "samples", "pid", "tid", "thread"]],
	]) {
		const rows = csv(name).map(row => keys.map(k => isNaN(row[k]) ? row[k] : Number(row[k])));
		const sorted = list => list.map(row => JSON.stringify(row)).sort();
		same(sorted(await shown(page, key, keys)), sorted(rows), name);
		same(rows.length > 0, true, "rows of " + name);
	}
});

const paths = page => page.evaluate(() => [...document.querySelectorAll(".paths")].map(list =>
	[...list.querySelectorAll("details")].map(d => [d.querySelector("b").textContent,
		d.querySelector(".leaves").textContent, ...[...d.querySelectorAll("li")].map(li =>
			[li.className, li.textContent, li.title]), d.querySelectorAll("button").length])));

test("the hottest paths of a range, of a thread and of all are what the program says", async browser => {
	const page = await open(browser, "sample.html"), all = await paths(page);
	for (const [name, filter] of [["range.html", {from: 3e9, to: 8e9}], ["late.html", {from: 6.5e9, to: 10e9}]]) {
		const told = await paths(await open(browser, name));
		await page.evaluate(f => eprof.model.set(f), filter);
		same(await paths(page), told, name);
		same([told.length, told[0].length], [1, 8], "paths of " + name);
	}
	same((await texts(page, ".paths + *, .caption")).filter(t => t.includes("paths,")), ["8 of 11 paths, " +
		"together 94.3 % of the selection; leaf last"], "captions");
	await page.click(".capture .paths li:nth-child(2) summary");
	await page.click(".capture .paths li:nth-child(2) button");
	same(await page.evaluate(() => {
		const {tree, focus} = eprof.flames[0].active.canvas;
		return tree.frames[tree.frame[focus]].name;
	}),
		"say(\"hi; there\", std::less<long long>&&)", "shown in the graph");
	await page.evaluate(() => eprof.model.set({from: null, to: null}));
	same(await paths(page), all, "of all");
});

test("threads chosen refilter, too; sorting and filter stay", async browser => {
	const page = await open(browser, "sample.html");
	const table = ".capture > .table >> nth=0";
	await page.click(`${table} >> th button:has-text('Function')`);
	await page.fill(`${table} >> [aria-label='Filter rows']`, "^main$|^_start$");
	same(await texts(page, `${table} >> tbody td.text.code`), ["_start", "main"], "by name");
	await page.evaluate(() => eprof.model.set({threads: [0]}));
	same(await texts(page, `${table} >> tbody td.text.code`), ["_start", "main"], "by name, of one thread");
	same(await page.textContent(`${table} >> tbody td.number >> nth=1`), "100 %", "of that thread");
});

test("tables are copied as TSV, with and without a clipboard", async browser => {
	const page = await open(browser, "sample.html", {context: {permissions: ["clipboard-read", "clipboard-write"]}});
	const table = ".capture > .table >> nth=0", want = "Self\tTotal\tTime\tFunction\tModule\tSamples\t" +
		"Total samples\t±\tTotal ±\n" +
		"0 %\t11.0 %\t–\tpread64\tlibc.so.6\t0\t110\t–\t194 ms\n";
	await page.fill(`${table} >> [aria-label='Filter rows']`, "^pread64$");
	await page.click(`${table} >> text=Copy as TSV`);
	await page.waitForFunction(() => document.querySelector(".capture > .table .count").textContent === "1 rows copied");
	same(await page.evaluate(() => navigator.clipboard.readText()), want, "clipboard");
	const copied = await page.evaluate(async () => {
		let text = "";
		Object.defineProperty(navigator, "clipboard", {value: undefined});
		document.addEventListener("copy", () => { text = getSelection().toString() || document.activeElement.value; });
		await eprof.tables.find(t => t.filter).copy();
		return [text, document.querySelectorAll("textarea").length];
	});
	same(copied, [want, 0], "by selection");
});

test("callers and callees of what is chosen", async browser => {
	const page = await open(browser, "sample.html");
	await page.fill(".flame input", "^sqlite3VdbeExec$");
	await page.click(".flame .tools >> text=›");
	await page.click("text=Callers and callees");
	await page.waitForSelector(".calls tbody tr");
	const rows = () => page.evaluate(() => [...document.querySelectorAll(".calls tbody tr")].map(
		tr => [...tr.querySelectorAll("td:not(.bar)")].map(td => td.textContent).slice(0, 5)));
	same((await rows())[0], ["called by", "99.3 %", "7.20 s", "720", "sqlite3_step"], "first row");
	const list = await page.evaluate(() => {
		const {tree} = eprof.flames[0], at = name => tree.frames.find(f => f.name === name);
		return ["sqlite3VdbeExec", "expr_walk"].map(name => {
			const {total, list: found} = neighbours(tree, at(name));
			return [total, found.map(row => [row.way, row.frame.name, row.samples])];
		});
	});
	same(list.map(([total]) => total), [725e7, 15e7], "totals");
	/* It is under expr_walk and calls it: 10 samples are below both, and each has them once. */
	same(list[0][1], [["called by", "sqlite3_step", 720], ["called by", "expr_walk", 5],
		["calls", "sqlite3BtreeMovetoUnpacked", 660], ["calls", "expr_walk", 10]], "of one");
	same(list[1][1].filter(([way]) => way === "called by").reduce((a, [, , n]) => a + n, 0), 15,
		"callers of one that calls itself");
});

/* --- keys, tree, theme, print --------------------------------------------------------------- */

test("a question mark lists the keys, and the focus returns", async browser => {
	const page = await open(browser, "sample.html");
	await page.focus(".stage");
	await press(page, "?");
	same(await page.locator("dialog.help").isVisible(), true, "dialog");
	same((await texts(page, "dialog.help h3")), ["Flame graph", "Samples over time", "Threads over time", "Call tree as a table",
		"Tables", "Everywhere"]);
	const keys = await texts(page, "dialog.help kbd");
	same(["?", "Enter", "n", "↑ ↓ ← →"].every(key => keys.includes(key)), true, "keys");
	await press(page, "Escape");
	same(await page.locator("dialog.help").isVisible(), false, "closed");
	same(await page.evaluate(() => document.activeElement.className), "stage", "focus");
	await page.click("#keys");
	same(await page.evaluate(() => !!document.activeElement.closest("dialog")), true, "focus stays in it");
});

test("the call tree opens and closes by keys", async browser => {
	const page = await open(browser, "sample.html");
	await page.click("text=Call tree as a table");
	await page.waitForSelector(".treegrid tbody tr");
	const rows = () => page.locator(".treegrid tbody tr").count();
	same(await rows(), 4, "root and its callees");
	await page.focus(".treegrid tbody tr");
	await press(page, "ArrowDown");
	same((await focused(page)).startsWith("sqlite372.0 %"), true, "heaviest first");
	await press(page, "ArrowRight", "ArrowRight");
	same((await focused(page)).startsWith("_start72.0 %"), true, "into it");
	same(await page.evaluate(() => ["aria-level", "aria-posinset", "aria-setsize", "aria-expanded"].map(
		name => document.activeElement.getAttribute(name))), ["3", "1", "1", "false"], "ARIA");
	await press(page, "Enter");
	same(await page.evaluate(() => eprof.flames[0].tree.of(eprof.flames[0].canvas.base).name), "_start", "zoomed");
	await press(page, "ArrowLeft", "ArrowLeft");
	same(await rows(), 4, "closed");
	await press(page, "End");
	same((await focused(page)).startsWith("work"), true, "last");
	await press(page, "Home");
	same((await focused(page)).startsWith("root"), true, "first");
	same(await page.locator(".treegrid tr[tabindex='0']").count(), 1, "stops of the Tab key");
	await page.evaluate(() => eprof.model.set({from: 0, to: 1e9}));
	same((await texts(page, ".treegrid tbody tr:first-child td")).slice(4), ["100"], "follows the filter");
});

test("a large call tree makes the rows that are opened", async browser => {
	const page = await open(browser, "large.html");
	const [n, rows, first] = await page.evaluate(() => {
		const {tree} = eprof.flames[0];
		document.querySelector("details.treegrid").open = true;
		return new Promise(done => setTimeout(() => {
			const body = document.querySelector(".treegrid tbody");
			body.rows[1].querySelector("td").click();
			done([tree.n, body.rows.length, body.rows[0].textContent.slice(0, 4)]);
		}, 0));
	});
	same([n > 10000, rows < 250, first], [true, true, "root"], n + " nodes, " + rows + " rows");
});

test("dark or light stands in the address", async browser => {
	const page = await open(browser, "sample.html");
	const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
	same(await theme(), "light", "as the system says");
	await page.click("#theme");
	same([await theme(), await page.evaluate(() => location.hash)], ["dark", "#c=dark"]);
	await page.reload();
	await page.waitForSelector("html[data-ready]");
	same(await theme(), "dark", "after loading it again");
	await page.emulateMedia({media: "print"});
	same(await page.evaluate(() => getComputedStyle(document.body).color), "rgb(0, 0, 0)", "ink on paper");
	await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
	same(await page.locator(".folded dl").isVisible(), true, "details on paper");
	same(await page.locator("#theme").isVisible(), false, "buttons on paper");
});

/* --- several captures, and a folder --------------------------------------------------------- */

test("captures in one page: the newest shows, another can be chosen", async browser => {
	const page = await open(browser, "three.html");
	const samples = () => page.evaluate(() => eprof.model.metrics[0].samples);
	same(await texts(page, ".captures option"), [
		'1: sqlite3 /tmp/a.db "select count(*) from t where a<b;" – cpu-clock at 100 Hz · 10.0 s · ' +
		"1,000 samples · 8 zones · bench-1", "2: profile – unknown event · 1.00 µs · 2 samples",
		'3: sqlite3 /tmp/a.db "select count(*) from t where a<b;" – cpu-clock at 100 Hz · 10.0 s · ' +
		"1,000 samples · bench-1"], "captures");
	same([await samples(), await page.locator("h2:has-text('Zones')").count()], [1000, 0], "the newest");
	await Promise.all([page.waitForEvent("load"), page.selectOption(".captures select", "1")]);
	await page.waitForSelector("html[data-ready]");
	same([await page.title(), await page.textContent("h1")], ["profile", "profile"], "title");
	same(await page.evaluate(() => eprof.model.metrics.length), 2, "metrics of the second");
	same(await page.evaluate(() => location.hash.slice(0, 4)), "#p=2", "address");
	await page.click("[role=tab]:has-text('blocked')");
	same(await page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("p")), "2", "stays chosen");
	await Promise.all([page.waitForEvent("load"), page.selectOption(".captures select", "0")]);
	await page.waitForSelector("html[data-ready]");
	same(await page.locator("h2 >> text=/^Zones$/").count(), 1, "zones of the first");
	await page.emulateMedia({colorScheme: "dark"});
	same(page.asked.every(url => url.startsWith("file:")), true, "asked");
});

test("a page in a folder loads what is beside it, and nothing else", async browser => {
	const page = await open(browser, "split/page.html");
	same(page.asked.map(url => url.split("/split/")[1]).sort(),
		["data.js", "page.html", "script.js", "style.css"], "asked");
	same(await page.evaluate(() => eprof.model.metrics[0].samples), 1000, "samples");
	same(await page.evaluate(() => getComputedStyle(document.querySelector(".cards")).display), "flex", "style");
	same(await page.evaluate(() => {
		const s = document.createElement("script");
		s.textContent = "window.injected = true";
		document.body.append(s);
		return window.injected === undefined;
	}), true, "no script in the page itself");
	page.complaints.length = 0; /* of that one */
});

main("around");
