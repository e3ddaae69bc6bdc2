/* Finder: the search of a flame graph, by regular expression: how much matches, and where. */
class Finder {
	constructor(flame) {
		Object.assign(this, {flame, text: "", literal: false, found: null, hit: -1, sorted: null});
		const what = flame.summed.tree.ofZones ? "zones" : "functions";
		const button = (text, title, label, by) => {
			const b = make("button", {type: "button", title, "aria-label": label}, text);
			b.addEventListener("click", () => this.step(by));
			return b;
		};
		this.input = make("input", {type: "search", placeholder: "Search " + what,
			"aria-label": "Search " + what + " by regular expression", spellcheck: "false",
			title: "A regular expression. Keys: / or Ctrl-F"});
		this.status = make("span", {class: "matched", role: "status"});
		this.previous = button("‹", "Previous match (P)", "Previous match", -1);
		this.next = button("›", "Next match (N)", "Next match", 1);
		this.parts = [this.input, this.previous, this.next, this.status];
		this.input.addEventListener("input", () => this.search(this.input.value));
		this.input.addEventListener("keydown", e => this.key(e));
	}

	key(e) {
		if (e.key === "Enter")
			this.step(e.shiftKey ? -1 : 1);
		else if (e.key === "Escape") {
			this.search("");
			this.flame.stage.focus();
		}
	}

	search(text) {
		this.find(text);
		this.drawStatus();
		this.flame.recolour();
		this.flame.report.save(false);
	}

	/* Marks what matches in the graphs that show, and counts it in the one that is active. */
	find(text) {
		const {tree, shownGraphs} = this.flame, {re, literal} = searchPattern(text);
		const matches = text ? Uint8Array.from(tree.frames, f => Names.found(re, f.name)) : null;
		Object.assign(this, {text, literal, hit: -1, sorted: null});
		if (this.input.value !== text)
			this.input.value = text;
		shownGraphs.forEach(graph => { graph.canvas.matches = matches; });
		this.found = text ? tree.matched(matches, 0) : null;
	}

	/* What of the zoomed frame matches: all of it where a caller does. */
	matchedInBase() {
		const {tree, canvas: {base, matches}} = this.flame;
		if (tree.ancestors(base).some(i => matches[tree.frame[i]]))
			return tree.total[base];
		return tree.matched(matches, base).value;
	}

	drawStatus() {
		const {found} = this, n = found ? found.nodes.length : 0;
		this.previous.disabled = this.next.disabled = !n;
		this.status.textContent = found ? this.words(n).join(" · ") : "";
	}

	words(n) {
		const parts = [this.hit >= 0 ? (this.hit + 1) + " / " + Units.count(n)
			: Units.count(n) + (n === 1 ? " match" : " matches"), ...this.flame.matchedTexts(this.found)];
		if (this.literal)
			parts.push("no regular expression: searched as text");
		return parts;
	}

	/* To the next match or the one before, the heaviest first. */
	step(by) {
		if (!this.found || !this.found.nodes.length)
			return;
		this.sorted = this.sorted || this.flame.tree.byWeight(this.found.nodes);
		const n = this.sorted.length;
		this.hit = this.hit < 0 ? (by > 0 ? 0 : n - 1) : (this.hit + by + n) % n;
		this.flame.go(this.sorted[this.hit]);
		this.drawStatus();
	}
}
