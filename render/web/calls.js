const CALLS_COLUMNS = [
	{title: "Direction", kind: CELL_TEXT, key: "way", help: "who calls the function, and what it calls"},
	{title: "Share", kind: 2, key: "share_percent", help: "of the function's total"},
	{title: "", kind: CELL_BAR, key: ""},
	{title: "Amount", kind: 1, key: "value", help: "of the function below this caller; of the callee below the function"},
	{title: "Samples", kind: 1, key: "samples", help: ""},
	{title: "Function", kind: CELL_TEXT, key: "function", help: "", isName: true},
	{title: "Module", kind: CELL_TEXT, key: "module", help: "file that holds the function's code"},
];

/* Where samples are no events, their number says nothing. */
const callsColumns = tree => CALLS_COLUMNS.filter(c => !tree.summed || c.key !== "samples");

/* Calls: a table of the callers and callees of the function that is chosen in a flame graph. */
class Calls {
	constructor(flame, find) {
		this.flame = flame;
		this.find = find;
		this.box = make("details", {class: "calls"}, make("summary", {}, "Callers and callees"));
		this.box.addEventListener("toggle", () => this.refresh());
		flame.box.append(this.box);
	}

	/* Another box was chosen, perhaps of another tree. */
	choose() {
		const {tree, canvas} = this.flame;
		if (this.tree !== tree || this.frame !== tree.frame[canvas.focus])
			this.refresh();
	}

	/* Of what is chosen now; nothing is added up while the table is closed. */
	refresh() {
		const {flame} = this, {tree} = flame, at = flame.canvas.focus;
		if (this.place)
			this.place.remove();
		this.place = this.tree = null;
		if (!this.box.open || !(at < tree.n))
			return;
		this.tree = tree;
		this.frame = tree.frame[at];
		const frame = tree.of(at), rows = neighbours(tree, frame);
		this.place = Table.place(shorten(Names.of(frame)) + ": 100 % = its total of " +
			Units.value(rows.total, tree.unit), callsColumns(tree));
		this.box.append(this.place);
		new Table(this.place, callsData(rows, tree), this.find).start();
	}
}

const sameFunction = (a, b) => a.name === b.name && a.module === b.module && a.file === b.file &&
	a.line === b.line;

/*
 * Who calls the function of @frame and what it calls: {total, list: [{way, frame, value, samples}]},
 * callers first, each way heaviest first. Where the function calls itself, directly or not, its
 * outermost call counts, and so does a callee's outermost one below it.
 */
function neighbours(tree, frame) {
	const isOne = tree.frames.map(f => sameFunction(f, frame)), found = new Map();
	const put = (way, f, i) => {
		const key = way + [f.name, f.module, f.file, f.line].join("\0");
		if (!found.has(key))
			found.set(key, {way, frame: f, value: 0, samples: 0, until: 0});
		const row = found.get(key);
		if (i < row.until)
			return;
		row.value += tree.total[i];
		row.samples += tree.totalSamples[i];
		row.until = tree.end[i];
	};
	let total = 0, until = 0;
	for (let i = 0; i < tree.n; i++) {
		const parent = tree.parent[i];
		if (isOne[tree.frame[i]] && i >= until) {
			until = tree.end[i];
			total += tree.total[i];
			if (i)
				put("called by", tree.of(parent), i);
		}
		if (i && isOne[tree.frame[parent]])
			put("calls", tree.of(i), i);
	}
	const list = [...found.values()].sort((a, b) => a.way === b.way ? b.value - a.value
		: a.way === "called by" ? -1 : 1);
	return {total, list};
}

function callsData({total, list}, tree) {
	const {unit} = tree;
	const share = list.map(row => total ? 100 * row.value / total : 0);
	const cells = {
		way: row => row.way, share_percent: row => Units.percent(row.value, total),
		value: row => Units.value(row.value, unit), samples: row => Units.count(row.samples),
		function: row => row.frame.name, module: row => shortModule(row.frame.module),
	};
	const values = {value: list.map(row => row.value), samples: list.map(row => row.samples)};
	return {rows: list.length, columns: callsColumns(tree).map(({kind, key, title}) => ({kind, key, title,
		extra: false, text: cells[key] ? list.map(cells[key]) : [], value: values[key] || share}))};
}
