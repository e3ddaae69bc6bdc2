/* Menu: what one can do with the chosen frame; by right click, by key, by the button of the detail. */
class Menu {
	constructor(flame) {
		this.flame = flame;
		this.box = make("div", {class: "menu", role: "menu", "aria-label": "Actions on the frame"});
		this.box.hidden = true;
		this.box.addEventListener("keydown", e => this.key(e));
		this.box.addEventListener("focusout", e => {
			if (!this.box.contains(e.relatedTarget))
				this.box.hidden = true;
		});
	}

	button() {
		const b = make("button", {type: "button", class: "act", "aria-haspopup": "menu",
			title: "Focus, ignore, fold … (M, or a right click on a frame)"}, "Actions ▾");
		b.addEventListener("click", () => {
			const {left, bottom} = b.getBoundingClientRect();
			this.open(left, bottom);
		});
		return b;
	}

	/* [what it says, what it does] */
	actions() {
		const {flame} = this, {tree, canvas} = flame, i = canvas.focus, {name} = tree.of(i);
		const exact = "^" + escapePattern(name) + "$";
		const list = [
			["Zoom in", () => flame.active.zoom(i)],
			["Search for this name", () => flame.search(exact)],
			[Names.whole ? "Show short names" : "Show whole names",
				() => flame.report.settings.setWhole(!Names.whole)],
			["Copy name", () => navigator.clipboard && navigator.clipboard.writeText(name)
				.catch(() => 0)],
		];
		if (i && tree.of(i).kind !== KIND.THREAD)
			list.splice(1, 0, ["Show callers and callees", () => flame.showSandwich(name)]);
		return flame.model ? [...list, ...this.filters(tree.of(i), i, exact)] : list;
	}

	filters(frame, i, exact) {
		const {model} = this.flame, {filter} = model, {module} = frame, list = [];
		const add = (key, name) => [...new Set([...filter[key], name])];
		if (!i)
			return list;
		if (frame.kind === KIND.THREAD)
			return this.threadFilter(frame);
		list.push(["Focus: only stacks with it", () => model.set({focus: exact})],
			["Ignore: no stacks with it", () => model.set({ignore: exact})]);
		if (frame.kind === KIND.KERNEL)
			list.push([filter.foldKernel ? "Unfold the kernel" : "Fold the kernel",
				() => model.set({foldKernel: !filter.foldKernel})]);
		else if (module && filter.fold.includes(module))
			list.push(["Unfold " + baseName(module),
				() => model.set({fold: filter.fold.filter(m => m !== module)})]);
		else if (module)
			list.push(["Fold " + baseName(module), () => model.set({fold: add("fold", module)})]);
		if (module)
			list.push(["Leave out frames of " + baseName(module),
				() => model.set({hidden: add("hidden", module)})]);
		return list;
	}

	/* The threads that the frame stands for. */
	threadFilter(frame) {
		const {model} = this.flame, {group} = model.filter;
		const by = this.flame.mode === "time" ? "thread" : group;
		if (by === "none")
			return [];
		const threads = model.threads.map((_, t) => t)
			.filter(t => model.groupKey(t, by) === frame.name);
		return threads.length ? [["Only " + shorten(frame.name), () => model.set({threads})]] : [];
	}

	open(x, y) {
		this.box.replaceChildren(...this.actions().map(([what, act]) => {
			const b = make("button", {type: "button", role: "menuitem"}, what);
			b.addEventListener("click", () => {
				this.close();
				act();
			});
			return b;
		}));
		this.box.hidden = false;
		const {offsetWidth: w, offsetHeight: h} = this.box;
		this.box.style.left = Math.max(4, Math.min(x, innerWidth - w - 8)) + "px";
		this.box.style.top = Math.max(4, Math.min(y, innerHeight - h - 8)) + "px";
		this.box.firstChild.focus();
	}

	close() {
		this.flame.stage.focus({preventScroll: true});
		this.box.hidden = true;
	}

	key(e) {
		const items = [...this.box.children], at = items.indexOf(document.activeElement);
		const to = {ArrowDown: at + 1, ArrowUp: at + items.length - 1, Home: 0, End: items.length - 1};
		if (e.key === "Escape")
			this.close();
		else if (e.key in to)
			items[to[e.key] % items.length].focus();
		else if (e.key !== "Enter" && e.key !== " " && e.key !== "Tab")
			return;
		else {
			e.stopPropagation();
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}
}
