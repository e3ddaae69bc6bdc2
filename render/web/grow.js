/* Grow: call trees made of others: Trie puts stacks together, the functions behind it say which. */

/* Numbers by pair (parent, frame), by open addressing: a Map of as many takes ten times as long. */
class Trie {
	/* The root's frame. */
	constructor(frame) {
		this.n = 1;
		this.parent = new Uint32Array(1024);
		this.frame = new Uint32Array(1024);
		this.table = new Uint32Array(4096); /* 0: free, else a node */
		this.frame[0] = frame;
	}

	slot(parent, frame) {
		const mask = this.table.length - 1;
		let at = (Math.imul(parent, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b)) >>> 0;
		at = (at ^ at >>> 15) & mask;
		for (; this.table[at]; at = at + 1 & mask) {
			const node = this.table[at];
			if (this.parent[node] === parent && this.frame[node] === frame)
				break;
		}
		return at;
	}

	/* The node of @frame below @parent, made where there is none. */
	child(parent, frame) {
		const at = this.slot(parent, frame);
		if (this.table[at])
			return this.table[at];
		if (this.n === this.parent.length)
			this.grow();
		this.parent[this.n] = parent;
		this.frame[this.n] = frame;
		this.table[at] = this.n;
		if (2 * this.n > this.table.length)
			this.rehash();
		return this.n++;
	}

	grow() {
		for (const name of ["parent", "frame"]) {
			const larger = new Uint32Array(2 * this.n);
			larger.set(this[name]);
			this[name] = larger;
		}
	}

	rehash() {
		this.table = new Uint32Array(2 * this.table.length);
		for (let node = 1; node <= this.n; node++)
			this.table[this.slot(this.parent[node], this.frame[node])] = node;
	}
}

/* Sums by number, in a typed array that grows. */
class Totals {
	constructor() {
		this.at = new Float64Array(1024);
	}

	add(i, value) {
		if (i >= this.at.length) {
			const larger = new Float64Array(2 * Math.max(i, this.at.length));
			larger.set(this.at);
			this.at = larger;
		}
		this.at[i] += value;
	}

	/* Of the first @n numbers. */
	column(n) {
		this.add(n, 0);
		return this.at.slice(0, n);
	}
}

/* The nodes in the order of a walk, siblings by @compare. Parents have smaller numbers. */
function walkOrder(parent, n, compare) {
	const start = new Uint32Array(n + 1), list = new Uint32Array(n);
	for (let i = 1; i < n; i++)
		start[parent[i] + 1]++;
	for (let i = 0; i < n; i++)
		start[i + 1] += start[i];
	const at = start.slice();
	for (let i = 1; i < n; i++)
		list[at[parent[i]]++] = i;
	const order = new Uint32Array(n), todo = new Uint32Array(n);
	for (let k = 0, left = 1; left; k++) {
		const i = order[k] = todo[--left], from = start[i], end = start[i + 1];
		if (end - from === 2 && compare(list[from], list[from + 1]) > 0)
			[list[from], list[from + 1]] = [list[from + 1], list[from]];
		else if (end - from > 2)
			list.subarray(from, end).sort(compare);
		for (let c = end; c > from;)
			todo[left++] = list[--c];
	}
	return order;
}

/* Levels of nodes of which parents have smaller numbers. */
function levelsOf(parent, n) {
	const depth = new Uint32Array(n);
	for (let i = 1; i < n; i++)
		depth[i] = depth[parent[i]] + 1;
	return depth;
}

const knownRanks = new WeakMap();

/* By each frame's number its place in order of name, then number: as siblings stand. */
function nameRanks(frames) {
	const known = knownRanks.get(frames);
	if (known && known.length === frames.length)
		return known;
	const order = frames.map((_, i) => i);
	const wide = text => /[\ud800-\udfff]/.test(text);
	const compare = (a, b) => a === b ? 0 :
		wide(a) || wide(b) ? comparePoints(a, b) : a < b ? -1 : 1;
	order.sort((a, b) => compare(frames[a].name, frames[b].name) || a - b);
	const rank = new Uint32Array(frames.length);
	order.forEach((f, place) => { rank[f] = place; });
	knownRanks.set(frames, rank);
	return rank;
}

/* In order of code points, which is that of UTF-8's bytes. */
function comparePoints(a, b) {
	const left = Array.from(a, c => c.codePointAt(0)), right = Array.from(b, c => c.codePointAt(0));
	const at = left.findIndex((c, i) => c !== right[i]);
	return at < 0 ? left.length - right.length : right[at] === undefined ? 1 : left[at] - right[at];
}

/* @columns of nodes that stand parents first, as a Tree whose siblings stand by @order: "name", or
 * "heavy": the heaviest first. @columns: parent, frame, self, selfSamples, perhaps source. */
function treeOf(kind, n, columns, order) {
	const {parent, frame, self} = columns;
	let compare;
	if (order === "heavy") {
		const total = addUpwards(self.slice(0, n), parent);
		compare = (a, b) => total[b] - total[a] || a - b;
	} else if (order === "name") {
		const rank = nameRanks(kind.frames);
		compare = (a, b) => rank[frame[a]] - rank[frame[b]] || a - b;
	} else
		compare = (a, b) => a - b;
	/* What was joined with another box may have left one without samples. */
	const samples = addUpwards(columns.selfSamples.slice(0, n), parent);
	const walk = walkOrder(parent, n, compare).filter(i => !i || samples[i] || kind.ofZones);
	const depth = levelsOf(parent, n);
	const source = columns.source ? pick(columns.source, walk) : null;
	return new Tree({...kind, walk, depth: pick(depth, walk), frame: pick(frame, walk),
		self: pick(self, walk), selfSamples: pick(columns.selfSamples, walk), source});
}

/* What a tree made of @tree has from it. */
function kindOf(tree) {
	const {unit, ofZones, ofWaits, frames, exact, summed, step_ns} = tree;
	return {unit, ofZones, ofWaits, frames, exact, summed, step_ns};
}

/* The same tree, the heaviest on the left. */
function heaviest(tree) {
	const source = tree.source || Uint32Array.from(tree.depth, (_, i) => i);
	return treeOf(kindOf(tree), tree.n, {...columnsOf(tree), source}, "heavy");
}

function columnsOf(tree) {
	const {parent, frame, self, selfSamples} = tree;
	return {parent, frame, self, selfSamples};
}

/* --- callers --------------------------------------------------------------------------------- */

/* More steps than this are not gone: callers of what has less than a part in LEAST_CALLED of the
 * whole are left out then. */
const MOST_STEPS = 4e6, LEAST_CALLED = 20000;

/*
 * A tree of callers: below @root (a frame's number) the stacks above each of @items (nodes of
 * @tree), leaf first, with its weight. The items' own frames are in it where @own says so. What was
 * left out stands in the tree's leftOut.
 */
function callersTree(tree, root, items, value, samples, own, order) {
	const trie = new Trie(root), n = items.length;
	const cursor = Uint32Array.from(items, i => own ? i : tree.parent[i]);
	const at = new Uint32Array(n), sums = new Totals(), self = new Totals(), counts = new Totals();
	let steps = 0, whole = 0, leftOut = false, active = Uint32Array.from(items, (_, k) => k);
	for (let k = 0; k < n; k++) {
		steps += tree.depth[cursor[k]];
		whole += value[items[k]];
	}
	const least = steps > MOST_STEPS ? whole / LEAST_CALLED : 0;
	while (active.length) {
		for (const k of active)
			if (cursor[k]) {
				at[k] = trie.child(at[k], tree.frame[cursor[k]]);
				sums.add(at[k], value[items[k]]);
			}
		let kept = 0;
		for (const k of active) {
			const above = cursor[k] ? tree.parent[cursor[k]] : 0;
			if (above && sums.at[at[k]] >= least) {
				cursor[k] = above;
				active[kept++] = k;
				continue;
			}
			leftOut = leftOut || above > 0;
			self.add(at[k], value[items[k]]);
			counts.add(at[k], samples[items[k]]);
		}
		active = active.subarray(0, kept);
	}
	const made = treeOf(kindOf(tree), trie.n, {parent: trie.parent, frame: trie.frame,
		self: self.column(trie.n), selfSamples: counts.column(trie.n)}, order);
	made.leftOut = leftOut ? least : 0;
	return made;
}

/* Leaf first: below the root every function by its own time, below that its callers. */
function reversed(tree, order) {
	const items = [];
	for (let i = 1; i < tree.n; i++)
		if (tree.selfSamples[i])
			items.push(i);
	return callersTree(tree, tree.frame[0], items, tree.self, tree.selfSamples, true, order);
}

/* --- sandwich -------------------------------------------------------------------------------- */

/* The boxes of function @name that no other one is above: recursion counts once. */
function outermost(tree, name) {
	const flags = Uint8Array.from(tree.frames, f => f.name === name ? 1 : 0), list = [];
	for (let i = 0; i < tree.n;) {
		if (flags[tree.frame[i]])
			list.push(i);
		i = flags[tree.frame[i]] ? tree.end[i] : i + 1;
	}
	return list;
}

/* {callers, callees} of function @name, two trees with it as their root. */
function sandwich(tree, name, order) {
	const items = outermost(tree, name);
	const root = items.length ? tree.frame[items[0]] : tree.frame[0];
	const callers = callersTree(tree, root, items, tree.total, tree.totalSamples, false, order);
	const trie = new Trie(root), place = new Uint32Array(tree.n);
	const self = new Totals(), counts = new Totals();
	for (const top of items)
		for (let i = top; i < tree.end[top]; i++) {
			place[i] = i === top ? 0 : trie.child(place[tree.parent[i]], tree.frame[i]);
			self.add(place[i], tree.self[i]);
			counts.add(place[i], tree.selfSamples[i]);
		}
	const callees = treeOf(kindOf(tree), trie.n, {parent: trie.parent, frame: trie.frame,
		self: self.column(trie.n), selfSamples: counts.column(trie.n)}, order);
	return {callers, callees};
}
