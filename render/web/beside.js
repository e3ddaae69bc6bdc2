const BESIDE_ROWS = 5;

/* Beside: the functions (of zones: the zones) that take most by themselves, beside the flame graph, of
 * what the filter leaves. A click searches one. */
class Beside {
	constructor(flame) {
		this.flame = flame;
		this.list = make("ol", {class: "costliest"});
		this.box = make("section", {}, make("h3", {}, flame.fixed && flame.fixed.ofZones ?
			"Top zones by own time" : "Top functions by self"), this.list);
	}

	draw() {
		const {tree} = this.flame.summed;
		if (this.of === tree)
			return;
		this.of = tree;
		const rows = functionRows(tree, "functions").filter(row => row.self > 0).slice(0, BESIDE_ROWS);
		this.box.hidden = !rows.length;
		this.list.replaceChildren(...rows.map(row => make("li", {}, this.button(row, tree))));
	}

	button(row, tree) {
		const share = Units.percent(row.self, tree.total[0]);
		const b = make("button", {type: "button", title: row.function + "\n" +
			Units.value(row.self, tree.unit) + " in it, " + Units.value(row.total, tree.unit) +
			" with what it calls\nSearch for this name"}, make("b", {}, share),
			swatch(row.colour, row.reason), makeMiddle(shorten(Names.shown(row.function))));
		b.style.setProperty("--part", 100 * row.self / tree.total[0] + "%");
		b.addEventListener("click", () => this.flame.search("^" + escapePattern(row.function) + "$"));
		return b;
	}
}
