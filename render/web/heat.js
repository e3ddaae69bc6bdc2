const HEAT_COLUMNS = 40, HEAT_COLUMNS_MOST = 400, HEAT_ROWS = 5, HEAT_ROWS_MOST = 50;
const HEAT_LEFT = 58, HEAT_BELOW = 20, HEAT_SAMPLES = 2; /* a cell, on average */

/* Lengths that people count in, in ns: 1, 2 and 5 of each power of ten up to seconds, then minutes
 * and hours. */
const ROUND_TIMES = [...Array(10).keys()].flatMap(k => [1, 2, 5].map(v => v * 10 ** k))
	.concat([10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(s => s * 1e9));

/* How samples over time are cut into cells: a column is @column ns, a cell @cell ns of it. Columns are
 * seconds where that makes a picture, else whatever makes one; cells are not so short that most of
 * them would have no sample. */
function heatGrid(span, step, samples) {
	const usable = ROUND_TIMES.filter(t => t % step === 0 && t >= step);
	const fits = t => Math.ceil(span / t) <= HEAT_COLUMNS_MOST;
	const wide = usable.filter(t => span / t >= HEAT_COLUMNS);
	const column = fits(1e9) && wide.includes(1e9) ? 1e9
		: wide.filter(fits).pop() || usable.find(fits) || step;
	const columns = Math.max(1, Math.ceil(span / column));
	const most = Math.max(HEAT_ROWS, Math.min(HEAT_ROWS_MOST, samples / HEAT_SAMPLES / columns));
	const cell = usable.find(t => column % t === 0 && column / t <= most) || column;
	return {column, cell, columns, rows: Math.round(column / cell)};
}

/* Heat: the samples over time: a column a second, in it the parts of the second from above to below, as
 * FlameScope has them. What is selected there is what all other parts of the page show. */
class Heat {
	constructor(model, report) {
		this.model = model;
		this.report = report;
		this.cursor = this.anchor = 0;
		this.draw = oncePerFrame(() => {
			this.drawScale();
			this.paint();
		});
		this.build();
		this.listen();
		this.count();
	}

	build() {
		const all = make("button", {type: "button"}, "Whole capture");
		all.addEventListener("click", () => this.clear());
		this.all = all;
		this.status = make("span", {class: "matched", role: "status"});
		this.stage = make("div", {class: "heat-stage", tabindex: "0", role: "application",
			"aria-roledescription": "heatmap", "aria-label": "Samples over time. Arrow keys move, " +
			"with Shift they extend the selection, Enter selects the cell, Escape the whole capture."});
		this.canvas = make("canvas", {"aria-hidden": "true"});
		this.voice = make("div", {class: "unseen", "aria-live": "polite"});
		this.scale = make("ul", {class: "legend", "aria-label": "Colours of cells"});
		this.stage.append(this.canvas);
		this.heading = make("p", {class: "caption"});
		this.box = make("section", {class: "heat", "aria-label": "Samples over time"},
			make("h2", {}, "Samples over time"), this.heading, this.stage, make("div", {class: "tools"},
			this.scale, make("span", {class: "gap"}), this.status, all), this.voice);
		this.context = this.canvas.getContext("2d");
	}

	listen() {
		const {stage} = this;
		stage.addEventListener("pointerdown", e => this.press(e));
		stage.addEventListener("pointermove", e => this.move(e));
		stage.addEventListener("pointerup", e => this.release(e));
		stage.addEventListener("pointerleave", () => this.report.tip(null));
		stage.addEventListener("keydown", e => this.key(e));
		stage.addEventListener("focus", () => this.draw());
		stage.addEventListener("blur", () => this.draw());
		this.model.on(() => this.count());
		new ResizeObserver(() => this.draw()).observe(stage);
	}

	/* --- the numbers ---------------------------------------------------------------------- */

	/* Samples by cell, of the metric and the threads that show, at all times. */
	count() {
		const {model} = this, {rows, buckets, filter} = model, samples = rows.samples[filter.metric];
		const chosen = model.chosenThreads(), steps = new Float64Array(buckets.n);
		let sum = 0;
		for (let r = 0; r < rows.n; r++)
			if (chosen[rows.thread[r]]) {
				steps[rows.bucket[r]] += samples[r];
				sum += samples[r];
			}
		this.grid = heatGrid(buckets.n * buckets.width_ns, buckets.width_ns, sum);
		const each = this.grid.cell / buckets.width_ns;
		this.cells = new Float64Array(Math.ceil(buckets.n / each));
		steps.forEach((v, i) => { this.cells[Math.floor(i / each)] += v; });
		this.most = this.cells.reduce((a, v) => Math.max(a, v), 0);
		this.cursor = Math.min(this.cursor, this.cells.length - 1);
		this.anchor = Math.min(this.anchor, this.cells.length - 1);
		this.words();
		this.draw();
	}

	words() {
		const {grid, model} = this, {from, to} = model.filter, {rows, filter} = model;
		const metric = model.metrics[filter.metric];
		this.heading.textContent = metric.name + ": each column is " + Units.ns(grid.column) +
			(grid.rows > 1 ? ", each cell " + Units.ns(grid.cell) : "") + ". Drag to select a time range; " +
			"the graph and tables then show only that range (zones, ledger and cost do not).";
		this.all.disabled = from === null && to === null;
		const takes = model.takes();
		let taken = 0;
		for (let r = 0; r < rows.n; r++)
			taken += takes(r) ? rows.samples[filter.metric][r] : 0;
		this.status.textContent = this.all.disabled ? "" : Heat.span(from || 0,
			to === null ? model.buckets.n * model.buckets.width_ns : to) + ": " +
			Units.count(taken) + " of " + Units.samples(metric.samples);
		this.drawScale();
	}

	/* Some numbers of samples that there may be in a cell, with their colours. */
	drawScale() {
		const values = new Set([0.25, 0.5, 0.75, 1].map(share =>
			Math.max(1, Math.round(share * share * this.most))));
		this.scale.replaceChildren(...[...values].map(v => make("li", {}, swatch(this.colour(v)),
			Units.count(v))), make("li", {}, "samples in " + Units.ns(this.grid.cell)));
	}

	static span(from, to) {
		return Units.ns(from) + " to " + Units.ns(to);
	}

	time(cell) {
		return cell * this.grid.cell;
	}

	/* --- selection ------------------------------------------------------------------------ */

	/* Everything from cell to cell, both included. */
	select(a, b) {
		this.model.set({from: this.time(Math.min(a, b)), to: this.time(Math.max(a, b) + 1)});
	}

	clear() {
		this.model.set({from: null, to: null});
	}

	/* The cell at a point, the nearest one of those beside it. */
	cellAt(e) {
		const place = this.canvas.getBoundingClientRect(), {grid} = this;
		const column = Math.floor((e.clientX - place.left - HEAT_LEFT) / this.columnWidth);
		const row = Math.floor((e.clientY - place.top) / this.rowHeight);
		const clamp = (v, most) => Math.max(0, Math.min(most - 1, v));
		return clamp(clamp(column, grid.columns) * grid.rows + clamp(row, grid.rows), this.cells.length);
	}

	press(e) {
		if (e.button)
			return;
		this.anchor = this.cursor = this.cellAt(e);
		this.dragging = true;
		this.stage.setPointerCapture(e.pointerId);
		this.draw();
	}

	move(e) {
		const at = this.cellAt(e);
		this.report.tip({title: Heat.span(this.time(at), this.time(at + 1)),
			lines: [["Samples", Units.count(this.cells[at])]]}, e.clientX, e.clientY);
		if (!this.dragging || at === this.cursor)
			return;
		this.cursor = at;
		this.draw();
	}

	release() {
		if (!this.dragging)
			return;
		this.dragging = false;
		this.select(this.anchor, this.cursor);
	}

	key(e) {
		const {rows} = this.grid, steps = {ArrowLeft: -rows, ArrowRight: rows, ArrowUp: -1, ArrowDown: 1,
			Home: -this.cells.length, End: this.cells.length};
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key in steps)
			this.walk(steps[e.key], e.shiftKey);
		else if (e.key === "Enter" || e.key === " ")
			this.select(this.anchor, this.cursor);
		else if (e.key === "Escape")
			this.clear();
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}

	walk(by, extend) {
		this.cursor = Math.max(0, Math.min(this.cells.length - 1, this.cursor + by));
		if (!extend)
			this.anchor = this.cursor;
		this.voice.textContent = Heat.span(this.time(this.cursor), this.time(this.cursor + 1)) + ": " +
			Units.samples(this.cells[this.cursor]) + (extend ? ", selecting from " +
			Units.ns(this.time(Math.min(this.anchor, this.cursor))) : "");
		if (extend)
			this.select(this.anchor, this.cursor);
		else
			this.draw();
	}

	/* --- the picture ---------------------------------------------------------------------- */

	/* One hue, from the page's own to the strongest; by the root, so that few show beside many. */
	colour(value) {
		const dark = document.documentElement.dataset.theme === "dark";
		const [from, to] = dark ? [[36, 46, 68], [156, 196, 255]] : [[214, 226, 244], [11, 61, 145]];
		const share = this.most ? Math.sqrt(value / this.most) : 0;
		return "rgb(" + from.map((v, i) => Math.round(v + (to[i] - v) * share)).join(",") + ")";
	}

	paint() {
		const {grid, context: c} = this, ratio = window.devicePixelRatio || 1;
		const width = this.stage.clientWidth;
		if (!width)
			return;
		this.rowHeight = Math.max(4, Math.min(26, Math.floor(180 / grid.rows)));
		this.columnWidth = (width - HEAT_LEFT) / grid.columns;
		const height = grid.rows * this.rowHeight + HEAT_BELOW;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = height + "px";
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.paintCells();
		this.paintAxes(width);
		this.paintRange();
	}

	/* Where a cell lies: left, top, width, height. */
	rect(cell) {
		const column = Math.floor(cell / this.grid.rows), row = cell % this.grid.rows;
		const left = Math.round(HEAT_LEFT + column * this.columnWidth);
		const right = Math.round(HEAT_LEFT + (column + 1) * this.columnWidth);
		return [left, row * this.rowHeight, right - left, this.rowHeight];
	}

	paintCells() {
		const c = this.context, style = getComputedStyle(this.stage), gap = this.columnWidth > 5 ? 1 : 0;
		const empty = style.getPropertyValue("--shade");
		this.ink = {soft: style.getPropertyValue("--soft"), focus: style.getPropertyValue("--match")};
		for (let i = 0; i < this.cells.length; i++) {
			const [x, y, w, h] = this.rect(i);
			c.fillStyle = this.cells[i] ? this.colour(this.cells[i]) : empty;
			c.fillRect(x, y, w - gap, h - (this.rowHeight > 5 ? 1 : 0));
		}
	}

	paintAxes(width) {
		const c = this.context, {grid} = this, bottom = grid.rows * this.rowHeight;
		const every = Math.max(1, Math.ceil(72 / this.columnWidth));
		c.font = "11px " + getComputedStyle(this.stage).fontFamily;
		c.fillStyle = this.ink.soft;
		c.textBaseline = "top";
		for (let i = 0; i < grid.columns; i += every) {
			const x = HEAT_LEFT + i * this.columnWidth, text = Units.ns(i * grid.column);
			if (x + c.measureText(text).width < width)
				c.fillText(text, x, bottom + 5);
		}
		c.textAlign = "right";
		const lines = Math.max(1, Math.ceil(16 / this.rowHeight), Math.ceil(grid.rows / 5));
		for (let i = 0; i < grid.rows; i += lines)
			c.fillText("+" + Units.ns(i * grid.cell), HEAT_LEFT - 6, i * this.rowHeight);
		c.textAlign = "left";
	}

	/* What is selected keeps its colours, all else fades; the cursor has a frame. */
	paintRange() {
		const c = this.context, {from, to} = this.model.filter, dragging = this.dragging;
		const [a, b] = dragging ? [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor) + 1]
			: [(from || 0) / this.grid.cell, to === null ? this.cells.length : to / this.grid.cell];
		if (dragging || from !== null || to !== null) {
			c.globalAlpha = 0.72;
			c.fillStyle = getComputedStyle(this.stage).getPropertyValue("--page");
			for (let i = 0; i < this.cells.length; i++)
				if (i < Math.floor(a) || i >= Math.ceil(b))
					c.fillRect(...this.rect(i));
			c.globalAlpha = 1;
		}
		if (!this.stage.matches(":focus"))
			return;
		const [x, y, w, h] = this.rect(this.cursor);
		c.lineWidth = 2;
		c.strokeStyle = this.ink.focus;
		c.strokeRect(x - 1, y - 1, w + 1, h + 1);
	}
}
