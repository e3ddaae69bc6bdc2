const TREE_ROWS = 100, PAGE_ROWS = 10;

/* TreeGrid: a flame graph's boxes as a table that opens and closes, for keyboards and screen
 * readers. Rows are made when they are opened, so that a tree of any size opens at once. */
class TreeGrid {
	constructor(flame) {
		this.flame = flame;
		this.box = make("details", {class: "treegrid"}, make("summary", {}, "Call tree as a table"));
		this.box.addEventListener("toggle", () => this.refresh());
		flame.box.append(this.box);
	}

	/* Another box was chosen, perhaps of another tree. */
	choose() {
		if (this.tree && this.tree !== this.flame.tree)
			this.refresh();
	}

	/* Begins anew: when it is opened, and when the flame graph has another tree. */
	refresh() {
		if (this.table)
			this.table.remove();
		this.table = this.tree = null;
		if (this.box.open)
			this.build();
	}

	build() {
		const {flame} = this;
		this.tree = flame.tree;
		/* Where samples are no events, their number says nothing. */
		const counts = this.tree.summed ? [] : [this.tree.ofZones ? "Calls" : "Samples"];
		this.body = make("tbody", {role: "rowgroup"});
		this.table = make("table", {role: "treegrid", "aria-label": "Call tree: " +
			(flame.box.getAttribute("aria-label") || "")},
			make("thead", {role: "rowgroup"}, make("tr", {role: "row"}, ...["Name", "Total", "Self",
				"Amount", ...counts].map((title, i) => make("th", {role: "columnheader", scope: "col",
				class: i ? "number" : "text"}, title)))), this.body);
		this.box.append(this.table);
		this.body.append(this.row(0, 1, 1));
		this.body.addEventListener("keydown", e => this.key(e));
		this.body.addEventListener("click", e => this.click(e));
		this.focusable(this.body.rows[0]);
		this.open(this.body.rows[0]);
	}

	/* --- rows ----------------------------------------------------------------------------- */

	/* One of box @i, the @nth of @of siblings. */
	row(i, nth, of) {
		const {tree} = this, frame = tree.of(i), leaf = tree.end[i] === i + 1;
		const name = make("span", {class: "label"}, make("span", {class: "twist", "aria-hidden": "true"}),
			swatch(frame.colour, frame.reason), shorten(Names.of(frame)));
		name.style.paddingLeft = Math.min(tree.depth[i], 40) * 14 + "px";
		const row = make("tr", {role: "row", "aria-level": tree.depth[i] + 1, "aria-posinset": nth,
			"aria-setsize": of, tabindex: "-1"},
			make("td", {role: "gridcell", class: "text", title: frame.name}, name),
			...this.figures(i).map(text => make("td", {role: "gridcell", class: "number"}, text)));
		row.node = i;
		if (!leaf)
			row.setAttribute("aria-expanded", "false");
		return row;
	}

	figures(i) {
		const {tree} = this;
		return [Units.percent(tree.total[i], tree.total[0]), Units.percent(tree.self[i], tree.total[0]),
			Units.value(tree.total[i], tree.unit),
			...(tree.summed ? [] : [Units.count(tree.totalSamples[i])])];
	}

	/* Callees, heaviest first, those behind the first ones by a row that shows more. */
	open(row, from = 0) {
		const {tree} = this, i = row.node;
		const callees = tree.children(i).sort((a, b) => tree.total[b] - tree.total[a] || a - b);
		const rows = callees.slice(from, from + TREE_ROWS).map((c, k) =>
			this.row(c, from + k + 1, callees.length));
		if (from + TREE_ROWS < callees.length)
			rows.push(this.moreRow(row, from + TREE_ROWS, callees.length));
		row.setAttribute("aria-expanded", "true");
		let last = row;
		for (let next = row.nextElementSibling; from && next && this.level(next) > this.level(row);
			next = next.nextElementSibling)
			last = next;
		last.after(...rows);
		return rows[0];
	}

	moreRow(parent, from, of) {
		const row = make("tr", {role: "row", "aria-level": this.level(parent) + 1, tabindex: "-1",
			class: "rest"}, make("td", {role: "gridcell", colspan: this.tree.summed ? "4" : "5"},
			Units.count(of - from) + " more: Enter or a click shows some"));
		row.more = () => {
			row.remove();
			const first = this.open(parent, from);
			this.focus(first);
		};
		return row;
	}

	level(row) {
		return Number(row.getAttribute("aria-level"));
	}

	close(row) {
		const level = this.level(row);
		while (row.nextElementSibling && this.level(row.nextElementSibling) > level)
			row.nextElementSibling.remove();
		row.setAttribute("aria-expanded", "false");
	}

	parent(row) {
		const level = this.level(row);
		let up = row.previousElementSibling;
		while (up && this.level(up) >= level)
			up = up.previousElementSibling;
		return up;
	}

	/* --- focus, pointer and keys ---------------------------------------------------------- */

	/* One row at a time is a stop of the Tab key. */
	focusable(row) {
		if (this.stop)
			this.stop.tabIndex = -1;
		this.stop = row;
		row.tabIndex = 0;
	}

	focus(row) {
		if (!row)
			return;
		this.focusable(row);
		row.focus();
	}

	click(e) {
		const row = e.target.closest("tr");
		if (row.more)
			row.more();
		else {
			this.focus(row);
			this.turn(row);
		}
	}

	turn(row) {
		const open = row.getAttribute("aria-expanded");
		if (open)
			(open === "true" ? this.close(row) : this.open(row));
	}

	right(row) {
		if (row.getAttribute("aria-expanded") === "true")
			this.focus(row.nextElementSibling);
		else
			this.turn(row);
	}

	left(row) {
		if (row.getAttribute("aria-expanded") === "true")
			this.close(row);
		else
			this.focus(this.parent(row));
	}

	step(row, by) {
		const rows = this.body.rows, at = Math.max(0, Math.min(rows.length - 1, row.rowIndex - 1 + by));
		this.focus(rows[at]);
	}

	key(e) {
		const row = e.target.closest("tr"), n = this.body.rows.length;
		const acts = {
			ArrowDown: () => this.step(row, 1), ArrowUp: () => this.step(row, -1),
			PageDown: () => this.step(row, PAGE_ROWS), PageUp: () => this.step(row, -PAGE_ROWS),
			Home: () => this.step(row, -n), End: () => this.step(row, n),
			ArrowRight: () => this.right(row), ArrowLeft: () => this.left(row),
			Enter: () => row.more ? row.more() : this.flame.zoom(row.node),
		};
		if (!acts[e.key] || e.ctrlKey || e.metaKey || e.altKey)
			return;
		e.preventDefault();
		e.stopPropagation();
		acts[e.key]();
	}
}
