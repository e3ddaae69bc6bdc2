const HEAT_COLUMNS = 40, HEAT_COLUMNS_MOST = 400, HEAT_ROWS = 5, HEAT_ROWS_MOST = 50;
const HEAT_LEFT = 58, HEAT_BELOW = 20, HEAT_SAMPLES = 2; /* a cell, on average */

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
 * FlameScope has them. */
class Heat extends TimeChart {
	constructor(model, report) {
		super(model, report);
		this.draw = oncePerFrame(() => {
			this.drawScale();
			this.paint();
		});
		this.build({name: "heat", title: "Samples over time", role: "heatmap", keys: "Arrow keys move, " +
			"with Shift they extend the selection, Enter selects the cell, Escape the whole capture."});
		this.listen();
		this.count();
	}

	/* --- the numbers ---------------------------------------------------------------------- */

	/* Samples by cell, of the metric and the threads that show, at all times. */
	count() {
		const {model} = this, {rows, buckets, filter} = model, samples = rows.samples[filter.metric];
		const chosen = model.chosenThreads(), steps = new Float64Array(buckets.n);
		/* When what changed was looked at says nothing. */
		this.box.hidden = model.metrics[filter.metric].summed;
		let sum = 0;
		for (let r = 0; r < rows.n; r++)
			if (chosen[rows.thread[r]]) {
				steps[rows.bucket[r]] += samples[r];
				sum += samples[r];
			}
		this.grid = heatGrid(buckets.n * buckets.width_ns, buckets.width_ns, sum);
		const each = this.grid.cell / buckets.width_ns;
		this.counts = new Float64Array(Math.ceil(buckets.n / each));
		steps.forEach((v, i) => { this.counts[Math.floor(i / each)] += v; });
		this.most = this.counts.reduce((a, v) => Math.max(a, v), 0);
		this.keepCells();
		this.words();
		this.draw();
	}

	get cells() {
		return this.counts.length;
	}

	get cellNs() {
		return this.grid.cell;
	}

	words() {
		const {grid, model} = this, {from, to} = model.filter, {rows, filter} = model;
		const metric = model.metrics[filter.metric];
		this.heading.textContent = metric.name + ": each column is " + Units.ns(grid.column) +
			(grid.rows > 1 ? ", each cell " + Units.ns(grid.cell) : "") + ". Drag to select a time range; " +
			"the graph and tables then show only that range (zones, ledger and cost do not).";
		this.all.disabled = this.isWhole;
		const takes = model.takes();
		let taken = 0;
		for (let r = 0; r < rows.n; r++)
			taken += takes(r) ? rows.samples[filter.metric][r] : 0;
		this.status.textContent = this.isWhole ? "" : TimeChart.span(from || 0,
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

	tipOf(cell) {
		return {title: this.cellWords(cell), lines: [["Samples", Units.count(this.counts[cell])]]};
	}

	spoken(cell) {
		return this.cellWords(cell) + ": " + Units.samples(this.counts[cell]);
	}

	/* --- selection ------------------------------------------------------------------------ */

	/* The cell at a point, the nearest one of those beside it. */
	cellAt(e) {
		const place = this.canvas.getBoundingClientRect(), {grid} = this;
		const column = Math.floor((e.clientX - place.left - HEAT_LEFT) / this.columnWidth);
		const row = Math.floor((e.clientY - place.top) / this.rowHeight);
		const clamp = (v, most) => Math.max(0, Math.min(most - 1, v));
		return clamp(clamp(column, grid.columns) * grid.rows + clamp(row, grid.rows), this.cells);
	}

	click() {
		this.select(this.anchor, this.cursor);
	}

	get steps() {
		const {rows} = this.grid;
		return {ArrowLeft: -rows, ArrowRight: rows, ArrowUp: -1, ArrowDown: 1, Home: -this.cells,
			End: this.cells};
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
		const {grid} = this, width = this.stage.clientWidth;
		if (!width)
			return;
		this.rowHeight = Math.max(4, Math.min(26, Math.floor(180 / grid.rows)));
		this.columnWidth = (width - HEAT_LEFT) / grid.columns;
		this.resize(width, grid.rows * this.rowHeight + HEAT_BELOW);
		this.paintCells();
		this.paintAxes();
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
		const c = this.context, gap = this.columnWidth > 5 ? 1 : 0;
		for (let i = 0; i < this.cells; i++) {
			const [x, y, w, h] = this.rect(i);
			c.fillStyle = this.counts[i] ? this.colour(this.counts[i]) : this.ink.empty;
			c.fillRect(x, y, w - gap, h - (this.rowHeight > 5 ? 1 : 0));
		}
	}

	paintAxes() {
		const c = this.context, {grid} = this;
		this.paintTimes({left: HEAT_LEFT, top: grid.rows * this.rowHeight + 5, width: this.columnWidth,
			column: grid.column, span: grid.columns * grid.column});
		c.textAlign = "right";
		const lines = Math.max(1, Math.ceil(16 / this.rowHeight), Math.ceil(grid.rows / 5));
		for (let i = 0; i < grid.rows; i += lines)
			c.fillText("+" + Units.ns(i * grid.cell), HEAT_LEFT - 6, i * this.rowHeight);
		c.textAlign = "left";
	}

	/* What is selected keeps its colours, all else fades; the cursor has a frame. */
	paintRange() {
		const c = this.context, {range} = this;
		if (range)
			this.fade(() => {
				for (let i = 0; i < this.cells; i++)
					if (i < Math.floor(range[0]) || i >= Math.ceil(range[1]))
						c.fillRect(...this.rect(i));
			});
		if (!this.stage.matches(":focus"))
			return;
		const [x, y, w, h] = this.rect(this.cursor);
		c.lineWidth = 2;
		c.strokeStyle = this.ink.focus;
		c.strokeRect(x - 1, y - 1, w + 1, h + 1);
	}
}
