const CALL_COLOURS = 12; /* CHART_COLOURS */

/* CallLanes: the calls of a timeline, a lane each thread and coroutine, over time: zoomed by dragging
 * over a range, by Ctrl and the wheel, and by keys. */
class CallLanes {
	constructor(box, chart, report) {
		this.box = box;
		this.chart = chart;
		this.report = report;
		/* By name: of functions alike that with most time, which comes first. */
		this.colours = new Map(chart.functions.map(f => [f.name, f.colour]).reverse());
		this.build();
		this.canvas = new CallCanvas(this.stage, chart);
		this.draw = oncePerFrame(() => {
			this.canvas.draw();
			this.words();
		});
		this.listen();
		this.refresh();
	}

	/* A time on the axis, with the digits that tell one tick from the next: "1.23456 s". */
	static time(ns, step) {
		if (!ns)
			return "0";
		const [unit, name] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "µs"]
			: [1, "ns"];
		const digits = Math.max(0, Math.ceil(Math.log10(unit / step) - 1e-9));
		return (ns / unit).toFixed(Math.min(9, digits)) + " " + name;
	}

	build() {
		const button = (text, title, act) => {
			const b = make("button", {type: "button", title}, text);
			b.addEventListener("click", act);
			return b;
		};
		this.stage = make("div", {class: "stage calls-stage", tabindex: "0", role: "application",
			"aria-roledescription": "timeline", "aria-label": "Calls over time. Arrow keys move from call " +
			"to call, Enter zooms to it, plus and minus zoom, A and D pan, Escape shows all."});
		this.reset = button("Reset zoom", "Escape or 0", () => this.setView(this.chart.from, this.chart.to));
		this.status = make("span", {class: "matched", role: "status"});
		this.voice = make("div", {class: "unseen", "aria-live": "polite"});
		this.lens = make("div", {class: "range", hidden: ""});
		this.stage.append(this.lens);
		this.box.querySelector("p").append(". Drag to zoom into a range of time; Ctrl and the wheel zoom, " +
			"Shift and the wheel pan.");
		this.box.append(this.stage, make("div", {class: "tools"}, this.makeLegend(),
			make("span", {class: "gap"}), this.status, this.reset), this.voice);
	}

	makeLegend() {
		const {functions, kinds, marks, boxes, ends} = this.chart, there = new Set(marks.kind);
		const left = boxes.ended.some(e => /left/.test(ends[e])), cut = boxes.ended.some(e => /cut/.test(ends[e]));
		const entry = (colour, text) => make("li", {}, swatch(colour, false), text);
		return make("ul", {class: "legend", "aria-label": "Colours"},
			...functions.slice(0, CALL_COLOURS).map(f => entry(f.colour, shorten(Names.shown(f.name)))),
			entry(MERGED, "several short calls"), ...kinds.filter((_, k) => there.has(k)).map(({name, colour}) => entry(colour, name)),
			...(left ? [entry(kinds[0].colour, "right edge: left by an exception or a jump")] : []),
			...(this.chart.own.isEmpty ? [] : [entry(this.chart.own.colour, this.chart.own.label)]),
			...(cut ? [entry("#16181d", "edge: cut, the rest was not recorded")] : []));
	}

	/* Undefined: the function has no calls here. */
	colourOf(name) {
		return this.colours.get(name);
	}

	listen() {
		const {stage} = this;
		hear(stage, this);
		stage.addEventListener("dblclick", () => this.zoomTo(this.canvas.focus));
		stage.addEventListener("wheel", e => this.wheel(e), {passive: false});
		stage.addEventListener("scroll", () => this.draw());
		new ResizeObserver(() => this.refresh()).observe(this.box);
	}

	refresh() {
		this.canvas.resize();
		if (this.canvas.width)
			this.draw();
	}

	/* --- what shows ----------------------------------------------------------------------- */

	setView(from, to) {
		const {chart} = this, whole = chart.to - chart.from;
		const size = Math.min(whole, Math.max(to - from, 10));
		from = Math.max(chart.from, Math.min(from, chart.to - size));
		this.canvas.view = {from, to: from + size};
		this.draw();
	}

	get isWhole() {
		const {view} = this.canvas;
		return view.to - view.from >= this.chart.to - this.chart.from;
	}

	/* Zooms by a factor about @share of the width. */
	scale(factor, share) {
		const {from, to} = this.canvas.view, at = from + (to - from) * share;
		this.setView(at - (at - from) * factor, at + (to - at) * factor);
	}

	pan(by) {
		const {from, to} = this.canvas.view, step = by * (to - from);
		this.setView(from + step, to + step);
	}

	/* So that a box takes most of the width. */
	zoomTo(i) {
		const {start, length} = this.chart.boxes;
		if (i >= 0)
			this.setView(start[i] - length[i] * 0.05, start[i] + length[i] * 1.05);
	}

	words() {
		const {from, to} = this.canvas.view, step = (to - from) / 100;
		this.reset.disabled = this.isWhole;
		this.status.textContent = CallLanes.time(from, step) + " to " + CallLanes.time(to, step);
	}

	/* --- a box ---------------------------------------------------------------------------- */

	/* [label, text] of a box. */
	lines(i) {
		const {boxes, functions, ends, lanes, least} = this.chart, of = functions[boxes.of[i] - 1];
		const row = this.canvas.rows[this.canvas.rowOf(i)], view = this.canvas.view;
		const at = [["Start", CallLanes.time(boxes.start[i], Math.max(1, (view.to - view.from) / 1e4))],
			["Thread", lanes[row.lane].name]];
		const own = this.ownLines(row.lane, boxes.start[i], boxes.start[i] + boxes.length[i]);
		if (boxes.calls[i] > 1)
			return [["", Units.count(boxes.calls[i]) + " calls, each shorter than " + Units.ns(least)], ...at, ...own,
				["", "--from and --to show them one by one"]];
		return [["", of.name], ["Module", of.module], ["Arguments", boxes.text(i)], ...at,
			["", ends[boxes.ended[i]]], ...own].filter(([, text]) => text);
	}

	/* Of a short call: of the time around it. */
	ownLines(lane, from, to) {
		const {own} = this.chart, of = own.lanes[lane], around = Math.max(0, own.step - (to - from)) / 2;
		return of ? [[own.name, own.words(of, from - around, to + around)]] : [];
	}

	/* Of the strip of the profiler's own work: what it took at the pointer. */
	ownTip(x, y) {
		const {canvas, chart} = this, {own, lanes} = chart, k = canvas.ownAt(x, y), ns = canvas.timeAt(x);
		if (k < 0)
			return null;
		const near = Math.max(own.step, 1 / canvas.scale);
		return {title: own.name + ": " + own.words(own.lanes[k], ns, ns + 1 / canvas.scale),
			lines: [["", "of the thread's time, over " + Units.ns(near)], ["Time", CallLanes.time(ns, near)],
				["Thread", lanes[k].name]]};
	}

	tipOf(i) {
		return i < 0 ? null : {title: "Duration: " + Units.ns(this.chart.boxes.length[i]), lines: this.lines(i)};
	}

	/* What a mark at a point is; null: there is none. */
	markAt(x, y) {
		const {canvas, chart} = this, {marks} = chart, at = y + this.stage.scrollTop;
		const lane = chart.lanes.find(l => at >= l.top - 6 && at < l.top + l.height + CALL_STRIP);
		const near = 3 / canvas.scale, ns = canvas.view.from + (x - canvas.left) / canvas.scale;
		const found = (first, end) => {
			for (let i = first; i < end; i++)
				if (marks.start[i] - near <= ns && ns <= marks.start[i] + marks.length[i] + near)
					return this.markWords(i);
			return null;
		};
		if (lane && (at < lane.top + 2 || at >= lane.top + lane.height))
			return found(lane.firstMark, lane.firstMark + lane.marks);
		return found(canvas.firstLost, marks.n);
	}

	markWords(i) {
		const {marks, kinds} = this.chart, {name} = kinds[marks.kind[i]], n = marks.count[i];
		return {title: name === MARK_LOST ? Units.count(n) + " events not recorded" :
			name[0].toUpperCase() + name.slice(1) + (n > 1 ? ", " + Units.count(n) + " times" : ""),
		lines: [["", marks.text(i)], ["Time", marks.length[i] ? Units.ns(marks.length[i]) : ""]]
			.filter(([, text]) => text)};
	}

	choose(i) {
		if (i < 0)
			return;
		this.canvas.focus = i;
		const {boxes} = this.chart, {view} = this.canvas, row = this.canvas.rows[this.canvas.rowOf(i)];
		const middle = boxes.start[i] + boxes.length[i] / 2, half = (view.to - view.from) / 2;
		if (boxes.start[i] > view.to || boxes.start[i] + boxes.length[i] < view.from)
			this.setView(middle - half, middle + half);
		if (row.top < this.stage.scrollTop)
			this.stage.scrollTop = row.top - CALL_GAP;
		if (row.top + 2 * CALL_ROW + CALL_AXIS > this.stage.scrollTop + this.canvas.shown)
			this.stage.scrollTop = row.top + 2 * CALL_ROW + CALL_AXIS - this.canvas.shown;
		this.voice.textContent = Units.ns(boxes.length[i]) + ", " +
			this.lines(i).map(([label, text]) => label ? label + " " + text : text).join(", ");
		this.draw();
	}

	/* --- pointer -------------------------------------------------------------------------- */

	point(e) {
		const place = this.canvas.canvas.getBoundingClientRect();
		return [e.clientX - place.left, e.clientY - place.top];
	}

	press(e) {
		const [x] = this.point(e);
		if (e.button || x < this.canvas.left)
			return;
		this.from = x;
		this.stage.setPointerCapture(e.pointerId);
	}

	move(e) {
		const [x, y] = this.point(e);
		this.report.tip(this.tipOf(this.canvas.at(x, y)) || this.ownTip(x, y) || this.markAt(x, y), e.clientX, e.clientY);
		if (this.from === undefined)
			return;
		const [a, b] = [this.from, x].sort((l, r) => l - r);
		this.lens.hidden = b - a < 4;
		this.lens.style.left = a + "px";
		this.lens.style.width = b - a + "px";
		this.lens.style.top = this.stage.scrollTop + "px";
		this.lens.style.height = this.canvas.shown + "px";
	}

	release(e) {
		const [x, y] = this.point(e), {from} = this;
		this.drop();
		if (from === undefined)
			return;
		if (Math.abs(x - from) < 4)
			this.choose(this.canvas.at(x, y));
		else
			this.setView(this.canvas.timeAt(Math.min(x, from)), this.canvas.timeAt(Math.max(x, from)));
	}

	drop() {
		this.from = undefined;
		this.lens.hidden = true;
	}

	/* With Ctrl the wheel zooms, with Shift or sideways it pans; else the page scrolls. */
	wheel(e) {
		const {width, left} = this.canvas, [x] = this.point(e);
		const aside = e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX;
		if (e.ctrlKey || e.metaKey)
			this.scale(1.002 ** e.deltaY, Math.max(0, (x - left) / (width - left)));
		else if (Math.abs(aside) > Math.abs(e.deltaY) || e.shiftKey)
			this.pan(aside / width);
		else
			return;
		e.preventDefault();
	}

	/* --- keys ----------------------------------------------------------------------------- */

	key(e) {
		const row = keyOf(e), acts = {
			"closer": () => this.scale(0.6, 0.5), "farther": () => this.scale(1 / 0.6, 0.5),
			"pan-left": () => this.pan(-0.2), "pan-right": () => this.pan(0.2),
			"pan-up": () => { this.stage.scrollTop -= 3 * CALL_ROW; },
			"pan-down": () => { this.stage.scrollTop += 3 * CALL_ROW; },
			"reset": () => this.setView(this.chart.from, this.chart.to),
			"zoom": () => this.zoomTo(this.canvas.focus),
			"walk": () => this.choose(this.neighbour(e.key)),
		};
		if (!row || !acts[row.act])
			return;
		acts[row.act]();
		e.preventDefault();
		e.stopPropagation();
	}

	/* The box that an arrow leads to; the first that shows if none is chosen. */
	neighbour(key) {
		const {canvas, chart} = this, {boxes} = chart, i = canvas.focus;
		if (i < 0)
			return boxes.n ? 0 : -1;
		const at = canvas.rowOf(i), row = canvas.rows[at];
		if (key === "ArrowLeft")
			return i > row.first ? i - 1 : i;
		if (key === "ArrowRight")
			return i + 1 < row.end ? i + 1 : i;
		const step = key === "ArrowDown" ? 1 : -1, next = canvas.rows[at + step];
		const middle = boxes.start[i] + boxes.length[i] / 2;
		return next && next.end > next.first ? this.nearest(next, middle) : i;
	}

	nearest(row, ns) {
		const found = this.canvas.find(row, ns, Infinity);
		return found < 0 ? row.first : found;
	}
}
