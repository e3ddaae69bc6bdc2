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

function makeNamed(tag, attributes, name) {
	const shown = shorten(name);
	return make(tag, shown === name ? attributes : {...attributes, title: name}, shown);
}

function swatch(colour) {
	const e = make("span", {class: "swatch", "aria-hidden": "true"});
	e.style.background = colour;
	return e;
}

const TAG_FLAME = 1, TAG_TABLE = 2;

/* Report: the page as a whole. */
class Report {
	constructor(bytes) {
		this.flames = [];
		this.tables = [];
		this.names = new Map(); /* of functions → {flame, frame} where one can be searched */
		this.quiet = true;
		this.read(new Reader(bytes));
		this.parts = new Parts(this);
		this.tables.forEach(table => table.start());
		this.addPathButtons();
		this.listen();
		this.load();
		this.quiet = false;
	}

	read(reader) {
		for (let tag = reader.uint(); tag; tag = reader.uint()) {
			if (tag === TAG_FLAME)
				this.addFlame(new Tree(reader));
			else if (tag === TAG_TABLE)
				this.tables.push(new Table(document.querySelector(
					`[data-table="${this.tables.length}"]`), reader, this.finder()));
			else
				throw new Error("unknown part " + tag);
		}
	}

	addFlame(tree) {
		const box = document.querySelector(`[data-flame="${this.flames.length}"]`);
		const flame = new Flame(box, tree, this);
		this.flames.push(flame);
		for (const frame of tree.frames) {
			if (frame.kind === KINDS.indexOf("thread"))
				continue;
			if (!this.names.has(frame.name))
				this.names.set(frame.name, []);
			this.names.get(frame.name).push({flame, frame});
		}
	}

	/* For a table: a button that searches a name, or null. The flame graph above the table is asked
	 * before the others. */
	finder() {
		const own = this.flames[this.flames.length - 1];
		return name => {
			const places = this.names.get(name);
			const at = places && (places.find(p => p.flame === own) || places[0]);
			return at ? this.nameButton(at.flame, at.frame, name) : null;
		};
	}

	nameButton(flame, frame, name) {
		const b = make("button", {type: "button", class: "name",
			title: name + "\nSearch it in the flame graph"}, swatch(frame.colour), make("span", {}, shorten(name)));
		b.addEventListener("click", () => {
			this.parts.reveal(flame.box);
			flame.search("^" + escapePattern(name) + "$");
			flame.box.scrollIntoView();
		});
		return b;
	}

	addPathButtons() {
		for (const path of document.querySelectorAll("[data-node]")) {
			const flame = this.flames[path.dataset.in], node = Number(path.dataset.node);
			if (!flame || !(node < flame.tree.n))
				continue;
			const b = make("button", {type: "button"}, "Show in the flame graph");
			b.addEventListener("click", () => {
				flame.go(node);
				flame.box.scrollIntoView();
				flame.stage.focus();
			});
			path.append(b);
		}
	}

	listen() {
		addEventListener("keydown", e => this.key(e));
		addEventListener("popstate", () => this.load());
		addEventListener("hashchange", () => this.load());
		addEventListener("beforeprint", () => this.print(true));
		addEventListener("afterprint", () => this.print(false));
	}

	print(printing) {
		this.parts.print(printing);
		this.flames.forEach(flame => flame.print(printing));
	}

	/* The first flame graph that shows. */
	firstShown() {
		return this.flames.find(flame => !flame.box.closest("[hidden]"));
	}

	key(e) {
		const first = this.firstShown(), typing = e.target.matches("input");
		const find = e.key === "f" && (e.ctrlKey || e.metaKey) && !e.altKey && !e.shiftKey;
		if (!first || !(find ? e.target !== first.input : e.key === "/" && !typing))
			return;
		e.preventDefault();
		first.box.scrollIntoView();
		first.input.focus();
		first.input.select();
	}

	/* The first flame graph's state stands in the address, so that a link leads to it. @step:
	 * the browser's Back leads back from it. */
	save(step) {
		if (this.quiet || !this.flames[0])
			return;
		const all = {...this.flames[0].state(), ...this.parts.state()};
		const state = Object.entries(all).filter(([, v]) => v);
		const hash = "#" + new URLSearchParams(state);
		if (hash === (location.hash || "#"))
			return;
		history[step ? "pushState" : "replaceState"](null, "", hash);
	}

	load() {
		this.quiet = true;
		const state = new URLSearchParams(location.hash.slice(1));
		this.parts.restore(state);
		if (this.flames[0])
			this.flames[0].restore(state);
		this.flames.slice(1).forEach(flame => flame.zoom(0));
		this.quiet = false;
	}

	/* Shows the tooltip at a point, or hides it. */
	tip(what, x, y) {
		const tip = document.getElementById("tip");
		tip.hidden = !what;
		if (!what)
			return;
		tip.replaceChildren(make("b", {}, what.title),
			...what.lines.map(([label, text]) => make("div", {}, label + ": " + text)));
		const {offsetWidth: w, offsetHeight: h} = tip;
		tip.style.left = Math.max(4, Math.min(x + 14, innerWidth - w - 8)) + "px";
		tip.style.top = (y + 18 + h > innerHeight ? Math.max(4, y - h - 10) : y + 18) + "px";
	}
}

/* Dark or light: as the system says until the button says otherwise. */
function startTheme(redraw) {
	const root = document.documentElement, button = document.getElementById("theme");
	const system = matchMedia("(prefers-color-scheme: dark)");
	let chosen = null;
	const apply = () => {
		const dark = chosen === null ? system.matches : chosen;
		root.dataset.theme = dark ? "dark" : "light";
		button.textContent = dark ? "Light" : "Dark";
		button.setAttribute("aria-label", "Switch to " + (dark ? "light" : "dark") + " colours");
		redraw();
	};
	button.hidden = false;
	button.addEventListener("click", () => {
		chosen = root.dataset.theme !== "dark";
		apply();
	});
	system.addEventListener("change", apply);
	apply();
}

async function start() {
	const problem = document.getElementById("problem");
	let report = null;
	startTheme(() => report && report.flames.forEach(flame => flame.draw()));
	try {
		report = new Report(await inflate(document.getElementById("data").textContent));
		problem.hidden = true;
		document.documentElement.dataset.ready = "true";
		window.eprof = report;
	} catch (e) {
		problem.textContent = "The interactive part of this page cannot run here: " + e.message;
	}
}

start();
