/*
 * Model: the page's one state of what is looked at: time range, threads, what is left out or folded.
 * It adds the rows of samples up to the Trees that flame graphs show, and tells its listeners.
 *
 *	model.threads    [{pid, tid, name, process, cgroup, start_ns, born_ns, active}], by number;
 *	                 active: of the first metric, on a CPU, ready or held up: not idle
 *	model.processes  [{pid, name, threads: [number]}]; model.cgroups [name]
 *	model.modules    [name], of the frames' modules
 *	model.metrics    [{name, unit, mean, exact, summed, total, samples}]
 *	model.buckets    {n, width_ns, start_ns}: steps of time, all of one width
 *	model.rows       {n, bucket, thread, node, reason, samples: [column a metric],
 *	                 values: [column a metric]}: typed arrays; reason is null where there are none
 *	model.nodes      {n, parent, depth, frame, end}: the call tree of all rows: thread names below
 *	                 the root, then functions; parents first, node i's subtree ends before end[i]
 *	model.frames     [{name, file, line, module, kind, colour}], by number
 *	model.filter     what holds: see NO_FILTER
 *	model.set({…})   changes some of it and tells listeners; on(listener): called with the names
 *	                 of what changed, as a Set
 *	model.series(metric, threads?)   values by bucket, of all rows or of those of some threads
 *	model.tree(metric)               the Tree of what the filter leaves
 *	model.takes()                    a test of a row by number: whether the filter leaves it
 */
const NO_FILTER = {
	metric: 0, /* what shows; a tree is asked for by metric */
	from: null, to: null, /* [from, to) ns since the start, widened to whole buckets */
	threads: null, processes: null, cgroups: null, /* lists of numbers, of cgroups of names */
	focus: "", ignore: "", /* expressions: stacks with, without such a frame */
	startup: false, /* true: frames of startup are left out */
	hidden: [], /* modules whose frames are left out; what they took is their callers' own */
	fold: [], foldKernel: false, /* modules whose runs of frames become one frame */
	frames: "all", /* "script", "native": the others are left out */
	collapse: false, /* a function that calls itself, through others too, is one frame */
	group: "name", /* what stands below the root: "name" (of threads), "thread", "process",
			* "cgroup", "none" */
};

class Model {
	constructor(samples) {
		const {frames, depth, frame, metrics, threads, buckets, rows} = samples;
		Object.assign(this, {frames, metrics, threads, buckets, rows, palette: samples.palette,
			ofWaits: samples.ofWaits});
		this.nodes = {n: depth.length, depth, frame, ...shapeOf(depth)};
		this.made = new Map(); /* frames that trees made, behind the others, by key */
		this.modules = [...new Set(frames.map(f => f.module).filter(name => name))].sort();
		this.cgroups = [...new Set(threads.map(t => t.cgroup).filter(name => name))].sort();
		this.processes = processesOf(threads);
		this.listeners = [];
		this.filter = {...NO_FILTER};
		metrics.forEach((metric, m) => {
			metric.total = rows.values[m].reduce((a, v) => a + v, 0);
			metric.samples = rows.samples[m].reduce((a, v) => a + v, 0);
		});
	}

	on(listener) {
		this.listeners.push(listener);
	}

	set(change) {
		const changed = new Set(Object.keys(change).filter(key =>
			JSON.stringify(this.filter[key]) !== JSON.stringify(change[key])));
		if (!changed.size)
			return;
		Object.assign(this.filter, change);
		this.listeners.forEach(listener => listener(changed));
	}

	get isFiltered() {
		return Object.keys(NO_FILTER).some(key => key !== "metric" && key !== "group" &&
			JSON.stringify(this.filter[key]) !== JSON.stringify(NO_FILTER[key]));
	}

	/* --- its state, for links: strings by short key ------------------------------------------ */

	state() {
		const {filter} = this, list = items => items ? items.join(",") : "";
		const names = items => items.length ? JSON.stringify(items) : "";
		return {
			t: filter.from === null && filter.to === null ? "" :
				(filter.from === null ? "" : filter.from) + "-" +
				(filter.to === null ? "" : filter.to),
			th: list(filter.threads), pr: list(filter.processes),
			cg: names(filter.cgroups || []), fo: filter.focus, ig: filter.ignore,
			hi: names(filter.hidden), fm: names(filter.fold), k: filter.foldKernel ? "1" : "",
			r: filter.collapse ? "1" : "", su: filter.startup ? "1" : "",
			fr: filter.frames === "all" ? "" : filter.frames, g: filter.group === "name" ? "" : filter.group,
		};
	}

	/* What is wrong in a link is as if it were not there. */
	restore(state) {
		const get = key => state.get(key) || "";
		const [, from, to] = /^(\d*)-(\d*)$/.exec(get("t")) || [null, "", ""];
		const numbers = (key, most) => {
			const list = get(key).split(",").filter(text => /^\d+$/.test(text)).map(Number)
				.filter(i => i < most);
			return list.length ? list : null;
		};
		const names = (key, known) => {
			try {
				return JSON.parse(get(key) || "[]").filter(name => known.includes(name));
			} catch (e) {
				return [];
			}
		};
		const cgroups = names("cg", this.cgroups), group = get("g");
		this.set({from: from === "" ? null : Number(from), to: to === "" ? null : Number(to),
			threads: numbers("th", this.threads.length),
			processes: numbers("pr", this.processes.length),
			cgroups: cgroups.length ? cgroups : null, focus: get("fo"), ignore: get("ig"),
			hidden: names("hi", this.modules), fold: names("fm", this.modules),
			foldKernel: get("k") === "1", collapse: get("r") === "1", startup: get("su") === "1",
			frames: ["script", "native"].includes(get("fr")) ? get("fr") : "all",
			group: ["thread", "process", "cgroup", "none"].includes(group) ? group : "name"});
	}

	/* The filter's time as buckets: [first, behind the last]. */
	get range() {
		const {from, to} = this.filter, {n, width_ns} = this.buckets;
		return [from === null ? 0 : Math.max(0, Math.floor(from / width_ns)),
			to === null ? n : Math.min(n, Math.ceil(to / width_ns))];
	}

	/* One flag a thread. */
	chosenThreads() {
		const {threads, processes, cgroups} = this.filter;
		const chosen = new Uint8Array(this.threads.length).fill(1);
		const keep = (list, has) => list && chosen.forEach((_, t) => { chosen[t] &= has(t); });
		const ofProcess = processes && new Set(processes.flatMap(p =>
			this.processes[p] ? this.processes[p].threads : []));
		keep(threads, t => threads.includes(t));
		keep(processes, t => ofProcess.has(t));
		keep(cgroups, t => cgroups.includes(this.threads[t].cgroup));
		return chosen;
	}

	takes() {
		const {bucket, thread, node} = this.rows, [from, to] = this.range;
		const chosen = this.chosenThreads(), stacks = this.chosenStacks();
		return r => bucket[r] >= from && bucket[r] < to && chosen[thread[r]] === 1 &&
			(!stacks || stacks[node[r]] === 1);
	}

	/* How long the selected range of time is. */
	get rangeNs() {
		const [from, to] = this.range;
		return (to - from) * this.buckets.width_ns;
	}

	/* {value, samples} of a metric: what the filter leaves. */
	takenOf(metric) {
		const takes = this.takes(), {n, values, samples} = this.rows, sum = {value: 0, samples: 0};
		for (let r = 0; r < n; r++)
			if (samples[metric][r] && takes(r)) {
				sum.value += values[metric][r];
				sum.samples += samples[metric][r];
			}
		return sum;
	}

	/* By thread what it has of a metric, of all that is left but for the choice of threads. */
	threadTotals(metric) {
		const {bucket, thread, node, values} = this.rows, [from, to] = this.range;
		const stacks = this.chosenStacks(), totals = new Float64Array(this.threads.length);
		for (let r = 0; r < this.rows.n; r++)
			if (bucket[r] >= from && bucket[r] < to && (!stacks || stacks[node[r]] === 1))
				totals[thread[r]] += values[metric][r];
		return totals;
	}

	/* One flag a node: whether its stack has a frame to focus on and none to ignore. */
	chosenStacks() {
		const {focus, ignore} = this.filter, {n, parent, frame} = this.nodes;
		if (!focus && !ignore)
			return null;
		const wanted = this.matching(focus), unwanted = this.matching(ignore);
		const has = new Uint8Array(n), chosen = new Uint8Array(n);
		for (let i = 0; i < n; i++) {
			const above = i ? has[parent[i]] : 0;
			has[i] = above | (focus ? wanted[frame[i]] : 1) | (ignore ? 2 * unwanted[frame[i]] : 0);
			chosen[i] = has[i] === 1 ? 1 : 0;
		}
		return chosen;
	}

	/* One flag a frame. */
	matching(text) {
		const {re} = searchPattern(text);
		return Uint8Array.from(this.frames, f => text && Names.found(re, f.name) ? 1 : 0);
	}

	tree(metric) {
		return this.summed(metric).tree;
	}

	/* {tree, leaves()}: see Sums. */
	summed(metric) {
		const {hidden, startup, fold, foldKernel, frames, collapse, group} = this.filter;
		const sums = new Sums(this, metric);
		const summed = hidden.length || startup || fold.length || foldKernel || collapse || group !== "name" ||
			frames !== "all" ?
			new Regroup(sums).tree() : sums.summed();
		return {...summed, sums};
	}

	/* What a thread is called where threads are grouped by "name", "thread", "process", "cgroup". */
	groupKey(thread, group) {
		const t = this.threads[thread];
		return {name: t.name, thread: t.name + " " + t.tid, process: t.process + " " + t.pid,
			cgroup: t.cgroup || "no cgroup"}[group];
	}

	/* The number of a frame that is none of the profile's, made once a key. */
	madeFrame(key, make) {
		if (!this.made.has(key)) {
			this.made.set(key, this.frames.length);
			this.frames.push(make());
		}
		return this.made.get(key);
	}

	/* What trees of a metric have in common. */
	treeKind(metric) {
		const hasWaits = this.ofWaits;
		return {unit: this.metrics[metric].unit, ofWaits: hasWaits, frames: this.frames,
			exact: this.metrics[metric].exact, summed: this.metrics[metric].summed};
	}

	/* The frame's number in the colour of a kind of wait; 0: its own. */
	withReason(frame, kind) {
		if (!kind)
			return frame;
		return this.madeFrame("reason " + frame + " " + kind, () => {
			const {label, shades} = this.palette[KINDS.length + kind], own = this.frames[frame];
			return {...own, reason: label, colour: shades[own.shade]};
		});
	}

	series(metric, threads) {
		const {n, bucket, thread, values} = this.rows, column = values[metric];
		const sums = new Float64Array(this.buckets.n);
		const chosen = threads && new Set(threads);
		for (let r = 0; r < n; r++)
			if (!chosen || chosen.has(thread[r]))
				sums[bucket[r]] += column[r];
		return sums;
	}
}

/* A process is a pid from when it was born. */
function processesOf(threads) {
	const known = new Map();
	threads.forEach((t, i) => {
		const key = t.pid + " " + t.born_ns;
		if (!known.has(key))
			known.set(key, {pid: t.pid, name: t.process || t.name, threads: []});
		known.get(key).threads.push(i);
	});
	return [...known.values()];
}
