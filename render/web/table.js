const FIRST_ROWS = 20, MORE_ROWS = 200;
const CELL_TEXT = 0, CELL_BAR = 3, CELL_SPARK = 4;

/* Columns of names of code. */
const CODE_COLUMNS = ["function", "zone", "name"];

/* Table: sorts, filters, copies and shows the rows of a table of the report. */
class Table {
	/*
	 * @box: the table's place, in which its head stands. @data: {rows, file, columns: [{kind, key,
	 * extra, text, value}]}; file: that its lines are of, perhaps; text and value by row, the one
	 * that the kind has. @find: buttons for a name, perhaps none.
	 */
	constructor(box, data, find) {
		this.box = box;
		this.find = find;
		this.shown = FIRST_ROWS;
		this.filter = "";
		this.sorted = null; /* {column, down} */
		this.take(data);
	}

	/* What html.c packed. */
	static read(reader) {
		const n = reader.uint(), rows = reader.uint(), file = reader.string();
		const columns = Array.from({length: n}, () => {
			const column = {kind: reader.uint(), key: reader.string(), extra: reader.uint() === 1,
				text: [], value: []};
			for (let i = 0; i < rows; i++) {
				if (column.kind !== CELL_BAR)
					column.text.push(reader.string());
				if (column.kind !== CELL_TEXT)
					column.value.push(reader.float());
			}
			return column;
		});
		return {rows, file, columns};
	}

	/* A place for a table that the page's script makes. @columns: [{kind, title, help, isName}]. */
	static place(caption, columns) {
		const classes = {[CELL_TEXT]: "text", [CELL_BAR]: "bar", [CELL_SPARK]: "spark"};
		return make("div", {class: "table"}, make("table", {}, make("caption", {}, caption),
			make("thead", {}, make("tr", {}, ...columns.map(c => make(c.title ? "th" : "td",
				{class: (classes[c.kind] || "number") + (c.isName ? " rowname" : ""), title: c.help || "", ...(c.title ? {scope: "col"} : {})},
				c.title)))), make("tbody")));
	}

	take(data) {
		this.rows = data.rows;
		this.file = data.file || "";
		this.columns = data.columns;
		this.order = Array.from({length: this.rows}, (_, i) => i);
	}

	/* Other rows of the same columns. */
	replace(data) {
		data.columns.forEach((column, c) => {
			const {title, isName} = this.columns[c];
			Object.assign(column, {title, isName});
		});
		this.take(data);
		this.arrange();
		this.draw();
	}

	/* Takes over from the rows that stand in the page. */
	start() {
		const more = this.box.querySelector(".more");
		this.body = this.box.querySelector("tbody");
		this.more = make("p", {class: "more"});
		if (more)
			more.remove();
		this.box.append(this.more);
		this.tools = make("div", {class: "tools"});
		this.box.querySelectorAll("thead tr > *").forEach((th, c) => {
			this.columns[c].title = th.textContent;
			this.columns[c].isName = th.matches(".rowname");
			this.addSorter(th, c);
		});
		this.addTools();
		this.draw();
	}

	addTools() {
		this.count = make("span", {class: "count", role: "status"});
		if (this.rows > 8 || this.columns.some(c => c.extra))
			this.addFilter();
		this.tools.append(this.count, make("span", {class: "gap"}));
		if (this.columns.some(c => c.extra))
			this.addWidener();
		const copy = make("button", {type: "button", title: "The rows that the filter leaves, " +
			"with all columns, for a spreadsheet"}, "Copy as TSV");
		copy.addEventListener("click", () => this.copy());
		this.tools.append(copy);
		this.box.prepend(this.tools);
	}

	/* For the columns that not everybody wants to see. */
	addWidener() {
		const n = this.columns.filter(c => c.extra).length;
		const words = n + (n === 1 ? " more column" : " more columns");
		const button = make("button", {type: "button", "aria-pressed": "false"}, words);
		button.addEventListener("click", () => {
			const wide = this.box.classList.toggle("wide");
			button.setAttribute("aria-pressed", String(wide));
			button.textContent = wide ? "Fewer columns" : words;
		});
		this.tools.append(button);
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
		const example = this.columns.find(c => c.kind !== CELL_TEXT && c.kind !== CELL_BAR);
		const words = this.columns.some(c => c.key) && example ?
			"Filter rows: text, or " + shortName(example) + ">1" : "Filter rows";
		const input = make("input", {type: "search", placeholder: words, "aria-label": "Filter rows",
			spellcheck: "false", title: "A regular expression on the texts; or conditions on any column, " +
				"divided by spaces: mean>1ms calls<=10 module=libc"});
		input.addEventListener("input", () => {
			this.filter = input.value;
			this.shown = FIRST_ROWS;
			this.draw();
		});
		this.tools.append(input);
	}

	/* --- order, filter, copy -------------------------------------------------------------- */

	sort(th, column) {
		const down = th.getAttribute("aria-sort") ?
			th.getAttribute("aria-sort") === "ascending" : this.columns[column].kind !== CELL_TEXT;
		this.box.querySelectorAll("th").forEach(e => e.removeAttribute("aria-sort"));
		th.setAttribute("aria-sort", down ? "descending" : "ascending");
		this.sorted = {column, down};
		this.arrange();
		this.draw();
	}

	arrange() {
		if (!this.sorted)
			return;
		const {kind, text, value} = this.columns[this.sorted.column], {down} = this.sorted;
		const collator = new Intl.Collator();
		const compare = kind === CELL_TEXT ? (a, b) => collator.compare(text[a], text[b])
			: (a, b) => value[a] - value[b];
		this.order.sort((a, b) => (down ? compare(b, a) : compare(a, b)) || a - b);
	}

	filtered() {
		const texts = this.columns.filter(c => c.kind === CELL_TEXT);
		const {conditions, text} = parseFilter(this.filter, this.columns);
		const {re} = searchPattern(text);
		return this.order.filter(r => conditions.every(holds => holds(r)) &&
			(!text || texts.some(c => Names.found(re, c.text[r]))));
	}

	/* The filtered rows in their order, every column but those that are pictures. */
	tsv() {
		const columns = this.columns.filter(c => c.kind !== CELL_BAR && c.kind !== CELL_SPARK);
		return [columns.map(c => c.title), ...this.filtered().map(r => columns.map(c => c.text[r]))]
			.map(line => line.join("\t") + "\n").join("");
	}

	async copy() {
		const done = await copyText(this.tsv());
		this.count.textContent = done ? Units.count(this.filtered().length) + " rows copied" :
			"This browser does not let the page copy";
	}

	/* --- rows ----------------------------------------------------------------------------- */

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

	/* A cell of a source line, "file:7" or 7 of the table's file or of the row's, as a link to where
	 * the reader edits; null: it is none, or there is no editor. */
	linkOf(column, r) {
		const text = column.text[r], ofRow = this.columns.find(c => c.key === "src_file");
		const [, file, line] = column.key === "line" ?
			/^(?:(.*):)?(\d+)$/.exec(text.replace(/,/g, "")) || [] :
			column.key === "src_line" && ofRow ? ["", ofRow.text[r], text.replace(/,/g, "")] : [];
		const link = line ? Editor.link(file || this.file, line) : "";
		return link && make("a", {class: "sourceline", href: link}, shorten(text));
	}

	cell(column, r) {
		const extra = column.extra ? " extra" : "";
		if (column.kind === CELL_BAR)
			return make("td", {class: "bar" + extra}, bar(column.value[r]));
		if (column.kind === CELL_SPARK)
			return make("td", {class: "spark" + extra}, spark(column.text[r]));
		const link = this.linkOf(column, r);
		if (column.kind !== CELL_TEXT)
			return make("td", {class: "number" + extra}, link || column.text[r]);
		const buttons = this.find(column.text[r]);
		const attributes = {class: "text" + (buttons.length ? " code" : "") +
			(column.isName ? " rowname" : "") + extra};
		if (link)
			return make("td", attributes, link);
		return buttons.length ? make("td", attributes, ...buttons) :
			makeNamed("td", attributes, column.text[r],
				CODE_COLUMNS.includes(column.key) ? Names.shown(column.text[r]) : column.text[r]);
	}
}

/* Whether @text is in the clipboard then. Pages that came by plain HTTP have no clipboard of their
 * own, and copy what is selected instead. */
async function copyText(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch (e) {
		const area = make("textarea", {class: "unseen", "aria-hidden": "true"});
		const before = document.activeElement;
		area.value = text;
		document.body.append(area);
		area.select();
		const done = document.execCommand("copy");
		area.remove();
		before.focus();
		return done;
	}
}

/* A picture of numbers that stand beside it, @width by 8. */
function drawing(width, tag, attributes) {
	const ns = "http://www.w3.org/2000/svg";
	const svg = document.createElementNS(ns, "svg"), shape = document.createElementNS(ns, tag);
	svg.setAttribute("viewBox", "0 0 " + width + " 8");
	svg.setAttribute("preserveAspectRatio", "none");
	svg.setAttribute("aria-hidden", "true");
	for (const [name, value] of Object.entries(attributes))
		shape.setAttribute(name, value);
	svg.append(shape);
	return svg;
}

function bar(value) {
	return drawing(100, "rect", {width: Math.max(0, Math.min(100, value)), height: 8});
}

/* Steps from ▁ to █, a space for nothing. */
function spark(text) {
	const low = "▁".charCodeAt(0), top = c => c === " " ? 8 : 7 - (c.charCodeAt(0) - low);
	return drawing(text.length || 1, "path",
		{d: "M0 8" + [...text].map((c, i) => "V" + top(c) + "H" + (i + 1)).join("") + "V8z"});
}
