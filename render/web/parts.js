/* Parts: sections of the page that say the same of several metrics. Their tabs show those of one
 * metric at a time: its flame graph, and further down its tables. */
class Parts {
	constructor(report) {
		this.report = report;
		this.sections = [...document.querySelectorAll("section.part")];
		this.names = [...new Set(this.sections.map(section => section.dataset.part))];
		this.shown = 0;
		if (this.names.length > 1)
			this.build();
	}

	build() {
		this.list = make("div", {class: "tabs", role: "tablist", "aria-label": "Metrics"});
		this.sections.forEach((section, i) => {
			section.id = "part-" + i;
			section.setAttribute("role", "tabpanel");
		});
		this.tabs = this.names.map((name, i) => {
			const tab = make("button", {type: "button", role: "tab",
				"aria-controls": this.of(name).map(section => section.id).join(" ")}, name);
			tab.addEventListener("click", () => this.show(i));
			return tab;
		});
		this.list.append(...this.tabs);
		this.list.addEventListener("keydown", e => this.key(e));
		this.sections[0].before(this.list);
		this.show(0);
	}

	of(name) {
		return this.sections.filter(section => section.dataset.part === name);
	}

	hideOthers() {
		this.sections.forEach(section => {
			section.hidden = section.dataset.part !== this.names[this.shown];
		});
	}

	/* Shows the part with number @i. */
	show(i) {
		this.shown = i;
		this.hideOthers();
		this.tabs.forEach((tab, k) => {
			tab.setAttribute("aria-selected", String(k === i));
			tab.tabIndex = k === i ? 0 : -1;
		});
		this.of(this.names[i]).forEach(section => this.report.showsPart(section));
		if (this.report.follow)
			this.report.follow.freshen();
		this.report.save(true);
	}

	/* Shows the part that @element is in, if it is in one. */
	reveal(element) {
		const i = this.names.indexOf(partOf(element));
		if (this.list && i >= 0 && i !== this.shown)
			this.show(i);
	}

	key(e) {
		const n = this.tabs.length;
		const to = {ArrowLeft: this.shown + n - 1, ArrowRight: this.shown + 1, Home: 0, End: n - 1};
		if (!(e.key in to) || e.ctrlKey || e.metaKey || e.altKey)
			return;
		e.preventDefault();
		this.show(to[e.key] % n);
		this.tabs[this.shown].focus();
	}

	/* Paper has all of them. */
	print(printing) {
		if (this.list && printing)
			this.sections.forEach(section => { section.hidden = false; });
		else if (this.list)
			this.hideOthers();
	}

	state() {
		return {m: this.shown ? this.names[this.shown] : ""};
	}

	restore(state) {
		const i = this.names.indexOf(state.get("m"));
		if (this.list)
			this.show(Math.max(0, i));
	}
}

/* The name of the part that @element is in; "": it is in none. */
function partOf(element) {
	const section = element.closest("section.part");
	return section ? section.dataset.part : "";
}
