/* Graph: one tree on a stage, and what pointer and arrows do to it. */
class Graph {
	/* @flame: what it is part of: told of what one chooses, zooms and asks for. */
	constructor(flame, tree, label) {
		this.flame = flame;
		this.stage = make("div", {class: "stage", tabindex: "0", role: "application",
			"aria-roledescription": "flame graph", "aria-label": label});
		this.canvas = new Canvas(this.stage, tree);
		this.draw = oncePerFrame(() => this.canvas.draw());
		this.listen();
	}

	get tree() {
		return this.canvas.tree;
	}

	listen() {
		const {stage} = this;
		stage.addEventListener("click", e => this.click(e));
		stage.addEventListener("contextmenu", e => this.menu(e));
		stage.addEventListener("mousemove", e => this.hover(e));
		stage.addEventListener("mouseleave", () => this.flame.report.tip(null));
		stage.addEventListener("scroll", () => this.draw());
		stage.addEventListener("wheel", e => this.wheel(e), {passive: false});
		stage.addEventListener("focus", () => {
			this.flame.activate(this);
			this.draw();
		});
		stage.addEventListener("blur", () => this.draw());
	}

	/* @share: how much of the window's height is for it. */
	setTree(tree, icicle, share) {
		this.canvas.setTree(tree);
		Object.assign(this.canvas, {icicle, share});
	}

	resize(whole) {
		this.canvas.resize(whole);
	}

	/* --- what shows of it ----------------------------------------------------------------- */

	zoom(i) {
		const {canvas} = this;
		canvas.zoom(i);
		canvas.focus = i;
		canvas.resize();
		canvas.scrollTo(i);
		this.flame.zoomed(this);
		this.choose(i);
	}

	setView(from, to) {
		const {canvas} = this, {base} = canvas;
		canvas.setView(from, to);
		if (base !== canvas.base)
			canvas.resize();
		this.flame.viewed(this, base !== canvas.base);
		this.draw();
	}

	/* Zooms by a factor about @share of the width. */
	scale(factor, share) {
		const {from, to} = this.canvas.view, at = from + (to - from) * share;
		this.setView(at - (at - from) * factor, at + (to - at) * factor);
	}

	/* @by: part of the width, rows. */
	pan(by, rows) {
		const {from, to} = this.canvas.view, step = by * (to - from);
		if (step)
			this.setView(from + step, to + step);
		this.stage.scrollTop += rows * ROW;
	}

	choose(i) {
		this.canvas.focus = i;
		this.canvas.show(i);
		this.flame.chosen(this);
		this.draw();
	}

	/* To a box wherever it is: zooms out until it is there, in until it can be seen. */
	go(i) {
		const {canvas, tree} = this;
		const {left, width} = canvas.span(i);
		const within = tree.isWithin(i, canvas.base) || tree.isWithin(canvas.base, i);
		if (!within || left + width <= 0 || left >= canvas.width)
			this.zoom(0);
		if (canvas.span(i).width < 4) {
			let up = i;
			while (up && tree.total[tree.parent[up]] < 40 * tree.total[i])
				up = tree.parent[up];
			this.zoom(up);
		}
		this.choose(i);
	}

	/* --- pointer --------------------------------------------------------------------------- */

	boxAt(e) {
		const place = this.canvas.canvas.getBoundingClientRect();
		return this.canvas.at(e.clientX - place.left, e.clientY - place.top);
	}

	click(e) {
		const i = this.boxAt(e);
		this.flame.report.tip(null);
		this.flame.activate(this);
		if (i >= 0)
			this.zoom(i);
	}

	menu(e) {
		const i = this.boxAt(e);
		if (i < 0 || !this.flame.menu)
			return;
		e.preventDefault();
		this.flame.report.tip(null);
		this.flame.activate(this);
		this.choose(i);
		this.flame.menu.open(e.clientX, e.clientY);
	}

	hover(e) {
		const i = this.boxAt(e);
		this.stage.classList.toggle("over", i >= 0);
		this.flame.report.tip(i < 0 ? null : this.figuresFirst(i), e.clientX, e.clientY);
	}

	/* What the box takes, then what it is. */
	figuresFirst(i) {
		const [[label, text], ...lines] = this.flame.lines(i, this);
		return {title: label + ": " + text, lines: [["", this.tree.of(i).name], ...lines]};
	}

	/* With Ctrl the wheel zooms, with Shift or sideways it pans; else the page scrolls. */
	wheel(e) {
		const {left, width} = this.canvas.canvas.getBoundingClientRect();
		const aside = e.shiftKey && !e.deltaX ? e.deltaY : e.deltaX;
		if (e.ctrlKey || e.metaKey)
			this.scale(1.002 ** e.deltaY, (e.clientX - left) / width);
		else if (Math.abs(aside) > Math.abs(e.deltaY) || e.shiftKey)
			this.pan(aside / width, 0);
		else
			return;
		e.preventDefault();
	}

	/* The box that an arrow leads to from the one in focus; down the stack is to callees. */
	neighbour(key) {
		const {tree} = this, i = this.canvas.focus;
		const deeper = this.canvas.icicle ? "ArrowDown" : "ArrowUp";
		const siblings = tree.children(tree.parent[i]);
		if (key === "ArrowLeft" || key === "ArrowRight")
			return siblings[siblings.indexOf(i) + (key === "ArrowLeft" ? -1 : 1)];
		if (key !== deeper)
			return tree.parent[i];
		return tree.children(i).reduce(
			(a, b) => a === undefined || tree.total[b] > tree.total[a] ? b : a, undefined);
	}

	walk(key) {
		const i = this.neighbour(key);
		if (i !== undefined)
			this.go(i);
	}
}
