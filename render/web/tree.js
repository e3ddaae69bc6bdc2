/* Kinds of frames: the number of each name, as in frame_kinds.def; by number the label, and that in a
 * flame graph of zones. */
const KIND = {}, KINDS = [], ZONE_KINDS = [], SCRIPT_KINDS = [], STARTUP = [];

function readKinds(reader) {
	for (let i = 0, n = reader.uint(); i < n; i++) {
		KIND[reader.string()] = i;
		KINDS[i] = reader.string();
		ZONE_KINDS[i] = reader.string();
		SCRIPT_KINDS[i] = reader.uint() === 1;
	}
	for (let i = reader.uint(); i; i--)
		STARTUP.push(reader.string());
}

/* Whether every thread or system call begins with such a frame: query/startup.h. */
function isStartup(frame) {
	const has = name => name.endsWith("*") ? frame.name.startsWith(name.slice(0, -1)) : name === frame.name;
	return frame.kind !== KIND.THREAD && STARTUP.some(has);
}

/* Matches of a search that one steps through. */
const MOST_SORTED = 10000;

/* Tree: a flame graph's boxes, a parent before its children and all below it before its next
 * sibling; columns by the box's number. x and total are the layout's own integers: each box begins
 * where its sibling before it ends, the first at its parent's left edge, as in paint/flame.c. */
class Tree {
	/*
	 * @of: unit; ofZones, ofWaits: whether values are times of zones, of waits;
	 * frames: [{name, file, line, module, kind, reason, colour}];
	 * and the columns, typed arrays by box: depth, frame (an index of frames), self,
	 * selfSamples; perhaps gap (of x, see place()) and source: where each box comes from, which
	 * lasts when a filter changes.
	 */
	constructor(of) {
		Object.assign(this, {unit: "", ofZones: false, ofWaits: false, gap: null}, of);
		this.n = this.depth.length;
		this.addUp();
		this.place();
	}

	/* The box that comes from @source, -1: none. Where boxes have no source, that is its number. */
	indexOf(source) {
		if (!this.source)
			return source < this.n ? source : -1;
		return this.source.indexOf(source);
	}

	/* Parents, ends of subtrees and totals from the columns. */
	addUp() {
		const {n, depth} = this, {parent, end} = shapeOf(depth);
		this.parent = parent;
		this.end = end;
		this.total = addUpwards(this.self.slice(), parent);
		/* Calls of zones stand for their place alone. */
		this.totalSamples = this.ofZones ? this.selfSamples :
			addUpwards(this.selfSamples.slice(), parent);
		this.rows = 1;
		for (let i = 0; i < n; i++)
			if (depth[i] >= this.rows)
				this.rows = depth[i] + 1;
	}

	/* Gaps are how far right of where the box before it ended a box lies. */
	place() {
		const {n, parent, total, gap} = this;
		const cursor = new Float64Array(n), x = this.x = new Float64Array(n);
		for (let i = 0; i < n; i++) {
			x[i] = (i ? cursor[parent[i]] : 0) + (gap ? gap[i] : 0);
			cursor[i] = x[i];
			if (i)
				cursor[parent[i]] = x[i] + total[i];
		}
	}

	get kinds() {
		return this.ofZones ? ZONE_KINDS : KINDS;
	}

	/* Those of the frames that a box is of. */
	usedFrames() {
		const used = new Uint8Array(this.frames.length);
		this.frame.forEach(f => { used[f] = 1; });
		return this.frames.filter((_, f) => used[f]);
	}

	/* What the colour of @frame means. */
	meaning(frame) {
		return frame.reason || this.kinds[frame.kind];
	}

	of(i) {
		return this.frames[this.frame[i]];
	}

	/* How a box is drawn, and what stands in it. */
	colour(i) {
		return this.of(i).colour;
	}

	label(i) {
		return Names.of(this.of(i));
	}

	/* What stands in a box that has no room for the label: of code without a name its offset, which
	 * tells it from its neighbours in the same module. */
	labelShort(i) {
		const {name, kind} = this.of(i), at = name.lastIndexOf("+0x");
		return kind === KIND.UNNAMED && at > 0 ? name.slice(at) : "";
	}

	children(i) {
		const list = [];
		for (let c = i + 1; c < this.end[i]; c = this.end[c])
			list.push(c);
		return list;
	}

	/* From the root to the parent of @i. */
	ancestors(i) {
		const list = [];
		while (i)
			list.push(i = this.parent[i]);
		return list.reverse();
	}

	isWithin(i, base) {
		return i >= base && i < this.end[base];
	}

	rowsBelow(base) {
		if (!base)
			return this.rows;
		let deepest = this.depth[base];
		for (let i = base; i < this.end[base]; i++)
			deepest = Math.max(deepest, this.depth[i]);
		return deepest + 1;
	}

	/* The box at @value of row @depth within @base; -1 where there is none. */
	find(base, value, depth) {
		let i = base;
		while (this.depth[i] < depth) {
			const end = this.end[i];
			let c = i + 1;
			while (c < end && !(value >= this.x[c] && value < this.x[c] + this.total[c]))
				c = this.end[c];
			if (c >= end)
				return -1;
			i = c;
		}
		return i;
	}

	/* Which boxes match, counted so that each sample counts once: a box below one that matches
	 * is part of that. @matches has one flag a frame. */
	matched(matches, base) {
		const found = {nodes: [], value: 0, samples: 0};
		for (let i = base; i < this.end[base];) {
			if (!matches[this.frame[i]]) {
				i++;
				continue;
			}
			found.nodes.push(i);
			found.value += this.total[i];
			found.samples += this.totalSamples[i];
			i = this.end[i];
		}
		return found;
	}

	/* The heaviest of @nodes first; of very many the heaviest alone. */
	byWeight(nodes) {
		let list = nodes;
		if (nodes.length > MOST_SORTED) {
			const least = pick(this.total, nodes).sort()[nodes.length - MOST_SORTED];
			list = nodes.filter(i => this.total[i] >= least).slice(0, MOST_SORTED);
		}
		return list.sort((a, b) => this.total[b] - this.total[a] || a - b);
	}
}

/* Parents and ends of subtrees of nodes in the order of a walk. */
function shapeOf(depth) {
	const n = depth.length, parent = new Uint32Array(n), end = new Uint32Array(n), above = [];
	for (let i = 0; i < n; i++) {
		const level = depth[i];
		parent[i] = i ? above[level - 1] : 0;
		above[level] = i;
	}
	for (let i = n - 1; i >= 0; i--) {
		const own = end[i] || i + 1, up = parent[i];
		end[i] = own;
		if (own > end[up])
			end[up] = own;
	}
	return {parent, end};
}

/* Adds each node's number to its parent's, which stands before it. */
function addUpwards(sums, parent) {
	for (let i = sums.length - 1; i > 0; i--)
		sums[parent[i]] += sums[i];
	return sums;
}

/* A regular expression from what was typed, the text itself where it is none; letters of both
 * cases alike unless one of them is a capital. */
function searchPattern(text) {
	const flags = /[A-Z]/.test(text.replace(/\\./g, "")) ? "" : "i";
	try {
		return {re: new RegExp(text, flags), literal: false};
	} catch (e) {
		return {re: new RegExp(escapePattern(text), flags), literal: true};
	}
}

function escapePattern(text) {
	return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
