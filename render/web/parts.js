/* Parts: sections of the page that say the same of several metrics. Their tabs show one at a
 * time. */
class Parts {
	constructor(report) {
		this.report = report;
		this.sections = [...document.querySelectorAll("section.part")];
		this.shown = 0;
		if (this.sections.length > 1)
			this.build();
	}

	build() {
		this.list = make("div", {class: "tabs", role: "tablist", "aria-label": "Metrics"});
		this.tabs = this.sections.map((section, i) => {
			section.id = "part-" + i;
			section.setAttribute("role", "tabpanel");
			const tab = make("button", {type: "button", role: "tab",
				"aria-controls": section.id}, section.dataset.part);
			tab.addEventListener("click", () => this.show(i));
			return tab;
		});
		this.list.append(...this.tabs);
		this.list.addEventListener("keydown", e => this.key(e));
		this.sections[0].before(this.list);
		this.show(0);
	}

	/* Shows the part with number @i. */
	show(i) {
		this.shown = i;
		this.sections.forEach((section, k) => { section.hidden = k !== i; });
		this.tabs.forEach((tab, k) => {
			tab.setAttribute("aria-selected", String(k === i));
			tab.tabIndex = k === i ? 0 : -1;
		});
		this.report.showsPart(this.sections[i]);
		if (this.report.follow)
			this.report.follow.freshen();
		this.report.save(true);
	}

	/* Shows the part that @element is in, if it is in one. */
	reveal(element) {
		const i = this.sections.indexOf(element.closest("section.part"));
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
		if (this.list)
			this.sections.forEach((section, k) => { section.hidden = !printing && k !== this.shown; });
	}

	state() {
		return {m: this.shown ? this.sections[this.shown].dataset.part : ""};
	}

	restore(state) {
		const i = this.sections.findIndex(s => s.dataset.part === state.get("m"));
		if (this.list)
			this.show(Math.max(0, i));
	}
}
