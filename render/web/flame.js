const MOST_CRUMBS = 6, MOST_CALLEES = 12;

/* Of the window's height, so that the graph is in sight when the page opens. */
const STAGE_SHARE = 0.52;
const STAGE_LABEL = "Flame graph. Arrow keys move, Enter zooms, Escape resets, slash searches, N is " +
	"the next match, M has actions, question mark lists all keys.";

/* Flame: a flame graph with what one does to it: ways to show it, zoom, search, walk by keys. It
 * shows a tree that does not change (of zones), or what a Model's filter leaves of a metric. */
class Flame {
	/* @of: {tree}, or {model, metric}. */
	constructor(box, of, report) {
		Object.assign(this, {box, report, mode: "flame", order: "name", icicle: true,
			of: "", around: []}); /* around: what shows the same in another way, see Report */
		this.fixed = of.tree || null;
		this.model = of.model || null;
		this.number = of.metric; /* of the model's metrics */
		this.metric = box.dataset.metric; /* its name; "": of zones */
		this.caption = box.querySelector(".caption");
		this.captionWritten = this.caption ? this.caption.textContent : "";
		this.sum();
		this.build();
		this.listen();
		this.show();
		this.refresh();
	}

	/* --- its trees ------------------------------------------------------------------------ */

	/* What all modes begin with. */
	sum() {
		this.summed = this.model ? this.model.summed(this.number) : {tree: this.fixed};
		this.effective = this.model ? this.summed.sums.effective : 0;
		this.stale = false;
	}

	/* What shares are of: everything; what the filter leaves; as how many samples that tells. */
	wholes() {
		return {whole: this.model ? this.model.metrics[this.number].total : this.fixed.total[0],
			selected: this.summed.tree.total[0], effective: this.effective};
	}

	/* The trees of the mode: one, or callers and callees. */
	trees() {
		const {tree} = this.summed, {order} = this;
		if (this.mode === "time")
			return [new TimeOrder(this.model, this.summed).tree()];
		if (this.mode === "reversed")
			return [reversed(tree, order)];
		if (this.mode === "sandwich") {
			const {callers, callees} = sandwich(tree, this.of, order);
			return [callers, callees];
		}
		return [order === "heavy" ? heaviest(tree) : tree];
	}

	/* What 100 % is where something is selected. */
	selectedWords() {
		const {tree} = this.summed, {name, unit, samples, summed} = this.model.metrics[this.number];
		const {from, to} = this.model.filter;
		return "100 % = " + Units.value(tree.total[0], unit) + (from !== null || to !== null ?
			" in the selected range" : " selected") + (summed ? " of " : ", " +
			Units.count(tree.totalSamples[0]) + " of " + Units.samples(samples) + " of ") + name;
	}

	drawCaption() {
		if (this.caption && this.model)
			this.caption.textContent = this.model.isFiltered ? this.selectedWords() : this.captionWritten;
	}

	noteOf(trees) {
		const {leftOut, step_ns} = trees[0], {model} = this;
		if (!this.summed.tree.totalSamples[0] && model)
			return model.isFiltered ? "No sample is left: the selection above is too narrow." : "";
		if (this.mode === "sandwich")
			return "Callers of " + shorten(Names.shown(this.of)) + " above, what it calls below.";
		if (this.mode === "time")
			return step_ns ? "Threads one beside the other. Widths are values, not the time that passed; " +
				"samples within " + Units.ns(step_ns) + " stand in order of name." :
				"This profile has no times: samples stand in order of name.";
		return leftOut ? "Callers of what has less than " + Units.value(leftOut, trees[0].unit) +
			" are left out." : "";
	}

	/* Shows the mode's trees. */
	show() {
		const trees = this.trees();
		while (this.graphs.length < trees.length)
			this.addGraph(trees[this.graphs.length]);
		this.graphs.forEach((graph, k) => {
			graph.stage.hidden = k >= trees.length;
			if (k < trees.length)
				graph.setTree(trees[k], this.icicleOf(k, trees.length), trees.length > 1 ? STAGE_SHARE / 2 : STAGE_SHARE);
		});
		this.active = this.graphs[trees.length - 1];
		this.shownGraphs = this.graphs.slice(0, trees.length);
		this.minimap.box.hidden = trees.length > 1;
		this.noteLine.textContent = this.noteOf(trees);
		this.modes.draw();
		this.drawLegend();
		this.drawCaption();
		if (this.beside)
			this.beside.draw();
		this.resize();
		this.finder.find(this.text);
		this.shownGraphs.forEach(graph => graph.canvas.scrollTo(0));
		this.report.silently(() => this.zoom(0));
		this.draw();
	}

	/* Of a sandwich the callers stand on the function. */
	icicleOf(k, n) {
		return n > 1 ? k === 1 : this.icicle;
	}

	/* After the model's filter changed; what is zoomed stays so where it is still there. */
	update() {
		const {source} = this.tree, {base} = this.canvas;
		const at = this.mode === "flame" ? source ? source[base] : base : 0;
		this.sum();
		this.show();
		if (at && this.tree.indexOf(at) > 0)
			this.report.silently(() => this.zoom(this.tree.indexOf(at)));
	}

	setMode(mode, order) {
		if (mode === "sandwich" && this.mode !== mode)
			this.of = this.functionToShow();
		this.mode = mode === "time" && !this.model ? "flame" : mode;
		this.order = order || this.order;
		this.show();
		this.report.save(true);
	}

	showSandwich(name) {
		this.mode = "sandwich";
		this.of = name;
		this.show();
		this.report.save(true);
	}

	/* The chosen one; of no function the one that takes most by itself. */
	functionToShow() {
		const thread = KIND.THREAD, i = this.canvas.focus, {tree} = this.summed;
		if (i && this.tree.of(i).kind !== thread)
			return this.tree.of(i).name;
		const own = new Map();
		let most = "";
		for (let k = 1; k < tree.n; k++) {
			const {name, kind} = tree.of(k);
			if (!tree.self[k] || kind === thread)
				continue;
			own.set(name, (own.get(name) || 0) + tree.self[k]);
			if (!most || own.get(name) > own.get(most))
				most = name;
		}
		return most;
	}

	get tree() {
		return this.active.tree;
	}

	get canvas() {
		return this.active.canvas;
	}

	get stage() {
		return this.active.stage;
	}

	/* --- its parts ------------------------------------------------------------------------ */

	build() {
		const button = (text, title, act) => {
			const b = make("button", {type: "button", title}, text);
			b.addEventListener("click", act);
			return b;
		};
		this.finder = new Finder(this);
		this.reset = button("Reset zoom", "Escape or 0", () => this.zoom(0));
		this.turn = button("Root at bottom", "Put the root at the bottom or at the top (I)",
			() => this.flip(!this.icicle));
		this.crumbs = make("nav", {class: "crumbs", "aria-label": "Callers of the zoomed frame"});
		this.voice = make("div", {class: "unseen", "aria-live": "polite"});
		this.noteLine = make("p", {class: "note"});
		this.legend = make("ul", {class: "legend", "aria-label": "Colours"});
		this.modes = new Modes(this);
		this.menu = new Menu(this);
		this.detail = this.makeDetail();
		this.graphs = [];
		this.stages = make("div", {class: "stages"});
		this.addGraph(this.summed.tree);
		this.active = this.graphs[0];
		this.minimap = new Minimap(this.active);
		this.beside = this.makeBeside();
		this.box.append(make("div", {class: "graph"}, make("div", {class: "tools"}, ...this.finder.parts,
			make("span", {class: "gap"}), this.reset, this.turn),
			this.modes.box, this.modes.chips, this.noteLine, this.minimap.box, this.crumbs, this.stages,
			this.legend), make("div", {class: "beside"},
			...(this.beside ? [this.beside.box] : []), this.detail.box), this.voice, this.menu.box);
	}

	makeBeside() {
		return new Beside(this);
	}

	makeDetail() {
		return new Detail(this);
	}

	addGraph(tree) {
		const graph = new Graph(this, tree, STAGE_LABEL);
		this.graphs.push(graph);
		this.stages.append(graph.stage);
	}

	/* One colour of each kind of frame that there is. */
	drawLegend() {
		const seen = new Map(), {tree} = this;
		/* In a flame graph of zones a thread is the root alone. */
		const hidden = tree.ofZones ? KIND.THREAD : -1;
		for (const frame of tree.usedFrames())
			if (frame.kind !== hidden && !seen.has(tree.meaning(frame)))
				seen.set(tree.meaning(frame), frame);
		const order = frame => frame.reason ? KINDS.length : frame.kind;
		this.legend.replaceChildren(...[...seen].sort(([, a], [, b]) => order(a) - order(b))
			.map(([meaning, frame]) => make("li", {}, swatch(frame.colour, frame.reason), meaning)),
			make("li", {class: "keys"},
				"Arrow keys move · Enter or click zooms · Esc resets · / searches · M actions · ? keys"));
	}

	listen() {
		this.stages.addEventListener("keydown", e => this.key(e));
		if (this.model)
			this.model.on(changed => {
				this.stale = this.stale || [...changed].some(key => key !== "metric");
				if (!this.box.closest("[hidden]"))
					this.freshen();
			});
		new ResizeObserver(() => this.refresh()).observe(this.box);
	}

	freshen() {
		if (this.stale)
			this.update();
	}

	/* --- what shows ----------------------------------------------------------------------- */

	resize() {
		this.shownGraphs.forEach(graph => graph.resize(false));
		this.minimap.draw();
	}

	refresh() {
		if (this.printing)
			return;
		this.freshen();
		this.resize();
		this.draw();
	}

	/* All rows, at once: what is printed is what stands there when this returns. */
	print(printing) {
		this.printing = printing;
		if (!printing) {
			this.refresh();
			return;
		}
		this.freshen();
		for (const graph of this.shownGraphs) {
			graph.resize(true);
			graph.canvas.draw();
		}
	}

	draw() {
		this.shownGraphs.forEach(graph => graph.draw());
	}

	/* Names show in another way. */
	renamed() {
		this.drawCrumbs();
		this.detail.draw(this.active);
		if (this.beside) {
			this.beside.of = null;
			this.beside.draw();
		}
		this.around.forEach(part => part.choose());
		this.draw();
	}

	/* In other colours. */
	recolour() {
		this.draw();
		this.minimap.draw();
	}

	flip(icicle) {
		this.icicle = icicle;
		this.turn.textContent = icicle ? "Root at bottom" : "Root at top";
		if (this.shownGraphs.length === 1)
			this.canvas.icicle = icicle;
		this.canvas.scrollTo(this.canvas.base);
		this.recolour();
		this.report.save(false);
	}

	zoom(i) {
		this.active.zoom(i);
	}

	choose(i) {
		this.active.choose(i);
	}

	go(i) {
		this.active.go(i);
	}

	/* To the box of a path in the page, whatever shows now. */
	reveal(source) {
		if (this.mode !== "flame")
			this.setMode("flame");
		const i = this.tree.indexOf(source);
		if (i >= 0)
			this.go(i);
		return i >= 0;
	}

	/* --- what a graph tells ---------------------------------------------------------------- */

	activate(graph) {
		if (graph === this.active)
			return;
		this.active = graph;
		this.drawCrumbs();
		this.detail.draw(graph);
	}

	zoomed(graph) {
		this.activate(graph);
		this.viewed(graph, true);
	}

	viewed(graph, based) {
		const {base, isPart} = graph.canvas;
		this.reset.disabled = !base && !isPart;
		this.minimap.place();
		if (based)
			this.drawCrumbs();
		this.finder.drawStatus();
		this.report.save(based);
	}

	chosen(graph) {
		this.voice.textContent = this.detail.sentence(graph.canvas.focus, graph);
		this.detail.draw(graph);
		this.around.forEach(part => part.choose());
	}

	lines(i, graph) {
		return this.detail.lines(i, graph || this.active);
	}

	drawCrumbs() {
		const {base} = this.canvas;
		let list = base ? [...this.tree.ancestors(base), base] : [];
		this.crumbs.replaceChildren();
		if (list.length > MOST_CRUMBS)
			list = [list[0], -1, ...list.slice(1 - MOST_CRUMBS)];
		for (const i of list) {
			if (i < 0) {
				this.crumbs.append("… › ");
				continue;
			}
			const name = this.tree.of(i).name;
			const b = make("button", {type: "button", title: name}, Names.of(this.tree.of(i)));
			b.addEventListener("click", () => this.zoom(i));
			if (i === base)
				b.setAttribute("aria-current", "true");
			this.crumbs.append(b, i === base ? "" : " › ");
		}
	}

	/* How much of what matches a search, in words. */
	matchedTexts(found) {
		const {tree, canvas: {base}} = this, {whole, selected} = this.wholes();
		const parts = [Units.percent(found.value, whole) + " of all (" +
			(tree.ofZones || tree.summed ? Units.value(found.value, tree.unit) : Units.samples(found.samples)) + ")"];
		if (selected !== whole)
			parts.push(Units.percent(found.value, selected) + " of the selection");
		if (base)
			parts.push(Units.percent(this.finder.matchedInBase(), tree.total[base]) + " of the zoomed");
		return parts;
	}

	/* --- search: see Finder ---------------------------------------------------------------- */

	search(text) {
		this.finder.search(text);
	}

	step(by) {
		this.finder.step(by);
	}

	get text() {
		return this.finder.text;
	}

	get found() {
		return this.finder.found;
	}

	get input() {
		return this.finder.input;
	}

	/* --- keys ------------------------------------------------------------------------------ */

	key(e) {
		const row = keyOf(e);
		if (row && this.act(row.act, e.key))
			e.preventDefault();
	}

	/* Does what a row of KEYS says; whether that was a thing of a flame graph. */
	act(what, key) {
		if (ACTS[what])
			ACTS[what](this, key);
		return what in ACTS;
	}

	openMenu() {
		const {canvas} = this, {left, width} = canvas.span(canvas.focus);
		const place = canvas.canvas.getBoundingClientRect();
		this.menu.open(place.left + Math.max(0, left) + Math.min(width / 2, 60),
			place.top + canvas.rowTop(this.tree.depth[canvas.focus]) + ROW);
	}

	/* --- its state, for links ------------------------------------------------------------- */

	state() {
		const {base, isPart, view} = this.canvas, {source} = this.tree;
		return {
			n: base ? String(source ? source[base] : base) : "",
			s: this.text,
			v: this.icicle ? "" : "flame",
			x: this.mode === "flame" ? "" : this.mode,
			f: this.mode === "sandwich" ? this.of : "",
			o: this.order === "name" ? "" : this.order,
			w: isPart ? Math.round(view.from) + "-" + Math.round(view.to) : "",
		};
	}

	/* @get: the state's text of a key, "" where it has none. What is wrong is as if it were not
	 * there. */
	restore(get) {
		const number = /^\d+$/.test(get("n")) ? Number(get("n")) : 0, mode = get("x");
		const [, from, to] = /^(\d+)-(\d+)$/.exec(get("w")) || [];
		this.mode = this.modes.modes.some(([known]) => known === mode) ? mode : "flame";
		this.order = get("o") === "heavy" ? "heavy" : "name";
		this.of = this.mode === "sandwich" ? get("f") || this.functionToShow() : "";
		this.finder.text = get("s");
		if (this.stale)
			this.sum();
		this.flip(get("v") !== "flame");
		this.show();
		const i = this.tree.indexOf(number);
		if (i > 0)
			this.zoom(i);
		if (from !== undefined && Number(to) > Number(from))
			this.active.setView(Number(from), Number(to));
	}
}
