/* Lengths that people count in, in ns: 1, 2 and 5 of each power of ten up to seconds, then minutes
 * and hours. */
const ROUND_TIMES = [...Array(10).keys()].flatMap(k => [1, 2, 5].map(v => v * 10 ** k))
	.concat([10, 20, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400].map(s => s * 1e9));
const TICK = 72; /* pixels from one time below a chart to the next, at least */

/* TimeChart: what charts of the whole capture share, on which time goes from left to right: cells of
 * equal length by number, a range of them that one chooses with pointer or keys, which is what all
 * other parts of the page show then, and the times below.
 *
 * A chart gives cells (how many), cellNs, cellAt(e), steps (cells by arrow key), tipOf(cell),
 * spoken(cell), click() and paint(); and has a name for its section's class. */
class TimeChart {
	constructor(model, report) {
		this.model = model;
		this.report = report;
		this.cursor = this.anchor = 0;
		this.draw = oncePerFrame(() => this.paint());
	}

	/* @what: {name, title, role, keys}: its class, heading, what it is and its keys to a screen reader. */
	build({name, title, role, keys}) {
		this.all = make("button", {type: "button"}, "Whole capture");
		this.all.addEventListener("click", () => this.clear());
		this.status = make("span", {class: "matched", role: "status"});
		this.stage = make("div", {class: "time-stage " + name + "-stage", tabindex: "0", role: "application",
			"aria-roledescription": role, "aria-label": title + ". " + keys});
		this.canvas = make("canvas", {"aria-hidden": "true"});
		this.voice = make("div", {class: "unseen", "aria-live": "polite"});
		this.scale = make("ul", {class: "legend", "aria-label": "Colours"});
		this.stage.append(this.canvas);
		this.heading = make("p", {class: "caption"});
		this.tools = make("div", {class: "tools"}, this.scale, make("span", {class: "gap"}), this.status,
			this.all);
		this.box = make("section", {class: "timechart " + name, "aria-label": title},
			make("h2", {}, title), this.heading, this.stage, this.tools, this.voice);
		this.context = this.canvas.getContext("2d");
	}

	listen() {
		const {stage} = this;
		hear(stage, this);
		stage.addEventListener("focus", () => this.draw());
		stage.addEventListener("blur", () => this.draw());
		this.model.on(() => this.count());
		new ResizeObserver(() => this.resized()).observe(stage);
	}

	resized() {
		this.draw();
	}

	static span(from, to) {
		return Units.ns(from) + " to " + Units.ns(to);
	}

	time(cell) {
		return cell * this.cellNs;
	}

	/* "1.00 s to 1.10 s" */
	cellWords(cell) {
		return TimeChart.span(this.time(cell), this.time(cell + 1));
	}

	/* Cursor and anchor, if there are fewer cells now. */
	keepCells() {
		this.cursor = Math.min(this.cursor, this.cells - 1);
		this.anchor = Math.min(this.anchor, this.cells - 1);
	}

	/* --- selection ------------------------------------------------------------------------ */

	get isWhole() {
		const {from, to} = this.model.filter;
		return from === null && to === null;
	}

	/* Everything from cell to cell, both included. */
	select(a, b) {
		this.model.set({from: this.time(Math.min(a, b)), to: this.time(Math.max(a, b) + 1)});
	}

	clear() {
		this.model.set({from: null, to: null});
	}

	/* The cells that are selected, or about to be, as [from, to); null: all. */
	get range() {
		const {from, to} = this.model.filter;
		if (this.dragging)
			return [Math.min(this.anchor, this.cursor), Math.max(this.anchor, this.cursor) + 1];
		return this.isWhole ? null :
			[(from || 0) / this.cellNs, to === null ? this.cells : to / this.cellNs];
	}

	/* --- pointer -------------------------------------------------------------------------- */

	press(e) {
		if (e.button)
			return;
		this.anchor = this.cursor = this.cellAt(e);
		this.pressed = true;
		this.dragging = false;
		this.stage.setPointerCapture(e.pointerId);
	}

	move(e) {
		const at = this.cellAt(e);
		this.report.tip(this.tipOf(at), e.clientX, e.clientY);
		if (!this.pressed || at === this.cursor)
			return;
		this.cursor = at;
		this.dragging = true;
		this.draw();
	}

	release() {
		const {pressed, dragging} = this;
		this.drop();
		if (pressed && dragging)
			this.select(this.anchor, this.cursor);
		else if (pressed)
			this.click();
	}

	drop() {
		this.pressed = this.dragging = false;
		this.draw();
	}

	/* --- keys ----------------------------------------------------------------------------- */

	key(e) {
		const {steps} = this;
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key in steps)
			this.walk(steps[e.key], e.shiftKey);
		else if (e.key === "Enter" || e.key === " ")
			this.click();
		else if (e.key === "Escape")
			this.clear();
		else
			return;
		e.preventDefault();
		e.stopPropagation();
	}

	walk(by, extend) {
		this.cursor = Math.max(0, Math.min(this.cells - 1, this.cursor + by));
		if (!extend)
			this.anchor = this.cursor;
		this.voice.textContent = this.spoken(this.cursor) + (extend ? ", selecting from " +
			Units.ns(this.time(Math.min(this.anchor, this.cursor))) : "");
		if (extend)
			this.select(this.anchor, this.cursor);
		else
			this.draw();
	}

	/* --- the picture ---------------------------------------------------------------------- */

	/* Fits the canvas to its place. */
	resize(width, height) {
		const ratio = window.devicePixelRatio || 1, style = getComputedStyle(this.stage);
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.height = height + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.context.font = "11px " + style.fontFamily;
		const ink = name => style.getPropertyValue("--" + name);
		this.ink = {soft: ink("soft"), text: ink("ink"), empty: ink("shade"), page: ink("page"),
			focus: ink("match"), line: ink("line")};
	}

	/* Round times of whole columns below columns of @column ns that are @width pixels wide each. */
	paintTimes({left, top, width, column, span}) {
		const c = this.context, least = TICK / width * column;
		const tick = ROUND_TIMES.find(t => t >= least && t % column === 0) ||
			Math.max(1, Math.ceil(least / column)) * column;
		c.fillStyle = this.ink.soft;
		c.textBaseline = "top";
		c.textAlign = "left";
		for (let t = 0; t < span; t += tick) {
			const x = left + t / column * width, text = t ? Units.ns(t) : "0";
			if (x + c.measureText(text).width < this.stage.clientWidth)
				c.fillText(text, x, top);
		}
	}

	/* Lets what @paint fills fade. */
	fade(paint) {
		const c = this.context;
		c.globalAlpha = 0.72;
		c.fillStyle = this.ink.page;
		paint(c);
		c.globalAlpha = 1;
	}
}
