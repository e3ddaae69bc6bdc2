const MOST_CRUMBS = 6, MOST_CALLEES = 12;

/* Flame: a flame graph with what one does to it: zoom, search, walk by keys. */
class Flame {
	constructor(box, tree, report) {
		this.box = box;
		this.tree = tree;
		this.report = report;
		this.text = "";
		this.found = null;
		this.hit = -1;
		this.build();
		this.listen();
		this.refresh();
	}

	/* --- its parts ------------------------------------------------------------------------ */

	build() {
		const button = (text, title, act) => {
			const b = make("button", {type: "button", title}, text);
			b.addEventListener("click", act);
			return b;
		};
		const what = this.tree.ofZones ? "zones" : "functions";
		this.input = make("input", {type: "search", placeholder: "Search " + what,
			"aria-label": "Search " + what + " by regular expression", spellcheck: "false",
			title: "A regular expression. Keys: / or Ctrl-F"});
		this.status = make("span", {class: "matched", role: "status"});
		this.previous = button("‹", "Previous match (Shift-N)", () => this.step(-1));
		this.next = button("›", "Next match (N)", () => this.step(1));
		this.previous.setAttribute("aria-label", "Previous match");
		this.next.setAttribute("aria-label", "Next match");
		this.reset = button("Reset zoom", "Escape or 0", () => this.zoom(0));
		this.turn = button("Root below", "Put the root at the bottom or at the top",
			() => this.flip(!this.canvas.icicle));
		this.crumbs = make("nav", {class: "crumbs", "aria-label": "Callers of the zoomed frame"});
		this.stage = make("div", {class: "stage", tabindex: "0", role: "application",
			"aria-roledescription": "flame graph", "aria-label": "Flame graph. Arrow keys walk, " +
			"Enter zooms, Escape resets, slash searches, N is the next match."});
		this.voice = make("div", {class: "unseen", "aria-live": "polite"});
		this.detail = make("div", {class: "detail"});
		this.box.append(make("div", {class: "tools"}, this.input, this.previous, this.next,
			this.status, make("span", {class: "gap"}), this.reset, this.turn),
			this.crumbs, this.stage, this.legend(), this.voice, this.detail);
		this.canvas = new Canvas(this.stage, this.tree);
	}

	/* One colour of each kind of frame that there is. */
	legend() {
		const list = make("ul", {class: "legend", "aria-label": "Colours"});
		const seen = new Map();
		/* In a flame graph of zones a thread is the root alone. */
		const hidden = this.tree.ofZones ? KINDS.indexOf("thread") : -1;
		for (const frame of this.tree.frames)
			if (frame.kind !== hidden && !seen.has(this.tree.meaning(frame)))
				seen.set(this.tree.meaning(frame), frame);
		const order = frame => frame.reason ? KINDS.length : frame.kind;
		for (const [meaning, frame] of [...seen].sort(([, a], [, b]) => order(a) - order(b)))
			list.append(make("li", {}, swatch(frame.colour), meaning));
		list.append(make("li", {class: "keys"},
			"Arrow keys walk · Enter or click zooms · Esc resets · / searches · N next match"));
		return list;
	}

	listen() {
		const {stage} = this;
		stage.addEventListener("click", e => this.click(e));
		stage.addEventListener("mousemove", e => this.hover(e));
		stage.addEventListener("mouseleave", () => this.report.tip(null));
		stage.addEventListener("scroll", () => this.draw());
		stage.addEventListener("keydown", e => this.key(e));
		stage.addEventListener("focus", () => this.draw());
		stage.addEventListener("blur", () => this.draw());
		this.input.addEventListener("input", () => this.search(this.input.value));
		this.input.addEventListener("keydown", e => {
			if (e.key === "Enter")
				this.step(e.shiftKey ? -1 : 1);
			else if (e.key === "Escape") {
				this.search("");
				stage.focus();
			}
		});
		new ResizeObserver(() => this.refresh()).observe(this.box);
	}

	/* --- what shows ----------------------------------------------------------------------- */

	refresh() {
		if (this.printing)
			return;
		this.canvas.resize(false);
		this.draw();
	}

	/* All rows, at once: what is printed is what stands there when this returns. */
	print(printing) {
		this.printing = printing;
		if (!printing) {
			this.refresh();
			return;
		}
		this.canvas.resize(true);
		this.canvas.draw();
	}

	draw() {
		if (this.pending)
			return;
		this.pending = true;
		requestAnimationFrame(() => {
			this.pending = false;
			this.canvas.draw();
		});
	}

	zoom(i) {
		const {canvas} = this;
		canvas.zoom(i);
		canvas.focus = i;
		canvas.resize();
		canvas.scrollTo(i);
		this.reset.disabled = !i;
		this.drawCrumbs();
		this.drawStatus();
		this.choose(i);
		this.report.save(true);
	}

	flip(icicle) {
		this.canvas.icicle = icicle;
		this.turn.textContent = icicle ? "Root below" : "Root on top";
		this.canvas.scrollTo(this.canvas.base);
		this.draw();
		this.report.save(false);
	}

	/* Makes @i the frame that keys start from and that the lines below tell about. */
	choose(i) {
		this.canvas.focus = i;
		this.canvas.show(i);
		this.voice.textContent = this.sentence(i);
		this.drawDetail();
		this.draw();
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
			const b = make("button", {type: "button", title: name}, name);
			b.addEventListener("click", () => this.zoom(i));
			if (i === base)
				b.setAttribute("aria-current", "true");
			this.crumbs.append(b, i === base ? "" : " › ");
		}
	}

	/* What a box stands for, as lines: of the tooltip and of the lines below the graph. */
	lines(i) {
		const {tree} = this, frame = tree.of(i), {base} = this.canvas;
		const counted = samples => tree.unit === "samples" ? "" :
			", " + (tree.ofZones ? Units.calls(samples) : Units.samples(samples));
		const figure = (value, count) => Units.value(value, tree.unit) + count + ": " +
			Units.percent(value, tree.total[0]) + " of all" +
			(base && tree.isWithin(i, base) ?
				", " + Units.percent(value, tree.total[base]) + " of the zoomed" : "");
		const source = frame.file ? frame.file + (frame.line ? ":" + frame.line : "") : "";
		const from = [i ? tree.kinds[frame.kind] : "", frame.module, source].filter(text => text);
		const why = tree.ofWaits ? frame.reason || "on a CPU" : "";
		return [
			["Total", figure(tree.total[i], tree.ofZones && !i ? "" : counted(tree.totalSamples[i]))],
			["Self", figure(tree.self[i], tree.ofZones ? "" : counted(tree.selfSamples[i]))],
			["From", from.join(" · ")],
			["Mostly", why],
		].filter(([, text]) => text);
	}

	sentence(i) {
		const {tree} = this, siblings = tree.children(tree.parent[i]);
		return shorten(tree.of(i).name) + ", total " + Units.percent(tree.total[i], tree.total[0]) +
			", self " + Units.percent(tree.self[i], tree.total[0]) + ", level " +
			tree.depth[i] + (i ? ", " + (siblings.indexOf(i) + 1) + " of " + siblings.length : "") +
			", calls " + tree.children(i).length;
	}

	drawDetail() {
		const {tree} = this, i = this.canvas.focus;
		const list = make("dl");
		for (const [label, text] of this.lines(i))
			list.append(make("div", {}, make("dt", {}, label), make("dd", {}, text)));
		this.detail.replaceChildren(makeNamed("h3", {}, tree.of(i).name), list);
		const callees = tree.children(i).sort((a, b) => tree.total[b] - tree.total[a]);
		if (!callees.length)
			return;
		const names = make("ul", {class: "callees", "aria-label": "Calls"});
		for (const c of callees.slice(0, MOST_CALLEES)) {
			const b = make("button", {type: "button", title: tree.of(c).name},
				swatch(tree.of(c).colour), make("span", {}, shorten(tree.of(c).name)),
				make("b", {}, Units.percent(tree.total[c], tree.total[0])));
			b.addEventListener("click", () => this.go(c));
			names.append(make("li", {}, b));
		}
		if (callees.length > MOST_CALLEES)
			names.append(make("li", {}, (callees.length - MOST_CALLEES) + " more"));
		this.detail.append(names);
	}

	/* --- search --------------------------------------------------------------------------- */

	search(text) {
		const {re, literal} = searchPattern(text);
		this.text = text;
		this.literal = literal;
		this.hit = -1;
		if (this.input.value !== text)
			this.input.value = text;
		this.canvas.matches = text ? Uint8Array.from(this.tree.frames, f => re.test(f.name)) : null;
		this.found = text ? this.tree.matched(this.canvas.matches, 0) : null;
		this.drawStatus();
		this.draw();
		this.report.save(false);
	}

	/* What of the zoomed frame matches: all of it where a caller does. */
	matchedInBase() {
		const {tree} = this, {base, matches} = this.canvas;
		if (tree.ancestors(base).some(i => matches[tree.frame[i]]))
			return tree.total[base];
		return tree.matched(matches, base).value;
	}

	drawStatus() {
		const {tree, found} = this, {base} = this.canvas;
		this.previous.disabled = this.next.disabled = !found || !found.nodes.length;
		if (!found) {
			this.status.textContent = "";
			return;
		}
		const parts = [this.hit >= 0 ? (this.hit + 1) + " / " + Units.count(found.nodes.length)
			: Units.count(found.nodes.length) + (found.nodes.length === 1 ? " match" : " matches"),
			Units.percent(found.value, tree.total[0]) + " of all (" +
			(tree.ofZones ? Units.value(found.value, tree.unit) : Units.samples(found.samples)) + ")"];
		if (base)
			parts.push(Units.percent(this.matchedInBase(), tree.total[base]) + " of the zoomed");
		if (this.literal)
			parts.push("no regular expression: searched as text");
		this.status.textContent = parts.join(" · ");
	}

	step(by) {
		const n = this.found ? this.found.nodes.length : 0;
		if (!n)
			return;
		this.hit = this.hit < 0 ? (by > 0 ? 0 : n - 1) : (this.hit + by + n) % n;
		this.go(this.found.nodes[this.hit]);
		this.drawStatus();
	}

	/* To a box wherever it is: zooms out until it is there, in until it can be seen. */
	go(i) {
		const {canvas, tree} = this;
		if (!tree.isWithin(i, canvas.base))
			this.zoom(0);
		if (canvas.span(i).width < 4) {
			let up = i;
			while (up && tree.total[tree.parent[up]] < 40 * tree.total[i])
				up = tree.parent[up];
			this.zoom(up);
		}
		this.choose(i);
	}

	/* --- pointer and keys ----------------------------------------------------------------- */

	boxAt(e) {
		const place = this.canvas.canvas.getBoundingClientRect();
		return this.canvas.at(e.clientX - place.left, e.clientY - place.top);
	}

	click(e) {
		const i = this.boxAt(e);
		this.report.tip(null);
		if (i >= 0)
			this.zoom(i);
	}

	hover(e) {
		const i = this.boxAt(e);
		this.stage.classList.toggle("over", i >= 0);
		this.report.tip(i < 0 ? null : {title: this.tree.of(i).name, lines: this.lines(i)},
			e.clientX, e.clientY);
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

	key(e) {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.key.startsWith("Arrow")) {
			const i = this.neighbour(e.key);
			if (i !== undefined)
				this.go(i);
		} else if (e.key === "Enter" || e.key === " ")
			this.zoom(this.canvas.focus);
		else if (e.key === "Escape" || e.key === "0")
			this.zoom(0);
		else if (e.key === "n" || e.key === "N")
			this.step(e.key === "n" ? 1 : -1);
		else
			return;
		e.preventDefault();
	}

	/* --- its state, for links ------------------------------------------------------------- */

	state() {
		return {
			n: this.canvas.base ? String(this.canvas.base) : "",
			s: this.text,
			v: this.canvas.icicle ? "" : "flame",
		};
	}

	restore(state) {
		const i = Number(state.get("n") || 0);
		this.flip(state.get("v") !== "flame");
		this.search(state.get("s") || "");
		this.zoom(Number.isInteger(i) && i >= 0 && i < this.tree.n ? i : 0);
	}
}
