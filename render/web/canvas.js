const ROW = 19; /* CSS pixels, the line between rows included */
const LEAST_BOX = 0.3; /* narrower boxes are searched and counted; neighbours are drawn as one */
const MERGED = "#ced0d4"; /* FLAME_MERGED */
const LEAST_TEXT = 28, LEAST_WORDS = 260;
const LEAST_VIEW = 1e-7; /* of the whole */
const CALLERS_SHOWN = 4;
const STRIPE = 7; /* pixels from one stripe to the next */

/* Canvas: draws the visible part of a tree into a scrolling stage: the canvas is never larger
 * than the window, so that depth has no bound. */
class Canvas {
	constructor(stage, tree) {
		this.stage = stage;
		this.canvas = make("canvas", {"aria-hidden": "true"});
		this.room = make("div");
		this.stage.append(this.canvas, this.room);
		this.context = this.canvas.getContext("2d");
		this.matches = null;
		this.icicle = true;
		this.share = 1; /* of the window's height, at most */
		this.setTree(tree);
	}

	setTree(tree) {
		this.tree = tree;
		this.focus = 0;
		this.zoom(0);
	}

	zoom(base) {
		this.base = base;
		this.rows = this.tree.rowsBelow(base);
		this.view = {from: this.tree.x[base], to: this.tree.x[base] + this.tree.total[base]};
	}

	/* Shows the values from @from to @to; what is zoomed becomes a caller of all of it. */
	setView(from, to) {
		const {tree} = this, whole = tree.total[0];
		const size = Math.min(whole, Math.max(to - from, whole * LEAST_VIEW));
		from = Math.min(Math.max(0, from), whole - size);
		let base = this.base;
		while (base && (from < tree.x[base] || from + size > tree.x[base] + tree.total[base]))
			base = tree.parent[base];
		if (base !== this.base)
			this.zoom(base);
		this.view = {from, to: from + size};
	}

	/* Whether less shows than the box that is zoomed. */
	get isPart() {
		const {tree, base, view} = this;
		return view.to - view.from < tree.total[base];
	}

	/* Fits the canvas to its place. @whole: all rows at once, for print. */
	resize(whole) {
		const height = this.rows * ROW;
		const most = whole ? 16000 : Math.max(240, Math.round(window.innerHeight * this.share));
		const ratio = window.devicePixelRatio || 1;
		this.height = Math.min(height, most);
		this.stage.style.height = this.height + "px";
		this.width = this.stage.clientWidth;
		this.canvas.width = Math.round(this.width * ratio);
		this.canvas.height = Math.round(this.height * ratio);
		this.canvas.style.width = this.width + "px";
		this.canvas.style.height = this.height + "px";
		this.room.style.height = Math.max(0, height - this.height) + "px";
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	rowTop(depth) {
		return (this.icicle ? depth : this.rows - 1 - depth) * ROW - this.stage.scrollTop;
	}

	/* Left edge and width in pixels; ancestors of what is zoomed are all of it. */
	span(i) {
		const {tree, base} = this;
		if (!tree.isWithin(i, base))
			return {left: 0, width: this.width};
		return {left: (tree.x[i] - this.view.from) * this.scale, width: tree.total[i] * this.scale};
	}

	/* Pixels a unit. */
	get scale() {
		return this.width / (this.view.to - this.view.from || 1);
	}

	at(x, y) {
		const row = Math.floor((y + this.stage.scrollTop) / ROW);
		const depth = this.icicle ? row : this.rows - 1 - row;
		const {tree, base} = this;
		if (depth < 0 || depth >= this.rows)
			return -1;
		if (depth < tree.depth[base])
			return tree.ancestors(base)[depth];
		const value = this.view.from + x / this.scale;
		const i = tree.find(base, value, depth);
		return i >= 0 && this.span(i).width >= LEAST_BOX ? i : -1;
	}

	show(i) {
		const top = this.rowTop(this.tree.depth[i]);
		if (top < 0)
			this.stage.scrollTop += top;
		else if (top + ROW > this.height)
			this.stage.scrollTop += top + ROW - this.height;
	}

	/* So that a few callers of @i show, and as much as can of what it calls. */
	scrollTo(i) {
		const above = Math.max(0, this.tree.depth[i] - CALLERS_SHOWN) * ROW;
		const most = Math.max(0, this.rows * ROW - this.height);
		this.stage.scrollTop = this.icicle ? above : most - above;
	}

	draw() {
		const style = getComputedStyle(this.stage);
		this.ink = {
			match: style.getPropertyValue("--match"),
			focus: style.getPropertyValue("--focus"),
			mark: style.getPropertyValue("--mark"),
			dim: Number(style.getPropertyValue("--dim")),
		};
		this.context.clearRect(0, 0, this.width, this.height);
		this.context.font = "12px " + style.fontFamily;
		this.context.textBaseline = "middle";
		this.letter = this.context.measureText("abcdefghij_nopqrstuv").width / 20;
		for (const i of this.tree.ancestors(this.base))
			this.drawBox(i, 0, this.width, true);
		this.drawBoxes();
		this.drawFocus();
	}

	drawBoxes() {
		const {tree, base} = this;
		const {x, total, depth, end} = tree, {scale, height} = this, {from} = this.view;
		const least = LEAST_BOX / scale, to = this.view.to;
		let narrow = null;
		for (let i = base, last = end[base]; i < last;) {
			const outside = x[i] >= to || x[i] + total[i] <= from;
			if (outside || total[i] < least) {
				if (!outside && i !== base)
					narrow = this.merge(narrow, i);
				i = i === base ? i + 1 : end[i];
				continue;
			}
			const top = this.rowTop(depth[i]);
			if (this.icicle ? top > height : top + ROW < 0) {
				i = end[i];
				continue;
			}
			if (top + ROW > 0 && top < height)
				this.drawPart(i, (x[i] - from) * scale, total[i] * scale);
			i++;
		}
		this.drawMerged(narrow);
	}

	/* Adds box @i to the narrow ones before it, if it is next to them; else draws these. */
	merge(narrow, i) {
		const {x, total, depth, frame} = this.tree;
		if (!narrow || narrow.depth !== depth[i] || narrow.to !== x[i]) {
			this.drawMerged(narrow);
			narrow = {depth: depth[i], from: x[i], match: false, n: 0};
		}
		narrow.n++;
		narrow.to = x[i] + total[i];
		narrow.match = narrow.match || this.matches && this.matches[frame[i]];
		return narrow;
	}

	drawMerged(narrow) {
		const c = this.context, left = narrow ? (narrow.from - this.view.from) * this.scale : 0;
		const width = narrow ? (narrow.to - narrow.from) * this.scale : 0;
		if (width < LEAST_BOX)
			return;
		c.globalAlpha = this.matches && !narrow.match ? this.ink.dim : 1;
		c.fillStyle = narrow.match ? this.ink.match : MERGED;
		const top = this.rowTop(narrow.depth);
		c.fillRect(left, top, width, ROW - 1);
		c.globalAlpha = 1;
		if (width >= LEAST_WORDS)
			this.drawText(Units.count(narrow.n) + " functions, each too narrow to be drawn", left + 4,
				top + (ROW - 1) / 2, width - 9, false);
	}

	/* What of a box lies in the window, so that its name does. */
	drawPart(i, left, width) {
		const right = Math.min(left + width, this.width + 2);
		left = Math.max(left, i === this.base && !this.isPart ? 0 : left < 0 ? -1 : left);
		this.drawBox(i, left, right - left, false);
	}

	drawBox(i, left, width, faded) {
		const c = this.context, top = this.rowTop(this.tree.depth[i]);
		const match = this.matches && this.matches[this.tree.frame[i]];
		c.globalAlpha = faded ? 0.55 : this.matches && !match ? this.ink.dim : 1;
		c.fillStyle = match ? this.ink.match : this.tree.colour(i);
		c.fillRect(left, top, Math.max(width - (width > 3 ? 1 : 0), LEAST_BOX), ROW - 1);
		if (!match && this.tree.of(i).reason && width > 3) {
			c.fillStyle = this.stripes;
			c.fillRect(left, top, width - 1, ROW - 1);
		}
		c.globalAlpha = 1;
		if (match && width > 6) {
			c.fillStyle = this.ink.mark;
			c.fillRect(left, top + ROW - 3, width - 1, 2);
		}
		if (width >= LEAST_TEXT)
			this.drawText(this.fitting(i, width - 9), left + 4, top + (ROW - 1) / 2, width - 9, faded);
	}

	/* The label, or where it has no room a shorter one, if there is one. */
	fitting(i, room) {
		const label = this.tree.label(i), short = this.tree.labelShort(i);
		return short && this.context.measureText(label).width > room ? short : label;
	}

	/* Boxes of time off the CPU are striped: told apart without colours, too. */
	get stripes() {
		this.pattern = this.pattern || waitStripes(this.context);
		return this.pattern;
	}

	drawText(name, left, middle, room, faded) {
		const c = this.context;
		let text = name, n = Math.floor(room / this.letter * 1.25) + 1;
		if (name.length > n)
			text = name.slice(0, n) + "…";
		while (text.length > 2 && c.measureText(text).width > room) {
			n = Math.min(n, text.length) - Math.max(1, Math.floor(text.length / 24));
			text = name.slice(0, Math.max(1, n)) + "…";
		}
		if (text.length <= 2 && text !== name)
			return;
		c.fillStyle = faded && document.documentElement.dataset.theme === "dark" ? "#fff" : "#16181d";
		c.fillText(text, left, middle + 0.5);
	}

	drawFocus() {
		const span = this.span(this.focus), c = this.context;
		const left = Math.max(0, span.left);
		const width = Math.min(this.width, span.left + span.width) - left;
		if (!this.stage.matches(":focus") && this.focus === this.base)
			return;
		c.lineWidth = 2;
		c.strokeStyle = this.ink.focus;
		c.strokeRect(left + 1, this.rowTop(this.tree.depth[this.focus]) + 1,
			Math.max(width - 3, 2), ROW - 3);
	}
}

/* A function that has @draw called at the next frame, once however often it is called before. */
function oncePerFrame(draw) {
	let pending = false;
	return () => {
		if (pending)
			return;
		pending = true;
		requestAnimationFrame(() => {
			pending = false;
			draw();
		});
	};
}

/* What is drawn over time off the CPU. */
function waitStripes(context) {
	const tile = make("canvas", {width: STRIPE, height: STRIPE}), c = tile.getContext("2d");
	c.strokeStyle = "rgb(20 24 40 / 17%)";
	c.lineWidth = 1.6;
	for (const x of [-STRIPE, 0, STRIPE]) {
		c.moveTo(x, STRIPE);
		c.lineTo(x + STRIPE, 0);
	}
	c.stroke();
	return context.createPattern(tile, "repeat");
}
