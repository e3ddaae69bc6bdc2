/* By enum frame_class. */
const KINDS = ["user", "kernel", "JIT code", "inlined", "unnamed", "note", "thread"];
const ZONE_KINDS = ["zone", "kernel", "JIT code", "inlined", "unnamed", "no function", "zone"];

/* Tree: a flame graph's boxes, a parent before its children and all below it before its next
 * sibling; columns by the box's number. x and total are the layout's own integers. */
class Tree {
	constructor(reader) {
		this.unit = reader.string();
		this.ofZones = reader.uint() === 1;
		this.ofWaits = reader.uint() === 1;
		this.frames = Array.from({length: reader.uint()}, () => ({
			name: reader.string(),
			file: reader.string(),
			line: reader.uint(),
			module: reader.string(),
			kind: reader.uint(),
			reason: this.ofWaits ? reader.string() : "",
			colour: reader.uint(),
		}));
		this.readColours(reader);
		this.readColumns(reader);
		this.addUp();
		this.place();
	}

	readColours(reader) {
		const colours = Array.from({length: reader.uint()},
			() => "#" + reader.uint().toString(16).padStart(6, "0"));
		for (const frame of this.frames)
			frame.colour = colours[frame.colour];
	}

	readColumns(reader) {
		const mean = reader.int(), n = reader.uint();
		this.n = n;
		this.depth = new Uint32Array(n);
		this.frame = new Uint32Array(n);
		this.selfSamples = new Float64Array(n);
		this.self = new Float64Array(n);
		this.x = new Float64Array(n);
		for (let i = 1; i < n; i++)
			this.depth[i] = this.depth[i - 1] + 1 - reader.uint();
		this.readFrames(reader);
		for (let i = 0; i < n; i++)
			this.selfSamples[i] = reader.int();
		for (let i = 0; i < n; i++)
			this.self[i] = reader.int() + mean * this.selfSamples[i];
		for (let i = 0; i < n; i++)
			this.x[i] = reader.int();
	}

	/* A frame is told by its number among those that its parent's frame called before it. */
	readFrames(reader) {
		const callees = this.frames.map(() => []), above = [];
		for (let i = 0; i < this.n; i++) {
			const depth = this.depth[i], known = callees[depth ? above[depth - 1] : 0];
			const number = reader.uint();
			if (!number)
				known.push(reader.uint());
			above[depth] = this.frame[i] = known[(number || known.length) - 1];
		}
	}

	/* Parents, ends of subtrees and totals from the columns. */
	addUp() {
		const {n, depth} = this;
		const above = [];
		this.parent = new Uint32Array(n);
		this.end = new Uint32Array(n);
		this.total = this.self.slice();
		this.totalSamples = this.selfSamples.slice();
		this.rows = 1;
		for (let i = 0; i < n; i++) {
			this.parent[i] = i ? above[depth[i] - 1] : 0;
			above[depth[i]] = i;
			this.rows = Math.max(this.rows, depth[i] + 1);
		}
		for (let i = n - 1; i >= 0; i--) {
			const parent = this.parent[i];
			this.end[i] = Math.max(this.end[i], i + 1);
			if (!i)
				break;
			this.end[parent] = Math.max(this.end[parent], this.end[i]);
			this.total[parent] += this.total[i];
			/* Calls of zones stand for their place alone. */
			this.totalSamples[parent] += this.ofZones ? 0 : this.totalSamples[i];
		}
	}

	/* x holds gaps so far: how far right of where the box before it ended. */
	place() {
		const cursor = new Float64Array(this.n);
		for (let i = 0; i < this.n; i++) {
			const parent = this.parent[i];
			this.x[i] += i ? cursor[parent] : 0;
			cursor[i] = this.x[i];
			if (i)
				cursor[parent] = this.x[i] + this.total[i];
		}
	}

	get kinds() {
		return this.ofZones ? ZONE_KINDS : KINDS;
	}

	/* What the colour of @frame means. */
	meaning(frame) {
		return frame.reason || this.kinds[frame.kind];
	}

	of(i) {
		return this.frames[this.frame[i]];
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
	 * is part of that. Heaviest first. @matches has one flag a frame. */
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
		found.nodes.sort((a, b) => this.total[b] - this.total[a] || a - b);
		return found;
	}
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
