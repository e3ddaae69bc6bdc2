const FIRST_ROWS = 20, MORE_ROWS = 200;
const CELL_TEXT = 0, CELL_BAR = 3;

/* Table: sorts, filters and shows the rows of a table of the report. */
class Table {
	/* @find: a button for a name, or null. */
	constructor(box, reader, find) {
		const columns = reader.uint();
		this.rows = reader.uint();
		this.box = box;
		this.find = find;
		this.columns = Array.from({length: columns}, () => this.readColumn(reader));
		this.order = Array.from({length: this.rows}, (_, i) => i);
		this.shown = FIRST_ROWS;
		this.filter = "";
	}

	readColumn(reader) {
		const column = {kind: reader.uint(), key: reader.string(), extra: reader.uint() === 1,
			text: [], value: []};
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
		this.tools = make("div", {class: "tools"});
		this.box.querySelectorAll("thead th").forEach((th, c) => {
			this.columns[c].title = th.textContent;
			this.addSorter(th, c);
		});
		if (this.rows > 8 || this.columns.some(c => c.extra))
			this.addFilter();
		if (this.columns.some(c => c.extra))
			this.addWidener();
		if (this.tools.childNodes.length)
			this.box.prepend(this.tools);
		this.draw();
	}

	/* For the columns that not everybody wants to see. */
	addWidener() {
		const n = this.columns.filter(c => c.extra).length;
		const button = make("button", {type: "button", "aria-pressed": "false"}, n + " more columns");
		button.addEventListener("click", () => {
			const wide = this.box.classList.toggle("wide");
			button.setAttribute("aria-pressed", String(wide));
			button.textContent = wide ? "Fewer columns" : n + " more columns";
		});
		this.tools.append(make("span", {class: "gap"}), button);
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
		this.count = make("span", {class: "count", "aria-live": "polite"});
		this.tools.append(input, this.count);
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
		const {conditions, text} = parseFilter(this.filter, this.columns);
		const {re} = searchPattern(text);
		return this.order.filter(r => conditions.every(holds => holds(r)) &&
			(!text || texts.some(c => re.test(c.text[r]))));
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
		const extra = column.extra ? " extra" : "";
		if (column.kind === CELL_BAR)
			return make("td", {class: "bar" + extra}, bar(column.value[r]));
		if (column.kind !== CELL_TEXT)
			return make("td", {class: "number" + extra}, column.text[r]);
		const button = this.find(column.text[r]);
		const attributes = {class: "text" + (button ? " code" : "") + extra};
		return button ? make("td", attributes, button) : makeNamed("td", attributes, column.text[r]);
	}
}

/* --- conditions on columns ------------------------------------------------------------------- */

/* What a column is called in a condition: "mean" of mean_ns, "net mean" is netmean. */
function shortName(column) {
	return column.title.toLowerCase().replace(/\W/g, "") || column.key;
}

function findColumn(name, columns) {
	const n = name.toLowerCase();
	return columns.find(c => c.key.toLowerCase() === n) ||
		columns.find(c => c.kind !== CELL_BAR && shortName(c) === n) ||
		columns.find(c => c.key === n + "_ns");
}

/* A test of a row by number, or null where the value is none. */
function numberTest(column, sign, text) {
	const value = column.key.endsWith("_ns") ? Units.parseNs(text) : Number(text.replace(/%$/, ""));
	const tests = {
		">": v => v > limit, ">=": v => v >= limit, "<": v => v < limit, "<=": v => v <= limit,
		"=": v => v === limit, "!=": v => v !== limit,
	};
	const limit = Math.fround(value); /* as the cells' values are */
	return text && !isNaN(value) ? r => tests[sign](column.value[r]) : null;
}

function textTest(column, sign, text) {
	const {re} = searchPattern(text);
	return sign === "=" || sign === "!=" ? r => re.test(column.text[r]) === (sign === "=") : null;
}

/* A condition: a name, which may be an event's such as page-faults or cpu/event=0xc0/, a sign, a
 * value. */
const CONDITION = /^((?:[^\s<>=!/]|\/[^/]*\/)+)(>=|<=|!=|>|<|=)(.+)$/;

/* The words of a filter that are conditions on a column, and the rest of it. */
function parseFilter(filter, columns) {
	const conditions = [], rest = [];
	for (const word of filter.split(/\s+/)) {
		const [, name, sign, value] = CONDITION.exec(word) || [];
		const column = name && findColumn(name, columns);
		const test = column && (column.kind === CELL_TEXT ? textTest : numberTest)(column, sign, value);
		if (test)
			conditions.push(test);
		else
			rest.push(word);
	}
	return {conditions, text: conditions.length ? rest.join(" ").trim() : filter};
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
