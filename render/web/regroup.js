/* Regroup: the rows of samples as a tree in which frames are folded, hidden or joined, or something
 * other than thread names stands below the root. */
class Regroup {
	/* @sums: what rows there are to add up. */
	constructor(sums) {
		this.sums = sums;
		this.model = sums.model;
		this.trie = new Trie(this.model.nodes.frame[0]);
		this.frameFor = this.mapFrames();
		this.stamp = new Uint32Array(this.model.nodes.n);
		this.place = new Uint32Array(this.model.nodes.n);
		this.leaf = new Uint32Array(sums.nTaken); /* by row taken: its node */
		this.sourceOf = new Map(); /* of the first level: the model's nodes */
		this.fill();
	}

	/* By frame: that which stands for it; -1: none does. */
	mapFrames() {
		const {frames, filter} = this.model, kernel = KIND.KERNEL;
		const hidden = new Set(filter.hidden), folded = new Set(filter.fold);
		this.folds = new Set();
		return Int32Array.from(frames, (frame, f) => {
			if (frame.module && hidden.has(frame.module) || filter.startup && isStartup(frame) ||
				this.isLeftOut(frame))
				return -1;
			const ofKernel = filter.foldKernel && frame.kind === kernel;
			if (!ofKernel && !(frame.module && folded.has(frame.module)))
				return f;
			const fold = this.model.madeFrame("fold " + (ofKernel ? "" : frame.module), () =>
				({...frame, name: ofKernel ? "[kernel]" : "[" + baseName(frame.module) + "]",
					file: "", line: 0}));
			this.folds.add(fold);
			return fold;
		});
	}

	/* As --frames does it: select/frames_shown.h. */
	isLeftOut(frame) {
		const {frames} = this.model.filter, script = SCRIPT_KINDS[frame.kind];
		return frame.kind !== KIND.THREAD && (frames === "script" && !script || frames === "native" && script);
	}

	/* What stands for a stack below @top of which no frame is left. */
	standIn(top, node) {
		const {model} = this, ofScript = model.filter.frames === "script", name = ofScript ? "[native]" : "[script]";
		const kind = ofScript ? KIND.NATIVE : KIND.MARK;
		const at = this.trie.child(top, model.madeFrame("stand-in " + name, () => ({name, file: "", line: 0,
			module: name, kind, shade: 0, colour: model.palette[kind].shades[0]})));
		this.sourceOf.set(at, node);
		return at;
	}

	/* The rows taken, those of one group together: [group's frame or -1, rows' places in taken]. */
	groups() {
		const {model, sums} = this, {group} = model.filter, {rows, nodes} = model;
		const byKey = new Map();
		sums.rows.forEach((r, k) => {
			const key = group === "none" ? "" : model.groupKey(rows.thread[r], group);
			if (!byKey.has(key))
				byKey.set(key, {row: r, list: []});
			byKey.get(key).list.push(k);
		});
		return [...byKey].map(([key, {row, list}]) => {
			if (group === "none")
				return [-1, list];
			const top = nodes.frame[topOf(nodes, rows.node[row])];
			return [group === "name" ? top : model.madeFrame("group " + key, () =>
				({...model.frames[top], name: key})), list];
		});
	}

	fill() {
		const {sums, model, trie} = this, {rows} = model;
		this.groups().forEach(([frame, list], g) => {
			const top = frame < 0 ? 0 : trie.child(0, frame);
			if (model.filter.group === "name")
				this.sourceOf.set(top, topOf(model.nodes, rows.node[sums.taken[list[0]]]));
			for (const k of list) {
				const node = rows.node[sums.taken[k]], at = this.placeNode(node, top, g + 1);
				const none = model.filter.frames !== "all" && at === top && model.nodes.depth[node] > 1;
				this.leaf[k] = none ? this.standIn(top, node) : at;
			}
		});
	}

	/* The trie's node for @node of the model below @top: up to what has its place, then down. */
	placeNode(node, top, stamp) {
		const {parent, depth} = this.model.nodes, path = [];
		for (; depth[node] > 1 && this.stamp[node] !== stamp; node = parent[node])
			path.push(node);
		let at = depth[node] > 1 ? this.place[node] : top;
		while (path.length) {
			node = path.pop();
			at = this.step(at, this.model.nodes.frame[node]);
			this.stamp[node] = stamp;
			this.place[node] = at;
		}
		return at;
	}

	step(at, own) {
		const {trie} = this, frame = this.frameFor[own];
		if (frame < 0 || (this.folds.has(frame) && at && trie.frame[at] === frame))
			return at;
		if (this.model.filter.collapse)
			for (let above = at; above; above = trie.parent[above])
				if (trie.frame[above] === frame)
					return above;
		return trie.child(at, frame);
	}

	tree() {
		const {trie, sums, model} = this, n = trie.n, {rows} = model;
		const self = new Float64Array(n), selfSamples = new Float64Array(n);
		const source = new Uint32Array(n).fill(0xffffffff);
		const frame = trie.frame.slice(0, n);
		for (let k = 0; k < sums.nTaken; k++) {
			const r = sums.taken[k], at = this.leaf[k];
			self[at] += rows.values[sums.metric][r];
			selfSamples[at] += rows.samples[sums.metric][r];
		}
		for (let i = model.nodes.n - 1; i > 0; i--)
			if (this.stamp[i] && source[this.place[i]] > i)
				source[this.place[i]] = i;
		source[0] = 0;
		this.sourceOf.forEach((node, top) => { source[top] = node; });
		if (model.ofWaits) {
			const reasons = sums.reasons(k => this.leaf[k], n, trie.parent);
			for (let i = 0; i < n; i++)
				frame[i] = model.withReason(frame[i], reasons[i]);
		}
		const tree = treeOf(model.treeKind(sums.metric), n,
			{parent: trie.parent, frame, self, selfSamples, source}, "name");
		const place = new Uint32Array(n); /* by the trie's node */
		tree.walk.forEach((node, i) => { place[node] = i; });
		return {tree, leaves: () => this.leaf.map(node => place[node])};
	}
}

/* The node of the first level that @node is below. */
function topOf(nodes, node) {
	while (nodes.depth[node] > 1)
		node = nodes.parent[node];
	return node;
}

function baseName(path) {
	return path.slice(path.lastIndexOf("/") + 1) || path;
}
