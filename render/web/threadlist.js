/* Threads in a list; of more the search shows those that it finds. */
const MOST_LISTED = 200;
/* From so many threads on they stand below their processes. */
const GROUPED_FROM = 12;

/* ThreadList: the choice of a thread or a process, from a list that is searched: threads that were busy
 * or held up first, then by share of what is selected. Many of several processes are grouped by process. */
class ThreadList {
	constructor(flame) {
		this.flame = flame;
		this.model = flame.model;
		this.button = make("button", {type: "button", "aria-haspopup": "dialog", "aria-expanded": "false",
			title: "Choose a thread or a process (T)"});
		this.input = make("input", {type: "search", placeholder: "Search threads", spellcheck: "false",
			"aria-label": "Search threads by name, PID or TID"});
		this.list = make("div", {class: "choices"});
		this.panel = make("div", {class: "menu threads", role: "dialog", "aria-label": "Threads"},
			this.input, this.list);
		this.panel.hidden = true;
		this.box = make("span", {class: "threadlist"}, this.button, this.panel);
		this.listen();
	}

	listen() {
		this.button.addEventListener("click", () => this.panel.hidden ? this.open() : this.close());
		this.input.addEventListener("input", () => this.draw());
		this.panel.addEventListener("keydown", e => this.key(e));
		this.box.addEventListener("focusout", e => {
			if (!this.box.contains(e.relatedTarget))
				this.show(false);
		});
	}

	show(shown) {
		this.panel.hidden = !shown;
		this.button.setAttribute("aria-expanded", String(shown));
	}

	open() {
		const {left, bottom} = this.button.getBoundingClientRect();
		this.input.value = "";
		this.draw();
		this.show(true);
		this.panel.style.left = Math.max(4, Math.min(left, innerWidth - this.panel.offsetWidth - 8)) + "px";
		this.panel.style.top = Math.max(4, Math.min(bottom + 2,
			innerHeight - this.panel.offsetHeight - 8)) + "px";
		this.input.focus({preventScroll: true});
	}

	close() {
		this.button.focus({preventScroll: true});
		this.show(false);
	}

	/* --- what is listed ------------------------------------------------------------------- */

	/* [{title, value, active, choice, within: threads below it}], in order. */
	items() {
		const {model} = this, totals = model.threadTotals(this.flame.number);
		const waits = model.threads.some((t, i) => t.active < totals[i]);
		const thread = (t, i) => ({title: t.name + " " + t.tid, value: totals[i], within: [],
			active: waits ? t.active : 0, choice: {threads: [i], processes: null}});
		const order = (a, b) => b.active - a.active || b.value - a.value || (a.title < b.title ? -1 : 1);
		if (model.processes.length < 2)
			return model.threads.map(thread).sort(order);
		const sum = (list, key) => list.reduce((a, item) => a + item[key], 0);
		const processes = model.processes.map((p, k) => {
			const within = p.threads.map(i => thread(model.threads[i], i)).sort(order);
			return {title: "process " + p.name + " " + p.pid, value: sum(within, "value"), within,
				active: sum(within, "active"), choice: {threads: null, processes: [k]}};
		});
		if (model.threads.length >= GROUPED_FROM)
			return processes.sort(order);
		return [...processes.map(p => ({...p, within: []})).sort(order),
			...processes.flatMap(p => p.within).sort(order)];
	}

	draw() {
		const {re} = searchPattern(this.input.value), whole = this.model.metrics[this.flame.number].total;
		const rows = [], found = item => re.test(item.title);
		const add = (item, inner) => rows.push(this.row(item.title, Units.percent(item.value, whole),
			item.choice, inner));
		if (!this.input.value)
			rows.push(this.row("all threads", "", {threads: null, processes: null}));
		for (const item of this.items()) {
			const within = found(item) ? item.within : item.within.filter(found);
			if (!found(item) && !within.length)
				continue;
			add(item, false);
			within.forEach(thread => add(thread, true));
		}
		const left = rows.length - MOST_LISTED;
		this.list.replaceChildren(...rows.slice(0, MOST_LISTED),
			left > 0 ? make("p", {class: "note"}, Units.count(left) + " more: search for them") : "",
			rows.length ? "" : make("p", {class: "note"}, "No thread has this name or number."));
	}

	row(title, share, choice, inner) {
		const b = make("button", {type: "button", ...(inner ? {class: "inner"} : {})},
			make("b", {}, share), make("span", {}, shorten(title)));
		b.addEventListener("click", () => {
			this.close();
			this.model.set(choice);
		});
		return b;
	}

	/* What is chosen, on the button. */
	drawChoice() {
		const {threads, processes} = this.model.filter, {model} = this;
		const one = list => list && list.length === 1;
		this.button.textContent = (one(processes) ? "process " + shorten(model.processes[processes[0]].name) :
			one(threads) ? shorten(model.groupKey(threads[0], "thread")) :
				threads || processes ? "some threads" : "all threads") + " ▾";
	}

	key(e) {
		const rows = [...this.list.querySelectorAll("button")], at = rows.indexOf(document.activeElement);
		const to = {ArrowDown: at + 1, ArrowUp: at - 1};
		e.stopPropagation();
		if (e.key === "Escape")
			this.close();
		else if (e.key === "Enter" && at < 0 && rows.length)
			rows[0].click();
		else if (e.key in to && rows.length)
			(to[e.key] < 0 ? this.input : rows[Math.min(to[e.key], rows.length - 1)]).focus();
		else
			return;
		e.preventDefault();
	}
}
