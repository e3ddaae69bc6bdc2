/* Detail: what a box stands for, in words and numbers. */

/* Standard deviations that 19 of 20 captures stay within. */
const SIGMAS = 1.96;

/* Wilson's score interval of a share of @p among @n samples (Wilson, Journal of the American
 * Statistical Association 22, 1927, p. 209): [least, most]. */
function wilson(p, n) {
	const z2 = SIGMAS * SIGMAS / n, middle = (p + z2 / 2) / (1 + z2);
	const half = Math.sqrt(Math.max(0, p * (1 - p)) * z2 + z2 * z2 / 4) / (1 + z2);
	return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

class Detail {
	constructor(flame) {
		this.flame = flame;
		this.box = make("div", {class: "detail"});
	}

	/* What all shares are of: {all, chosen: what the filter leaves}. */
	figure(tree, i, value, count, base) {
		const {whole, selected} = this.flame.wholes();
		const shares = [Units.percent(value, whole) + " of all"];
		if (selected !== whole)
			shares.push(Units.percent(value, selected) + " of the selection");
		if (base && tree.isWithin(i, base))
			shares.push(Units.percent(value, tree.total[base]) + " of the zoomed");
		return Units.value(value, tree.unit) + count + ": " + shares.join(", ");
	}

	/* Of samples: between which shares the true one lies in 19 of 20 captures. */
	interval(tree, i) {
		const {selected, effective} = this.flame.wholes();
		if (!effective || tree.total[i] === selected && !i || tree.exact || !(selected > 0))
			return "";
		const [least, most] = wilson(tree.total[i] / selected, effective);
		return Units.percent(least, 1) + " to " + Units.percent(most, 1) +
			(tree.summed ? "" : " by " + Units.samples(Math.round(effective)));
	}

	/* Lines of the tooltip and of what stands below the graph. */
	lines(i, graph) {
		const {tree} = graph, frame = tree.of(i), {base} = graph.canvas;
		const counted = samples => tree.unit === "samples" || tree.summed ? "" :
			", " + (tree.ofZones ? Units.calls(samples) : Units.samples(samples));
		const source = frame.file ? frame.file + (frame.line ? ":" + frame.line : "") : "";
		const ofThreads = !i && frame.kind === KIND.THREAD; /* the root of all */
		const from = [ofThreads ? "" : tree.kinds[frame.kind], frame.module, source].filter(text => text);
		const parent = tree.parent[i];
		return [
			["Total", this.figure(tree, i, tree.total[i],
				tree.ofZones && !i ? "" : counted(tree.totalSamples[i]), base)],
			["Self", this.figure(tree, i, tree.self[i],
				tree.ofZones ? "" : counted(tree.selfSamples[i]), base)],
			["Parent", i ? Units.percent(tree.total[i], tree.total[parent]) + " of " +
				shorten(Names.of(tree.of(parent))) : ""],
			["Share", this.interval(tree, i)],
			["From", from.join(" · ")],
			["Mostly", tree.ofWaits ? frame.reason || "on a CPU" : ""],
		].filter(([, text]) => text);
	}

	sentence(i, graph) {
		const {tree} = graph, siblings = tree.children(tree.parent[i]), {whole} = this.flame.wholes();
		return shorten(tree.of(i).name) + ", total " + Units.percent(tree.total[i], whole) +
			", self " + Units.percent(tree.self[i], whole) + ", level " +
			tree.depth[i] + (i ? ", " + (siblings.indexOf(i) + 1) + " of " + siblings.length : "") +
			", calls " + tree.children(i).length;
	}

	/* What stands behind the name of a callee. */
	amount(tree, i) {
		return Units.percent(tree.total[i], this.flame.wholes().whole);
	}

	draw(graph) {
		const {tree} = graph, i = graph.canvas.focus;
		const list = make("dl");
		for (const [label, text] of this.lines(i, graph))
			list.append(make("div", {}, make("dt", label === "Share" ? {title: SHARE_HELP} : {}, label),
				make("dd", {}, text.replaceAll(" %", "\u00a0%"))));
		const {name, file, line} = tree.of(i), link = Editor.link(file, line);
		const head = makeNamed("h3", {}, name, Names.of(tree.of(i)));
		this.box.replaceChildren(head, list);
		if (head.textContent !== name)
			head.after(make("p", {class: "wholename"}, name));
		if (link)
			this.box.append(make("a", {class: "editor", href: link}, "Open " + baseName(file) +
				(line ? ":" + line : "")));
		if (this.flame.menu)
			this.box.append(this.flame.menu.button());
		const callees = tree.children(i).sort((a, b) => tree.total[b] - tree.total[a]);
		if (!callees.length)
			return;
		const names = make("ul", {class: "callees", "aria-label": "Calls"});
		for (const c of callees.slice(0, MOST_CALLEES)) {
			const b = make("button", {type: "button", title: tree.of(c).name},
				swatch(tree.colour(c), tree.of(c).reason), make("span", {}, shorten(Names.of(tree.of(c)))),
				make("b", {}, this.amount(tree, c)));
			b.addEventListener("click", () => graph.go(c));
			names.append(make("li", {}, b));
		}
		if (callees.length > MOST_CALLEES)
			names.append(make("li", {}, Units.count(callees.length - MOST_CALLEES) + " more"));
		this.box.append(names);
	}
}

const SHARE_HELP = "Where the true share lies in 19 of 20 captures, as far as chance alone moves it: " +
	"Wilson's score interval of the share of the selection. The number of samples is Kish's effective " +
	"one, less than all where their values differ. For samples of waits it is wider than it need be.";
