const FIRST_ROWS = 20, MORE_ROWS = 200;
const CELL_TEXT = 0, CELL_BAR = 3;

/* Table: sorts, filters and shows the rows of a table of the report. */
class Table {
	constructor(box, reader, names) {
		const columns = reader.uint();
		this.rows = reader.uint();
		this.box = box;
		this.names = names;
		this.columns = Array.from({length: columns}, () => this.readColumn(reader));
		this.order = Array.from({length: this.rows}, (_, i) => i);
		this.shown = FIRST_ROWS;
		this.filter = "";
	}

	readColumn(reader) {
		const column = {kind: reader.uint(), text: [], value: []};
		for (let i = 0; i < this.rows; i++) {
			if (column.kind !== CELL_BAR)
				column.text.push(reader.string());
			if (column.kind !== CELL_TEXT)
				column.value.push(reader.float());
		}
		return column;
	}

	/* Takes over from the rows that stand in the page. */
	start() {
		const more = this.box.querySelector(".more");
		this.body = this.box.querySelector("tbody");
		this.more = make("p", {class: "more"});
		if (more)
			more.remove();
		this.box.append(this.more);
		this.box.querySelectorAll("thead th").forEach((th, c) => this.addSorter(th, c));
		if (this.rows > 8)
			this.addFilter();
		this.draw();
	}

	addSorter(th, c) {
		if (!th.textContent)
			return;
		const button = make("button", {type: "button", title: th.title}, th.textContent);
		button.addEventListener("click", () => this.sort(th, c));
		th.removeAttribute("title");
		th.replaceChildren(button);
	}

	addFilter() {
		const input = make("input", {type: "search", placeholder: "Filter rows",
			"aria-label": "Filter rows", spellcheck: "false"});
		input.addEventListener("input", () => {
			this.filter = input.value;
			this.shown = FIRST_ROWS;
			this.draw();
		});
		this.count = make("span", {class: "count", "aria-live": "polite"});
		this.box.prepend(make("div", {class: "tools"}, input, this.count));
	}

	sort(th, c) {
		const {kind, text, value} = this.columns[c];
		const down = th.getAttribute("aria-sort") ?
			th.getAttribute("aria-sort") === "ascending" : kind !== CELL_TEXT;
		const collator = new Intl.Collator();
		const compare = kind === CELL_TEXT ? (a, b) => collator.compare(text[a], text[b])
			: (a, b) => value[a] - value[b];
		this.box.querySelectorAll("th").forEach(e => e.removeAttribute("aria-sort"));
		th.setAttribute("aria-sort", down ? "descending" : "ascending");
		this.order.sort((a, b) => (down ? compare(b, a) : compare(a, b)) || a - b);
		this.draw();
	}

	filtered() {
		const texts = this.columns.filter(c => c.kind === CELL_TEXT);
		const {re} = searchPattern(this.filter);
		return this.filter ? this.order.filter(r => texts.some(c => re.test(c.text[r])))
			: this.order;
	}

	draw() {
		const rows = this.filtered();
		const left = rows.length - this.shown;
		this.body.replaceChildren(...rows.slice(0, this.shown).map(r => this.row(r)));
		if (this.count)
			this.count.textContent = this.filter ?
				Units.count(rows.length) + " of " + Units.count(this.rows) : "";
		this.more.replaceChildren();
		if (left <= 0)
			return;
		const button = make("button", {type: "button"},
			"Show " + Units.count(Math.min(left, MORE_ROWS)) + " more");
		button.addEventListener("click", () => {
			this.shown += MORE_ROWS;
			this.draw();
		});
		this.more.append(button, " of " + Units.count(left));
	}

	row(r) {
		return make("tr", {}, ...this.columns.map(c => this.cell(c, r)));
	}

	cell(column, r) {
		if (column.kind === CELL_BAR)
			return make("td", {class: "bar"}, bar(column.value[r]));
		if (column.kind !== CELL_TEXT)
			return make("td", {class: "number"}, column.text[r]);
		const found = this.names.get(column.text[r]);
		return make("td", {class: "text"}, found ? found.button(column.text[r]) : column.text[r]);
	}
}

function bar(value) {
	const ns = "http://www.w3.org/2000/svg";
	const svg = document.createElementNS(ns, "svg"), rect = document.createElementNS(ns, "rect");
	svg.setAttribute("viewBox", "0 0 100 8");
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true");
	rect.setAttribute("width", Math.max(0, Math.min(100, value)));
	rect.setAttribute("height", 8);
	svg.append(rect);
	return svg;
}
