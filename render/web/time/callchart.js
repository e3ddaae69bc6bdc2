/* A timeline's calls as html_calls.c wrote them: see html_calls.h. */
function readCallChart(reader) {
	const [from, to, least] = [reader.uint(), reader.uint(), reader.uint()];
	const functions = Array.from({length: reader.uint()}, () => ({name: reader.string(),
		module: reader.string(), colour: colourText(reader.uint())}));
	const kinds = Array.from({length: reader.uint()}, () => ({name: reader.string(),
		colour: colourText(reader.uint())}));
	const ends = Array.from({length: reader.uint()}, () => reader.string());
	const lanes = Array.from({length: reader.uint()}, () => ({name: reader.string(),
		within: reader.uint() === 1, rows: reader.uint(), calls: reader.uint(),
		boxes: reader.uint(), marks: reader.uint(), own: reader.uint()}));
	const boxes = readCallBoxes(reader, reader.uint()), marks = readCallMarks(reader, reader.uint());
	const own = new OwnWork(reader, lanes.map(lane => lane.own ? lane.own - 1 : null));
	return {from, to, least, functions, kinds, ends, lanes, boxes, marks, own};
}

/* From differences to the number before. */
function addUp(column) {
	for (let i = 1; i < column.length; i++)
		column[i] += column[i - 1];
	return column;
}

function readCallBoxes(reader, n) {
	const row = reader.uints(new Uint32Array(n)), start = addUp(reader.ints(new Float64Array(n)));
	const length = reader.uints(new Float64Array(n)), of = reader.uints(new Uint32Array(n));
	const calls = reader.uints(new Float64Array(n)), ended = reader.uints(new Uint32Array(n));
	const texts = reader.uints(new Uint32Array(n));
	return {n, row, start, length, of, calls, ended, text: i => reader.strings[texts[i]]};
}

function readCallMarks(reader, n) {
	const kind = reader.uints(new Uint32Array(n)), start = addUp(reader.ints(new Float64Array(n)));
	const length = reader.uints(new Float64Array(n)), count = reader.uints(new Float64Array(n));
	const texts = reader.uints(new Uint32Array(n));
	return {n, kind, start, length, count, text: i => reader.strings[texts[i]]};
}

const CALL_ROW = 17, CALL_GAP = 9, CALL_STRIP = 4, CALL_AXIS = 20; /* CSS pixels */
const CALL_OWN = 8, CALL_OWN_GAP = 2; /* of the profiler's own work, below the calls and their waits */
const CALL_NARROW = 0.5; /* narrower boxes are drawn as one with their neighbours */
const CALL_EDGE = 2; /* of a call that was cut or did not return */
const MARK_SPAN = "off the CPU", MARK_LOST = "not recorded", MARK_TRIGGER = "trigger", MARK_THROWN = "exception thrown";

/* CallCanvas: what shows of a chart of calls, in a stage that scrolls: the canvas is never higher than
 * the window, so that threads and depth have no bound. */
class CallCanvas {
	constructor(stage, chart) {
		this.stage = stage;
		this.chart = chart;
		this.canvas = make("canvas", {"aria-hidden": "true"});
		this.room = make("div");
		stage.append(this.canvas, this.room);
		this.context = this.canvas.getContext("2d");
		this.view = {from: chart.from, to: chart.to};
		this.focus = -1;
		this.place();
	}

	/* Where lanes and rows are, and which boxes and marks are theirs. */
	place() {
		const {lanes, boxes, marks, own} = this.chart, strip = this.strips ? CALL_STRIP : 0;
		let top = CALL_GAP, box = 0, mark = 0;
		this.rows = []; /* {top, lane, first, end}: boxes of each */
		for (const [k, lane] of lanes.entries()) {
			Object.assign(lane, {top, height: lane.rows * CALL_ROW, firstRow: this.rows.length});
			for (let row = 0, at = box; row < lane.rows; row++) {
				const first = at;
				while (at < box + lane.boxes && boxes.row[at] === row)
					at++;
				this.rows.push({top: top + row * CALL_ROW, lane: k, first, end: at});
			}
			box += lane.boxes;
			lane.firstMark = mark;
			mark += lane.marks;
			lane.ownTop = top + lane.height + strip + CALL_OWN_GAP;
			top += lane.height + strip + CALL_GAP + (own.lanes[k] ? CALL_OWN_GAP + CALL_OWN : 0);
		}
		this.firstLost = mark;
		this.height = top;
		this.marks = marks;
	}

	get strips() {
		const {kinds, marks} = this.chart;
		return marks.kind.some(k => kinds[k].name === MARK_SPAN);
	}

	resize() {
		const ratio = window.devicePixelRatio || 1;
		const most = Math.max(200, Math.round(window.innerHeight * 0.7));
		this.shown = Math.min(this.height + CALL_AXIS, most);
		this.stage.style.height = this.shown + "px";
		this.width = this.stage.clientWidth;
		this.left = this.width < 640 ? 80 : 140;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.shown * ratio);
		this.canvas.style.width = this.width + "px";
		this.canvas.style.height = this.shown + "px";
		this.room.style.height = Math.max(0, this.height + CALL_AXIS - this.shown) + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	/* Pixels a ns. */
	get scale() {
		return (this.width - this.left) / (this.view.to - this.view.from || 1);
	}

	x(ns) {
		return this.left + (ns - this.view.from) * this.scale;
	}

	timeAt(x) {
		const ns = this.view.from + (x - this.left) / this.scale;
		return Math.max(this.view.from, Math.min(this.view.to, ns));
	}

	/* The number of the row at @y from the top of the canvas; -1: there is none. */
	rowAt(y) {
		const at = y + this.stage.scrollTop;
		return this.rows.findIndex(row => at >= row.top && at < row.top + CALL_ROW);
	}

	/* The box there; -1: there is none. */
	at(x, y) {
		const row = this.rows[this.rowAt(y)];
		if (!row || x < this.left || y > this.shown - CALL_AXIS)
			return -1;
		return this.find(row, this.view.from + (x - this.left) / this.scale, 1 / this.scale);
	}

	/* The box of a row that is nearest to a time, within @near. */
	find({first, end}, ns, near) {
		const {start, length} = this.chart.boxes;
		let best = -1, least = near;
		for (let i = first; i < end && start[i] - near <= ns; i++) {
			const away = Math.max(start[i] - ns, ns - start[i] - length[i], 0);
			if (away < least || away === 0)
				[best, least] = [i, away];
		}
		return best;
	}

	/* The number of the lane whose strip of the profiler's own work is there; -1: none. */
	ownAt(x, y) {
		const at = y + this.stage.scrollTop, {lanes, own} = this.chart;
		if (x < this.left || y > this.shown - CALL_AXIS)
			return -1;
		return lanes.findIndex((lane, k) => own.lanes[k] && at >= lane.ownTop && at < lane.ownTop + CALL_OWN);
	}

	rowOf(box) {
		return this.rows.findIndex(({first, end}) => box >= first && box < end);
	}

	/* --- painting ------------------------------------------------------------------------- */

	draw() {
		const c = this.context, style = getComputedStyle(this.stage);
		const ink = name => style.getPropertyValue("--" + name);
		this.ink = {soft: ink("soft"), text: ink("ink"), line: ink("line"), focus: ink("focus")};
		c.clearRect(0, 0, this.width, this.shown);
		c.font = "11px " + style.fontFamily;
		c.textBaseline = "middle";
		c.save();
		c.beginPath();
		c.rect(0, 0, this.width, this.shown - CALL_AXIS);
		c.clip();
		this.drawLost();
		this.chart.lanes.forEach((lane, k) => this.drawLane(lane, k));
		this.drawFocus();
		c.restore();
		this.drawTimes();
	}

	drawLost() {
		const {marks} = this, c = this.context;
		c.globalAlpha = 0.3;
		for (let i = this.firstLost; i < marks.n; i++) {
			c.fillStyle = this.chart.kinds[marks.kind[i]].colour;
			this.fill(this.x(marks.start[i]), this.x(marks.start[i] + marks.length[i]), 0, this.shown, 1);
		}
		c.globalAlpha = 1;
	}

	/* What of it lies beside the names. */
	fill(from, to, top, height, least) {
		const left = Math.max(this.left, from), right = Math.min(this.width, Math.max(to, from + least));
		if (right > left)
			this.context.fillRect(left, top, right - left, height);
		return [left, right];
	}

	drawLane(lane, k) {
		const c = this.context, top = lane.top - this.stage.scrollTop;
		if (top > this.shown || lane.ownTop + CALL_OWN + CALL_GAP < this.stage.scrollTop)
			return;
		c.fillStyle = this.ink.line;
		c.fillRect(0, top - CALL_GAP / 2, this.width, 1);
		for (let row = 0; row < lane.rows; row++)
			this.drawRow(this.rows[lane.firstRow + row]);
		this.drawMarks(lane, top);
		if (this.chart.own.lanes[k])
			this.drawOwn(this.chart.own, this.chart.own.lanes[k], lane.ownTop - this.stage.scrollTop);
		c.fillStyle = lane.within ? this.ink.soft : this.ink.text;
		c.fillText(fitMiddle(c, lane.name, this.left - (lane.within ? 26 : 14)), lane.within ? 18 : 6,
			top + CALL_ROW / 2);
	}

	drawRow({top, first, end}) {
		const {boxes} = this.chart, {from, to} = this.view, least = CALL_NARROW / this.scale;
		let run = null;
		top -= this.stage.scrollTop;
		if (top > this.shown || top + CALL_ROW < 0)
			return;
		for (let i = first; i < end && boxes.start[i] < to; i++) {
			const start = boxes.start[i], stop = start + boxes.length[i];
			if (stop < from)
				continue;
			const narrow = boxes.calls[i] > 1 || boxes.length[i] < least;
			if (run && (!narrow || start > run.to + least))
				run = this.drawRun(run, top);
			if (!narrow)
				this.drawCall(i, top);
			else if (run)
				Object.assign(run, {to: Math.max(run.to, stop), n: run.n + boxes.calls[i]});
			else
				run = {from: start, to: stop, n: boxes.calls[i]};
		}
		this.drawRun(run, top);
	}

	drawRun(run, top) {
		if (!run)
			return null;
		const c = this.context;
		c.fillStyle = MERGED;
		const [left, right] = this.fill(this.x(run.from), this.x(run.to), top, CALL_ROW - 1, CALL_NARROW);
		const text = Units.count(run.n) + (run.n === 1 ? " call" : " calls");
		if (c.measureText(text).width <= right - left - 8)
			this.label(text, left, right, top);
		return null;
	}

	drawCall(i, top) {
		const {boxes, functions, ends} = this.chart, c = this.context, of = functions[boxes.of[i] - 1];
		const from = this.x(boxes.start[i]), to = this.x(boxes.start[i] + boxes.length[i]);
		c.fillStyle = of.colour;
		const gap = to - from > 3 ? 1 : 0;
		const [left, right] = this.fill(from, to - gap, top, CALL_ROW - 1, CALL_NARROW);
		const ended = ends[boxes.ended[i]];
		if (ended && right - left > 3 * CALL_EDGE)
			this.drawEdges(ended, from, to - gap, top);
		this.label(Names.shown(of.name), left, right, top);
	}

	/* Dark where a call was cut, red where it was left. */
	drawEdges(ended, from, to, top) {
		const c = this.context;
		c.fillStyle = "#16181d";
		if (/begin|both/.test(ended))
			this.fill(from, from + CALL_EDGE, top, CALL_ROW - 1, 0);
		if (/end|both/.test(ended))
			this.fill(to - CALL_EDGE, to, top, CALL_ROW - 1, 0);
		c.fillStyle = this.chart.kinds[0].colour;
		if (/left/.test(ended))
			this.fill(to - CALL_EDGE, to, top, CALL_ROW - 1, 0);
	}

	label(text, left, right, top) {
		const c = this.context, room = right - left - 8;
		if (room < 18)
			return;
		c.fillStyle = "#16181d";
		c.fillText(fitStart(c, text, room), left + 4, top + CALL_ROW / 2);
	}

	drawMarks(lane, top) {
		const {marks, chart} = this, c = this.context;
		for (let i = lane.firstMark; i < lane.firstMark + lane.marks; i++) {
			const {name, colour} = chart.kinds[marks.kind[i]];
			const from = this.x(marks.start[i]), to = this.x(marks.start[i] + marks.length[i]);
			c.fillStyle = colour;
			if (name === MARK_SPAN)
				this.fill(from, to, top + lane.height, CALL_STRIP, 1);
			else if (name === MARK_TRIGGER)
				this.fill(from, to, top - CALL_GAP / 2, lane.height + CALL_GAP / 2, 1.5);
			else
				this.fill(from - 1, to + 1, top - (name === MARK_THROWN ? 6 : 2), name === MARK_THROWN ? 4 : 3, 2);
		}
	}

	/* A band as high as all of the time, filled from below. */
	drawOwn(own, lane, top) {
		const c = this.context, {left, scale, view} = this, timeOf = x => view.from + x / scale;
		c.fillStyle = this.ink.soft;
		c.fillText(fitStart(c, own.name, left - 26), 18, top + CALL_OWN / 2);
		c.fillStyle = own.colour;
		c.globalAlpha = 0.14;
		c.fillRect(left, top, this.width - left, CALL_OWN);
		c.globalAlpha = 1;
		for (const [from, to, share] of own.runs(lane, this.width - left, timeOf, CALL_OWN))
			c.fillRect(left + from, top + CALL_OWN * (1 - Math.min(1, share)), to - from, CALL_OWN * Math.min(1, share));
	}

	drawFocus() {
		const {boxes} = this.chart, i = this.focus, c = this.context;
		if (i < 0)
			return;
		const row = this.rows[this.rowOf(i)], top = row.top - this.stage.scrollTop;
		const left = Math.max(this.left, this.x(boxes.start[i]));
		const right = Math.min(this.width, this.x(boxes.start[i] + boxes.length[i]));
		c.lineWidth = 2;
		c.strokeStyle = this.ink.focus;
		if (right >= this.left && left <= this.width)
			c.strokeRect(left, top, Math.max(right - left - 1, 2), CALL_ROW - 1);
	}

	drawTimes() {
		const c = this.context, {from, to} = this.view, top = this.shown - CALL_AXIS;
		const least = (to - from) / Math.max(1, (this.width - this.left) / TICK);
		const tick = ROUND_TIMES.find(t => t >= least) || least;
		c.fillStyle = this.ink.line;
		c.fillRect(this.left, top, this.width - this.left, 1);
		/* By number: late times may be so large that a tick changes nothing. */
		for (let k = 0, first = Math.ceil(from / tick); k <= this.width / TICK && (first + k) * tick <= to; k++) {
			const t = (first + k) * tick, x = this.x(t), text = CallLanes.time(t, tick);
			c.fillStyle = this.ink.line;
			c.fillRect(x, top, 1, 5);
			c.fillStyle = this.ink.soft;
			if (x + 3 + c.measureText(text).width < this.width)
				c.fillText(text, x + 3, top + CALL_AXIS / 2 + 2);
		}
	}
}

/* What fits of the begin of @text into @room pixels; of a long one what is next to fit. */
function fitStart(context, text, room) {
	let n = text.length, shown = text, width = context.measureText(text).width;
	while (n > 1 && width > room) {
		n = Math.min(n - 1, Math.ceil(n * room / width));
		shown = text.slice(0, n) + "…";
		width = context.measureText(shown).width;
	}
	return width <= room ? shown : "";
}
