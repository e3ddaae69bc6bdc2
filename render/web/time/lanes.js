const LANE = 18, LANE_GAP = 3, LANES_AT_FIRST = 30, LANES_MORE = 100;
/* So many at most, which a canvas has room for on each screen (16,384 pixels), as far as the busiest
 * threads go; others show when they are chosen. */
const LANES_MOST = 400;
const LANE_COLUMN = 3; /* pixels, at least */
const LANE_COLUMNS_MOST = 400, LANES_BELOW = 22;

/* Lanes: what each thread did over time, a lane each: a bar a column, cut into states by their share of
 * the column's time. A click chooses the thread. */
class Lanes extends TimeChart {
	constructor(model, report) {
		super(model, report);
		this.states = new ThreadStates(model);
		this.most = LANES_AT_FIRST;
		this.lane = 0; /* under the cursor */
		this.counted = ""; /* what sums are of */
		this.build({name: "lanes", title: "Threads over time", role: "timeline", keys: "Up and down move " +
			"between threads, left and right in time, with Shift they select a time range; Enter chooses " +
			"the thread, Escape the whole capture."});
		this.more = make("button", {type: "button"});
		this.more.addEventListener("click", () => this.showMore());
		this.tools.before(this.more);
		this.listen();
		this.count();
	}

	/* Whether the model has time of threads at all. */
	get any() {
		return this.states.threads.length > 0;
	}

	/* --- the numbers ---------------------------------------------------------------------- */

	/* The busiest, and chosen ones that are not among them. */
	choose() {
		const {threads} = this.states, first = threads.slice(0, this.most);
		this.chosen = this.model.chosenThreads();
		const isPart = this.chosen.some(v => !v);
		this.shown = first.concat(isPart ? threads.slice(this.most).filter(t => this.chosen[t])
			.slice(0, LANES_AT_FIRST) : []);
	}

	/* Columns of round length, so many as there is room for. */
	measure() {
		const {buckets} = this.model, step = buckets.width_ns, span = buckets.n * step;
		const width = this.stage.clientWidth || 800;
		this.left = width < 640 ? 96 : 170;
		const most = Math.max(1, Math.min(LANE_COLUMNS_MOST, Math.floor((width - this.left) / LANE_COLUMN)));
		this.cellNs = ROUND_TIMES.find(t => t % step === 0 && span / t <= most) ||
			Math.ceil(span / step / most) * step;
		this.cells = Math.max(1, Math.ceil(span / this.cellNs));
		this.columnWidth = (width - this.left) / (span / this.cellNs);
		this.span = span;
	}

	count() {
		this.choose();
		this.measure();
		const key = this.cellNs + " " + this.shown;
		if (key !== this.counted) {
			this.counted = key;
			this.sums = this.states.columns(this.shown, this.cellNs, this.cells);
		}
		this.keepCells();
		this.lane = Math.min(this.lane, this.shown.length - 1);
		this.words();
		this.draw();
	}

	resized() {
		this.count();
	}

	showMore() {
		this.most = Math.min(LANES_MOST, this.most + LANES_MORE);
		this.count();
		this.stage.focus({preventScroll: true});
	}

	/* [state, ns] of a thread in a column, the longest first. */
	statesIn(thread, column) {
		const {states, width, of} = this.sums, cells = of.get(thread);
		return states.map(s => [s, cells[column * width + s]]).filter(([, ns]) => ns > 0)
			.sort((a, b) => b[1] - a[1]);
	}

	title(thread) {
		const {name, tid, process, pid} = this.model.threads[thread];
		return name + " " + tid + (process && process !== name ? " of " + process + " " + pid : "");
	}

	/* --- words ---------------------------------------------------------------------------- */

	words() {
		const {states, shown, model} = this, left = states.threads.length - shown.length;
		this.heading.textContent = "A lane a thread, the busiest first; each column is " +
			Units.ns(this.cellNs) + ", filled by share of that time. Drag to select a time range, " +
			"click a lane to choose its thread.";
		this.scale.replaceChildren(...this.sums.states.map(s => make("li", {},
			swatch(states.colour(s), s !== RUNNING), states.label(s))));
		this.all.disabled = this.isWhole;
		this.more.hidden = left <= 0;
		this.more.disabled = this.most >= LANES_MOST;
		this.more.textContent = Units.count(left) + (left === 1 ? " more thread" : " more threads");
		const {threads} = model.filter, one = threads && threads.length === 1;
		this.status.textContent = one ? "Only " + shorten(this.title(threads[0])) +
			": click its lane again for all threads" : "";
	}

	linesOf(thread, column) {
		return this.statesIn(thread, column).map(([s, ns]) => [this.states.words(s),
			Units.percent(Math.min(ns, this.cellNs), this.cellNs) + " · " + Units.ns(Math.round(ns))]);
	}

	tipOf(column) {
		const thread = this.shown[this.lane], lines = this.linesOf(thread, column);
		return {title: shorten(this.title(thread)), lines: [["Time", this.cellWords(column)],
			...(lines.length ? lines : [["", "no sample"]])]};
	}

	spoken(column) {
		const thread = this.shown[this.lane], lines = this.linesOf(thread, column);
		return this.title(thread) + ", " + this.cellWords(column) + ": " +
			(lines.map(([label, text]) => label + " " + text).join(", ") || "no sample");
	}

	/* --- selection ------------------------------------------------------------------------ */

	/* The column at a point, and the lane, which stays while one drags. */
	cellAt(e) {
		const place = this.canvas.getBoundingClientRect();
		const clamp = (v, most) => Math.max(0, Math.min(most - 1, Math.floor(v)));
		if (!this.pressed)
			this.lane = clamp((e.clientY - place.top) / LANE, this.shown.length);
		return clamp((e.clientX - place.left - this.left) / this.columnWidth, this.cells);
	}

	/* Its thread alone; where it is that already, all threads. */
	click() {
		const thread = this.shown[this.lane], {threads} = this.model.filter;
		const isChosen = threads && threads.length === 1 && threads[0] === thread;
		this.model.set({threads: isChosen ? null : [thread], processes: null, cgroups: null});
	}

	get steps() {
		return {ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0, Home: -this.cells, End: this.cells};
	}

	key(e) {
		const by = {ArrowUp: -1, ArrowDown: 1}[e.key];
		if (by && !e.ctrlKey && !e.metaKey && !e.altKey)
			this.lane = Math.max(0, Math.min(this.shown.length - 1, this.lane + by));
		super.key(e);
		if (by)
			this.keepInSight();
	}

	/* The lane under the cursor, in the window. */
	keepInSight() {
		const {top} = this.canvas.getBoundingClientRect(), at = top + this.lane * LANE;
		if (at < 0 || at + LANE > innerHeight)
			scrollBy(0, at < 0 ? at - LANE : at + 2 * LANE - innerHeight);
	}

	/* --- the picture ---------------------------------------------------------------------- */

	paint() {
		const width = this.stage.clientWidth;
		if (!width || !this.any)
			return;
		this.resize(width, this.shown.length * LANE + LANES_BELOW);
		this.shown.forEach((thread, lane) => {
			this.paintLane(thread, lane * LANE, width);
			this.paintName(thread, lane * LANE);
		});
		this.paintTimes({left: this.left, top: this.shown.length * LANE + 5, width: this.columnWidth,
			column: this.cellNs, span: this.span});
		this.paintChoice(width);
	}

	/* In whole pixels, so that neighbours meet. */
	columnLeft(column) {
		return Math.round(this.left + column * this.columnWidth);
	}

	/* States from below to above: running, ready, waits. Where samples tell of more than all of the
	 * column's time, it is full. */
	paintLane(thread, top, width) {
		const c = this.context, height = LANE - LANE_GAP, {states, width: all, of} = this.sums;
		const cells = of.get(thread), waits = new Path2D();
		c.fillStyle = this.ink.empty;
		c.fillRect(this.left, top, width - this.left, height);
		const filled = new Float64Array(this.cells), sum = new Float64Array(this.cells);
		for (const s of states)
			for (let i = 0; i < this.cells; i++)
				sum[i] += cells[i * all + s];
		for (const s of states) {
			c.fillStyle = this.states.colour(s);
			for (let i = 0; i < this.cells; i++) {
				const part = cells[i * all + s] / Math.max(sum[i], this.cellNs) * height;
				if (!part)
					continue;
				const x = this.columnLeft(i), right = Math.min(width, this.columnLeft(i + 1));
				const box = [x, top + height - filled[i] - part, right - x, part];
				c.fillRect(...box);
				if (s !== RUNNING)
					waits.rect(...box);
				filled[i] += part;
			}
		}
		c.fillStyle = this.stripes = this.stripes || waitStripes(c);
		c.fill(waits);
	}

	paintName(thread, top) {
		const c = this.context, {name, tid} = this.model.threads[thread];
		c.fillStyle = this.chosen[thread] ? this.ink.text : this.ink.soft;
		c.textBaseline = "middle";
		c.textAlign = "left";
		c.fillText(fitMiddle(c, name + " " + tid, this.left - 8), 0, top + (LANE - LANE_GAP) / 2 + 0.5);
	}

	/* Time and threads that are not selected fade; the cursor has a frame. */
	paintChoice(width) {
		const c = this.context, {range, left} = this, height = this.shown.length * LANE;
		if (range)
			this.fade(() => {
				c.fillRect(left, 0, this.columnLeft(Math.floor(range[0])) - left, height);
				c.fillRect(this.columnLeft(Math.ceil(range[1])), 0, width, height);
			});
		this.fade(() => this.shown.forEach((thread, lane) => {
			if (!this.chosen[thread])
				c.fillRect(left, lane * LANE, width - left, LANE);
		}));
		if (!this.stage.matches(":focus"))
			return;
		c.lineWidth = 2;
		c.strokeStyle = this.ink.focus;
		c.strokeRect(this.columnLeft(this.cursor) - 1, this.lane * LANE - 1,
			Math.max(this.columnWidth, 3) + 2, LANE - LANE_GAP + 2);
	}
}

/* @text, or what fits of its begin and its end into @room pixels. */
function fitMiddle(context, text, room) {
	const letters = Array.from(text), fits = n => letters.slice(0, Math.ceil(n / 2)).join("") + "…" +
		letters.slice(letters.length - Math.floor(n / 2)).join("");
	if (context.measureText(text).width <= room)
		return text;
	let n = letters.length - 1;
	while (n > 2 && context.measureText(fits(n)).width > room)
		n--;
	return fits(n);
}
