/* Help: the dialog that lists the page's keys. */
class Help {
	constructor() {
		this.dialog = make("dialog", {class: "help", "aria-labelledby": "help-title"});
		const close = make("button", {type: "button"}, "Close");
		close.addEventListener("click", () => this.dialog.close());
		/* The button stands on top: it gets the focus, and what has the focus is scrolled to. */
		this.dialog.append(make("div", {class: "head"}, make("h2", {id: "help-title"}, "Keys"), close),
			...Help.lists());
		this.dialog.addEventListener("click", e => e.target === this.dialog && this.dialog.close());
		document.body.append(this.dialog);
		const button = make("button", {type: "button", id: "keys", title: "?"}, "Keys");
		button.addEventListener("click", () => this.show());
		document.getElementById("theme").before(button);
	}

	static lists() {
		const groups = {graph: "Flame graph", heatmap: "Samples over time", lanes: "Threads over time", tree: "Call tree as a table",
			table: "Tables", page: "Everywhere"};
		return Object.entries(groups).flatMap(([group, title]) => {
			const rows = KEYS.concat(OTHER_KEYS).filter(row => row.group === group);
			return rows.length ? [make("h3", {}, title), make("dl", {}, ...rows.map(row => make("div", {},
				make("dt", {}, make("kbd", {}, row.shown || row.key)), make("dd", {}, row.what))))] : [];
		});
	}

	/* The focus goes back to where it was when the dialog closes, as dialogs do. */
	show() {
		if (!this.dialog.open)
			this.dialog.showModal();
		this.dialog.scrollTop = 0;
	}
}

/* Keys of parts that handle their own, as they are listed. */
const OTHER_KEYS = [
	{shown: "← → ↑ ↓", what: "Move; hold Shift to extend the selection", group: "heatmap"},
	{shown: "Enter", what: "Select the cell; Escape selects the whole capture", group: "heatmap"},
	{shown: "← →", what: "Move in time; hold Shift to select a time range", group: "lanes"},
	{shown: "↑ ↓", what: "Previous thread, next thread", group: "lanes"},
	{shown: "Enter", what: "Choose the thread alone; again: all threads", group: "lanes"},
	{shown: "↑ ↓", what: "Previous row, next row", group: "tree"},
	{shown: "→", what: "Open, then to the first callee", group: "tree"},
	{shown: "←", what: "Close, then to the caller", group: "tree"},
	{shown: "Enter", what: "Zoom the flame graph to it", group: "tree"},
	{shown: "Home End", what: "First row, last row", group: "tree"},
	{shown: "Enter", what: "On a heading: sort by the column; again: reverse the order", group: "table"},
];
