/* Follow: keeps the tables of samples and the hottest paths at what the model's filter leaves. While it leaves all, they are
 * as the report was written, with margins; those of parts of it the page does not know. */
class Follow {
	constructor(report) {
		this.report = report;
		this.model = report.model;
		this.tables = report.tables.map(table => this.known(table)).filter(known => known);
		this.tables.push(...this.paths());
		this.moduleNames = this.namesOfModules();
		this.model.on(changed => {
			if ([...changed].some(name => name !== "metric" && name !== "group"))
				this.refresh();
		});
	}

	/* What the report calls each module, by path. */
	namesOfModules() {
		const names = new Map();
		for (const {kind, written} of this.tables) {
			const column = key => written.columns.find(c => c.key === key);
			const path = kind === "modules" && column("path");
			if (path)
				path.text.forEach((text, r) => names.set(text, column("module").text[r]));
		}
		return names;
	}

	/* What the table is of, by the names of its columns; null of one that has no samples. */
	known(table) {
		const has = key => table.columns.some(c => c.key === key);
		const kind = has("self_percent") && has("function") ? "functions"
			: has("self_percent") && has("module") ? "modules"
			: has("share_percent") && has("thread") && has("tid") ? "threads"
			: has("share_percent") && has("process") ? "processes" : "";
		const flame = kind && this.flameOf(table);
		return !flame ? null : {table, kind, flame, stale: false, written: {rows: table.rows,
			columns: table.columns}, caption: table.box.querySelector("caption"),
			words: (table.box.querySelector("caption") || {}).textContent};
	}

	/* The lists of paths, in the shape of tables. */
	paths() {
		return [...document.querySelectorAll(".paths")].map(box => {
			const flame = this.flameOf({box}), caption = box.previousElementSibling;
			box.classList.toggle("follows", Boolean(flame));
			return flame && {table: {box, replace: items => box.replaceChildren(...items)}, kind: "paths",
				flame, stale: false, written: [...box.children], caption, words: caption.textContent};
		}).filter(known => known);
	}

	/* The flame graph of the part of the page that the table is in. */
	flameOf(table) {
		const part = partOf(table.box);
		return this.report.flames.find(f => f.model === this.model && (!part || partOf(f.box) === part));
	}

	refresh() {
		document.documentElement.classList.toggle("filtered", this.model.isFiltered);
		this.tables.forEach(known => { known.stale = true; });
		this.freshen();
	}

	/* Those of a part of the page that does not show wait until it does. */
	freshen() {
		const {isFiltered} = this.model;
		for (const known of this.tables.filter(({stale, table}) => stale && !table.box.closest("[hidden]"))) {
			known.stale = false;
			if (isFiltered)
				this.recompute(known);
			else {
				known.table.replace(known.written);
				if (known.caption)
					known.caption.textContent = known.words;
			}
		}
	}

	recompute(known) {
		const {model} = this, {table, kind, flame} = known, metric = flame.number;
		flame.freshen();
		const {tree} = flame.summed, {unit} = model.metrics[metric];
		if (kind === "paths") {
			const list = pathList(tree, PATHS_MOST, this.report.flames.indexOf(flame));
			table.replace(list.items);
			known.caption.textContent = list.words;
			this.report.addPathButtons(table.box);
			return;
		}
		const all = {total: tree.total[0], unit, samples: tree.totalSamples[0],
			moduleNames: this.moduleNames};
		const rows = kind === "threads" || kind === "processes" ? threadRows(model, metric, kind)
			: functionRows(tree, kind);
		table.replace(filledColumns(known.written, rows, all));
		if (known.caption)
			known.caption.textContent = flame.selectedWords();
	}
}

/* --- rows: {key of a column: number or text} ------------------------------------------------- */

/* By function or module of a tree's frames, what is nested counted once. */
function functionRows(tree, kind) {
	const rows = new Map(), ofFrame = tree.frames.map(() => null), above = [], open = new Map();
	const rowOf = f => {
		const frame = tree.frames[f];
		const key = kind === "modules" ? frame.module :
			[frame.name, frame.module, frame.file, frame.line].join("\0");
		if (!rows.has(key))
			rows.set(key, {function: frame.name, module: frame.module || "[unknown]", self: 0, total: 0,
				samples: 0, totalSamples: 0, open: 0, colour: frame.colour, reason: frame.reason});
		return ofFrame[f] = rows.get(key);
	};
	const leave = depth => {
		while (above.length > depth) {
			const row = above.pop();
			if (row)
				row.open--;
		}
	};
	for (let i = 0; i < tree.n; i++) {
		leave(tree.depth[i]);
		const f = tree.frame[i], isThread = tree.frames[f].kind === KIND.THREAD;
		const row = isThread ? null : ofFrame[f] || rowOf(f);
		above.push(row);
		if (!row)
			continue;
		row.self += tree.self[i];
		row.samples += tree.selfSamples[i];
		if (!row.open++) {
			row.total += tree.total[i];
			row.totalSamples += tree.totalSamples[i];
		}
	}
	return [...rows.values()].sort((a, b) => b.self - a.self || b.total - a.total ||
		(a.function < b.function ? -1 : 1));
}

/* By thread or by name of processes, of the rows of samples that the filter takes. */
function threadRows(model, metric, kind) {
	const {rows, threads} = model, takes = model.takes(), found = new Map();
	const self = new Float64Array(threads.length), samples = new Float64Array(threads.length);
	for (let r = 0; r < rows.n; r++) {
		if (!rows.samples[metric][r] || !takes(r))
			continue;
		self[rows.thread[r]] += rows.values[metric][r];
		samples[rows.thread[r]] += rows.samples[metric][r];
	}
	threads.forEach((t, i) => {
		const process = t.process || t.name;
		const key = kind === "threads" ? t.pid + " " + t.tid + " " + t.name : process;
		if (!samples[i])
			return;
		if (!found.has(key))
			found.set(key, {pid: t.pid, tid: t.tid, thread: t.name, process, self: 0, samples: 0,
				pids: new Set()});
		const row = found.get(key);
		row.self += self[i];
		row.samples += samples[i];
		row.pids.add(kind === "threads" ? t.pid : t.pid + " " + t.born_ns);
	});
	return [...found.values()].sort((a, b) => b.self - a.self || b.samples - a.samples || a.pid - b.pid);
}

/* --- cells ----------------------------------------------------------------------------------- */

/* The cell of a row in the column called @key: [text, value], null where the page cannot know it. */
function filterCell(key, row, all) {
	const percent = v => [Units.percent(v, all.total), all.total ? 100 * v / all.total : 0];
	const amount = v => [v ? Units.value(v, all.unit) : "–", v];
	const count = v => [Units.count(v), v];
	const cells = {
		self_percent: () => percent(row.self), share_percent: () => percent(row.self),
		total_percent: () => percent(row.total), value_ns: () => amount(row.self),
		value: () => amount(row.self), samples: () => count(row.samples),
		total_samples: () => count(row.totalSamples), function: () => [row.function, 0],
		module: () => [all.moduleNames.get(row.module) || shortModule(row.module), 0], thread: () => [row.thread, 0],
		process: () => [row.process, 0], tid: () => [String(row.tid), row.tid],
		pid: () => [row.pids.size > 1 ? "–" : String(row.pid), row.pid],
		count: () => count(row.pids.size),
	};
	return cells[key] ? cells[key]() : null;
}

/* Of modules that no table names. */
function shortModule(path) {
	return path.startsWith("[") || path.startsWith("//") ? path : path.slice(path.lastIndexOf("/") + 1);
}

/* The columns of a table with other rows in them; a bar draws the number before it. */
function filledColumns(written, rows, all) {
	let before = null;
	const columns = written.columns.map(column => {
		const cells = rows.map(row => filterCell(column.key, row, all) || ["–", NaN]);
		const filled = {...column, text: cells.map(([text]) => text), value: cells.map(([, value]) => value)};
		if (column.kind === CELL_BAR)
			filled.value = before ? before.value : [];
		before = filled;
		return filled;
	});
	return {rows: rows.length, columns};
}
