/* Modes: the buttons that say how a flame graph shows its tree, and what of it. */
const MODES = [
	["flame", "Flame graph", "Stacks added up (2, 4)"],
	["time", "Time order", "Each thread's stacks as time went by (1)"],
	["sandwich", "Sandwich", "Callers and callees of the chosen function (3)"],
	["reversed", "Reversed", "Leaf first: who calls what takes the time (5)"],
];
const GROUPS = [["name", "thread names"], ["thread", "threads"], ["process", "processes"],
	["cgroup", "cgroups"], ["none", "all as one"]];
const FRAMES = [["all", "all frames"], ["script", "script frames"], ["native", "native frames"]];
class Modes {
	constructor(flame) {
		this.flame = flame;
		this.modes = MODES.filter(([mode]) => mode !== "time" || flame.model).map(([mode, text, title]) =>
			[mode, this.button(text, title, () => flame.setMode(mode))]);
		this.order = this.select("Order of siblings", [["name", "by name"], ["heavy", "heaviest first"]],
			order => flame.setMode(flame.mode, order));
		this.box = make("div", {class: "tools modes"},
			make("span", {class: "choice", role: "group", "aria-label": "View"},
				...this.modes.map(([, b]) => b)),
			this.order);
		this.chips = make("div", {class: "chips"});
		if (flame.model)
			this.addModel(flame.model);
	}

	button(text, title, act) {
		const b = make("button", {type: "button", title}, text);
		b.addEventListener("click", act);
		return b;
	}

	select(label, options, choose) {
		const list = make("select", {"aria-label": label, title: label},
			...options.map(([value, text]) => make("option", {value}, text)));
		list.addEventListener("change", () => choose(list.value));
		return list;
	}

	addModel(model) {
		const toggle = (key, text, title) => [key,
			this.button(text, title, () => model.set({[key]: !model.filter[key]}))];
		this.group = this.select("What stands below the root",
			GROUPS.filter(([g]) => g !== "cgroup" || model.cgroups.length),
			group => model.set({group}));
		this.threads = new ThreadList(this.flame);
		this.toggles = [toggle("collapse", "Collapse recursion",
			"A function that calls itself, through others too, is one box (R)")];
		if (model.frames.some(f => f.kind === KIND.KERNEL))
			this.toggles.push(toggle("foldKernel", "Fold kernel", "All frames of the kernel as one (K)"));
		if (model.frames.some(isStartup))
			this.toggles.push(toggle("startup", "Hide startup frames", "Leave out the frames that every thread " +
				"and system call begins with, such as _start, start_thread and do_syscall_64 (U)"));
		this.frames = this.select("Which frames show", FRAMES, frames => model.set({frames}));
		this.frames.hidden = !model.frames.some(f => SCRIPT_KINDS[f.kind]);
		this.box.append(this.group, this.frames, this.threads.box, ...this.toggles.map(([, b]) => b));
		this.threads.box.hidden = model.threads.length < 2;
	}

	/* The next thread or the one before, round; all of them is one, too. */
	stepThread(by) {
		const {model} = this.flame, {threads} = model.filter, n = model.threads.length + 1;
		const at = threads && threads.length === 1 ? threads[0] + 1 : 0;
		const to = (at + by + n) % n;
		model.set({threads: to ? [to - 1] : null, processes: null});
	}

	draw() {
		const {flame} = this, {model} = flame;
		this.modes.forEach(([mode, b]) => b.setAttribute("aria-pressed", String(mode === flame.mode)));
		this.order.value = flame.order;
		this.order.disabled = flame.mode === "time";
		if (!model)
			return;
		this.group.value = model.filter.group;
		this.frames.value = model.filter.frames;
		this.group.disabled = flame.mode === "time";
		this.threads.drawChoice();
		this.toggles.forEach(([key, b]) => b.setAttribute("aria-pressed", String(model.filter[key])));
		this.drawChips(model);
	}

	/* What is filtered, each with a button that ends it. */
	drawChips(model) {
		const {filter} = model, chips = [];
		const chip = (text, change) => {
			const b = make("button", {type: "button", class: "chip", title: "Remove this filter"},
				make("span", {}, shorten(text)), make("b", {"aria-hidden": "true"}, "×"));
			b.addEventListener("click", () => model.set(change));
			chips.push(b);
		};
		const shown = text => text.replace(/^\^|\$$/g, "").replace(/\\(.)/g, "$1");
		if (filter.from !== null || filter.to !== null) {
			const [from, to] = model.range, {width_ns, n} = model.buckets;
			chip(Units.ns(from * width_ns) + " to " + (to === n ? "the end" : Units.ns(to * width_ns)),
				{from: null, to: null});
		}
		const named = (list, name) => list.length > 2 ? list.length + " of them" : list.map(name).join(", ");
		if (filter.threads)
			chip("threads: " + named(filter.threads, t => model.groupKey(t, "thread")), {threads: null});
		if (filter.processes)
			chip("processes: " + named(filter.processes, p => model.processes[p].name), {processes: null});
		if (filter.cgroups)
			chip("cgroups: " + named(filter.cgroups, name => name), {cgroups: null});
		if (filter.focus)
			chip("focus: " + shown(filter.focus), {focus: ""});
		if (filter.ignore)
			chip("ignore: " + shown(filter.ignore), {ignore: ""});
		for (const module of filter.fold)
			chip("folded: " + baseName(module), {fold: filter.fold.filter(m => m !== module)});
		for (const module of filter.hidden)
			chip("left out: " + baseName(module), {hidden: filter.hidden.filter(m => m !== module)});
		this.chips.replaceChildren(...chips);
	}
}
