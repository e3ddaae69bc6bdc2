/* An element; text in it is text, whatever it holds. */
function make(tag, attributes, ...content) {
	const e = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {}))
		e.setAttribute(name, value);
	e.append(...content);
	return e;
}

/* Letters of a name that show, cut in the middle; the title has all of them. As in html.c. */
const NAME_MOST = 120;

function shorten(name) {
	if (name.length <= NAME_MOST)
		return name;
	const letters = Array.from(name), head = NAME_MOST / 2;
	return letters.length <= NAME_MOST ? name :
		letters.slice(0, head).join("") + "…" + letters.slice(head + 1 - NAME_MOST).join("");
}

/* What pointer and keys do on a @stage, that of a @chart which can press, move, release, drop and
 * key. */
function hear(stage, chart) {
	stage.addEventListener("pointerdown", e => chart.press(e));
	stage.addEventListener("pointermove", e => chart.move(e));
	stage.addEventListener("pointerup", e => chart.release(e));
	stage.addEventListener("pointercancel", () => chart.drop());
	stage.addEventListener("pointerleave", () => chart.report.tip(null));
	stage.addEventListener("keydown", e => chart.key(e));
}

/* @short: what shows of it, if that is not all. */
function makeNamed(tag, attributes, name, short = name) {
	const shown = shorten(short);
	return make(tag, shown === name ? attributes : {...attributes, title: name}, shown);
}

/* Letters at the end of a name that show however narrow its place is; of code without a name that is
 * its offset. */
const TAIL_MOST = 10;

/* A name on one line, cut in the middle where it does not fit. */
function makeMiddle(name) {
	const letters = Array.from(name), [offset] = /\+0x[0-9a-f]+$/.exec(name) || [""];
	const tail = offset.length || (letters.length > 2 * TAIL_MOST ? TAIL_MOST : 0);
	return make("span", {class: "middle"}, make("span", {}, letters.slice(0, letters.length - tail).join("")),
		make("span", {}, letters.slice(letters.length - tail).join("")));
}

/* @waits: it is a colour of time off the CPU. */
function swatch(colour, waits) {
	const e = make("span", {class: waits ? "swatch waiting" : "swatch", "aria-hidden": "true"});
	e.style.backgroundColor = colour;
	return e;
}

const TAG_FLAME = 1, TAG_TABLE = 2, TAG_SAMPLES = 3, TAG_SAMPLED = 4, TAG_DIFF = 5,
	TAG_KINDS = 6, TAG_CALLS = 7;

/* Metrics of time off the CPU. */
const WAITS = ["off-cpu", "blocked"];

/* Report: the page as a whole. */
class Report {
	/* @others: what else has a state in the address. */
	constructor(bytes, others) {
		this.others = others;
		this.flames = [];
		this.models = []; /* one for each profile that flame graphs are of */
		this.tables = [];
		this.timeCharts = []; /* of samples over time */
		this.callCharts = []; /* of timelines */
		this.names = new Map(); /* of functions → {flame, frame} where one can be searched */
		this.quiet = true;
		this.read(new Reader(bytes));
		this.parts = new Parts(this);
		this.tables.forEach(table => table.start());
		this.addPathButtons();
		this.addAround();
		this.listen();
		this.load();
		this.quiet = false;
	}

	read(reader) {
		for (let tag = reader.uint(); tag; tag = reader.uint()) {
			if (tag === TAG_FLAME)
				this.addFlame({tree: readTree(reader)});
			else if (tag === TAG_SAMPLES)
				this.models.push(new Model(readSamples(reader)));
			else if (tag === TAG_SAMPLED)
				this.addFlame({model: this.models[reader.uint()], metric: reader.uint()});
			else if (tag === TAG_DIFF)
				this.addFlame({tree: readDiff(reader)}, Diff);
			else if (tag === TAG_KINDS)
				readKinds(reader);
			else if (tag === TAG_CALLS)
				this.callCharts.push(new CallLanes(
					document.querySelector(`[data-chart="${this.callCharts.length}"]`),
					readCallChart(reader), this));
			else if (tag === TAG_TABLE)
				this.addTable(document.querySelector(`[data-table="${this.tables.length}"]`),
					Table.read(reader));
			else
				throw new Error("unknown part " + tag);
		}
	}

	/* @of: see Flame. */
	addFlame(of, Kind = Flame) {
		const box = document.querySelector(`[data-flame="${this.flames.length}"]`);
		const flame = new Kind(box, of, this);
		this.flames.push(flame);
		for (const frame of flame.tree.usedFrames()) {
			if (frame.kind === KIND.THREAD)
				continue;
			if (!this.names.has(frame.name))
				this.names.set(frame.name, []);
			this.names.get(frame.name).push({flame, frame});
		}
	}

	/* What stands around the flame graphs. */
	addAround() {
		this.help = new Help();
		this.settings = new Settings(() => this.renamed());
		this.renamed();
		for (const flame of this.flames)
			flame.around = [new Calls(flame, name => this.buttons(name, flame)), new TreeGrid(flame)];
		if (!this.model)
			return;
		this.follow = new Follow(this);
		this.cards = new Cards(this.model);
		this.model.on(() => this.flames.forEach(flame => flame.around.forEach(part => part.choose())));
		if (this.model.rows.n < 2 || this.model.buckets.n < 2)
			return;
		this.addTimeCharts();
	}

	addTimeCharts() {
		const lanes = new Lanes(this.model, this), behind = document.querySelector(".folded");
		this.timeCharts = [this.heat = new Heat(this.model, this)];
		if (lanes.any)
			this.timeCharts.push(this.lanes = lanes);
		const boxes = this.timeCharts.map(chart => chart.box);
		if (behind)
			behind.before(...boxes);
		else
			(document.querySelector(".front") || document.getElementById("problem")).after(...boxes);
	}

	/* The model of the page's samples; undefined where it has none. */
	get model() {
		return this.models[0];
	}

	/* Names in a table lead to the flame graph of its own metric, those of zones to that of zones,
	 * before others that have them. Those of single calls have the colours of the calls over time. */
	addTable(box, data) {
		const part = partOf(box), ofZones = data.columns.some(c => c.key === "counts" || c.key === "zone");
		const own = this.flames.find(f => part ? partOf(f.box) === part : ofZones === !f.metric) ||
			this.flames[0];
		const chart = data.columns.some(c => c.key === "duration_ns") ? this.callCharts[0] : null;
		this.tables.push(new Table(box, data, name => this.buttons(name, own, chart?.colourOf(name))));
	}

	/* Buttons that search @name, or none; from the flame graph of zones another one leads to the
	 * stacks of waits. @colour: if it is not that of the flame graph. */
	buttons(name, own, colour) {
		const places = this.names.get(name) || [];
		const at = places.find(p => p.flame === own) || places[0];
		const waits = own && !own.metric && places.find(p => WAITS.includes(p.flame.metric));
		const buttons = at ? [this.nameButton(at.flame, at.frame, name, colour)] : [];
		if (waits && waits !== at)
			buttons.push(this.searchButton(waits.flame, name, {class: "waits",
				title: name + "\nShow the stacks in which it waited"}, waits.flame.metric));
		return buttons;
	}

	nameButton(flame, frame, name, colour = frame.colour) {
		return this.searchButton(flame, name, {class: "name", title: name + "\nSearch for this name in the flame graph"},
			swatch(colour, frame.reason), make("span", {}, shorten(Names.of(frame))));
	}

	/* @content: what the button says. */
	searchButton(flame, name, attributes, ...content) {
		const b = make("button", {type: "button", ...attributes}, ...content);
		b.addEventListener("click", () => {
			this.parts.reveal(flame.box);
			flame.search("^" + escapePattern(name) + "$");
			flame.box.scrollIntoView();
		});
		return b;
	}

	addPathButtons(box = document) {
		for (const path of box.querySelectorAll("[data-node]")) {
			const flame = this.flames[path.dataset.in], node = Number(path.dataset.node);
			if (!flame)
				continue;
			const b = make("button", {type: "button"}, "Show in the flame graph");
			b.addEventListener("click", () => {
				flame.reveal(node);
				flame.box.scrollIntoView();
				flame.stage.focus();
			});
			path.append(b);
		}
	}

	listen() {
		this.models.forEach(model => model.on(() => this.save(true)));
		addEventListener("keydown", e => this.key(e));
		addEventListener("popstate", () => this.load());
		addEventListener("hashchange", () => this.load());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	/* Names show in another way. */
	renamed() {
		Names.drawWritten();
		this.tables.forEach(table => table.draw());
		this.flames.forEach(flame => flame.renamed());
	}

	redraw() {
		this.flames.forEach(flame => flame.recolour());
		this.timeCharts.concat(this.callCharts).forEach(chart => chart.draw());
	}

	/* Paper has what is folded away, too. */
	print(printing) {
		document.querySelectorAll(".folded").forEach(e => { e.open = printing; });
		this.parts.print(printing);
		this.flames.forEach(flame => flame.print(printing));
	}

	/* The first flame graph that shows. */
	firstShown() {
		return this.flames.find(flame => !flame.box.closest("[hidden]"));
	}

	/* Keys that no element took: those of the page, and those of its first flame graph. */
	key(e) {
		const first = this.firstShown(), typing = e.target.matches("input, select, textarea");
		const find = e.key === "f" && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
		const row = keyOf(e);
		if (e.defaultPrevented || !first && !(row && row.act === "help"))
			return;
		if (find ? e.target !== first.input : !typing && row && row.act === "search")
			this.focusSearch(first);
		else if (!typing && row && row.act === "help")
			this.help.show();
		else if (!e.target.matches("body") || !row || row.act === "reset" || !first.act(row.act, e.key))
			return;
		e.preventDefault();
	}

	focusSearch(flame) {
		flame.box.scrollIntoView();
		flame.input.focus();
		flame.input.select();
	}

	/* What shows stands in the address, so that a link leads to it: that of the first flame graph
	 * by short keys, that of others with their number behind the key. @step: the browser's Back
	 * leads back from it. */
	save(step) {
		if (this.quiet)
			return;
		const all = Object.assign({}, ...[this.parts, ...this.others, ...this.models.slice(0, 1)]
			.map(part => part.state()));
		this.flames.forEach((flame, k) => Object.entries(flame.state()).forEach(
			([key, v]) => { all[key + (k || "")] = v; }));
		const state = Object.entries(all).filter(([, v]) => v);
		const hash = "#" + new URLSearchParams(state);
		if (hash === (location.hash || "#"))
			return;
		history[step ? "pushState" : "replaceState"](null, "", hash);
	}

	/* The model's metric is that of the flame graph in the part that shows. */
	showsPart(section) {
		const flame = this.flames.find(f => f.model && section.contains(f.box));
		if (flame)
			flame.model.set({metric: flame.number});
	}

	/* Does what makes no new state, or part of one. */
	silently(act) {
		const {quiet} = this;
		this.quiet = true;
		act();
		this.quiet = quiet;
	}

	load() {
		this.quiet = true;
		const state = new URLSearchParams(location.hash.slice(1));
		this.parts.restore(state);
		this.others.forEach(part => part.restore(state));
		if (this.model)
			this.model.restore(state);
		this.flames.forEach((flame, k) => flame.restore(key => state.get(key + (k || "")) || ""));
		this.quiet = false;
	}

	/* Shows the tooltip at a point, or hides it. */
	tip(what, x, y) {
		const tip = document.getElementById("tip");
		tip.hidden = !what;
		if (!what)
			return;
		tip.replaceChildren(make("b", {}, what.title),
			...what.lines.map(([label, text]) => make("div", {}, label ? label + ": " + text : text)));
		const {offsetWidth: w, offsetHeight: h} = tip;
		tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - w - 8)) + "px";
		tip.style.top = (y + 18 + h > innerHeight ? Math.max(4, y - h - 10) : y + 18) + "px";
	}
}

async function start() {
	const problem = document.getElementById("problem");
	let report = null;
	const theme = new Theme(() => report && report.redraw());
	try {
		const captures = new Captures();
		report = new Report(await inflate(captures.data()), [theme, captures]);
		problem.hidden = true;
		document.documentElement.dataset.ready = "true";
		theme.save = () => report.save(false);
		window.eprof = report;
	} catch (e) {
		problem.textContent = "The interactive part of this page cannot run here: " + e.message;
	}
}

start();
