/* Sums: what rows of samples come to by node of a Model's call tree. */
class Sums {
	/* Of the rows that model.takes(), in metric @m. */
	constructor(model, m) {
		const {n} = model.nodes, {rows} = model, takes = model.takes();
		const value = rows.values[m], samples = rows.samples[m];
		this.model = model;
		this.metric = m;
		this.self = new Float64Array(n);
		this.selfSamples = new Float64Array(n);
		this.taken = new Uint32Array(rows.n);
		this.nTaken = 0;
		this.squares = 0; /* of the samples' values, as far as rows tell */
		this.total = 0;
		for (let r = 0; r < rows.n; r++) {
			if (!samples[r] || !takes(r))
				continue;
			this.self[rows.node[r]] += value[r];
			this.selfSamples[rows.node[r]] += samples[r];
			this.total += value[r];
			this.squares += value[r] * value[r] / samples[r];
			this.taken[this.nTaken++] = r;
		}
		this.totalSamples = addUpwards(this.selfSamples.slice(), model.nodes.parent);
	}

	/* As how many samples of one value these tell shares: Kish's effective size, the number of
	 * samples where all are alike. */
	get effective() {
		return this.squares ? this.total * this.total / this.squares : 0;
	}

	/* The rows that were taken. */
	get rows() {
		return this.taken.subarray(0, this.nTaken);
	}

	/* {tree: that of the nodes that have samples, as they stand: in order of name; leaves(): by row
	 * taken the box that it ends in}. */
	summed() {
		const {model, totalSamples} = this, {n, parent, depth, frame} = model.nodes;
		let kept = 0;
		const source = new Uint32Array(n);
		for (let i = 0; i < n; i++)
			if (!i || totalSamples[i])
				source[kept++] = i;
		const from = source.slice(0, kept), frames = pick(frame, from);
		if (model.ofWaits) {
			const reasons = this.reasons(k => this.model.rows.node[this.taken[k]], n, parent);
			for (let k = 0; k < kept; k++)
				frames[k] = model.withReason(frames[k], reasons[from[k]]);
		}
		const tree = new Tree({...model.treeKind(this.metric), depth: pick(depth, from), source: from,
			frame: frames, self: pick(this.self, from), selfSamples: pick(this.selfSamples, from)});
		return {tree, leaves: () => this.leaves(from)};
	}

	/* @from: by box its node. */
	leaves(from) {
		const place = new Uint32Array(this.model.nodes.n);
		from.forEach((node, i) => { place[node] = i; });
		return this.rows.map(r => place[this.model.rows.node[r]]);
	}

	/* By node of a tree in which row taken @k ends in @at(k): the kind of wait that has most of its
	 * total, as choose_kinds() in query/tree.c. */
	reasons(at, n, parent) {
		const {rows} = this.model, value = rows.values[this.metric];
		const most = new Float64Array(n), chosen = new Uint8Array(n);
		const kinds = [...new Set(Array.from(this.rows, r => rows.reason[r]))].sort((a, b) => a - b);
		for (const kind of kinds) {
			const totals = new Float64Array(n);
			this.rows.forEach((r, k) => {
				if (rows.reason[r] === kind)
					totals[at(k)] += value[r];
			});
			addUpwards(totals, parent);
			for (let i = 0; i < n; i++)
				if (totals[i] > most[i]) {
					most[i] = totals[i];
					chosen[i] = kind;
				}
		}
		return chosen;
	}
}

/* The column's entries at @from. */
function pick(column, from) {
	const picked = new column.constructor(from.length);
	for (let i = 0; i < from.length; i++)
		picked[i] = column[from[i]];
	return picked;
}
