/* Time order: each thread's samples one behind the other, neighbours in the same frames as one box;
 * as speedscope's. Widths are values. */
class TimeOrder {
	/* @summed: see Model.summed(). */
	constructor(model, summed) {
		this.model = model;
		this.sums = summed.sums;
		this.of = summed.tree;
		this.leaves = summed.leaves();
		this.first = model.filter.group === "none" ? 1 : 2; /* level of the outermost function */
		/* Where boxes would be too many, samples within longer steps stand in order of name. */
		for (this.join = 1; ; this.join *= 4) {
			this.order = this.sort();
			if (this.join >= model.buckets.n || this.count() <= MOST_TIME_BOXES)
				break;
		}
	}

	/* Rows taken, by thread, then by step of time, then as they stand, which is by node. */
	sort() {
		const {rows, threads, buckets} = this.model, taken = this.sums.rows;
		const byTime = countingSort(Uint32Array.from(taken, (_, k) => k), buckets.n,
			k => Math.floor(rows.bucket[taken[k]] / this.join));
		return countingSort(byTime, threads.length, k => rows.thread[taken[k]]);
	}

	/* Fills @path with the boxes of @leaf's stack, outermost first; returns how many. */
	stack(leaf, path) {
		const {depth, parent} = this.of, n = depth[leaf] + 1 - this.first;
		for (let i = leaf, level = n - 1; level >= 0; i = parent[i])
			path[level--] = i;
		return n;
	}

	/* Calls @visit(row taken, levels that stay, levels of it, its stack). */
	walk(visit) {
		let path = [], open = [], nOpen = 0, thread = -1;
		for (const k of this.order) {
			const n = this.stack(this.leaves[k], path);
			const own = this.model.rows.thread[this.sums.taken[k]];
			let same = 0;
			if (own !== thread)
				nOpen = 0;
			while (same < n && same < nOpen && path[same] === open[same])
				same++;
			visit(k, same, n, path, own !== thread);
			[path, open, nOpen, thread] = [open, path, n, own];
		}
	}

	count() {
		let boxes = 0;
		this.walk((k, same, n) => { boxes += n - same; });
		return boxes;
	}

	/* The frame of a thread's own box. */
	threadFrame(thread) {
		const {model} = this, name = model.groupKey(thread, "thread");
		const kind = KIND.THREAD;
		return model.madeFrame("thread " + name, () => ({name, file: "", line: 0, module: "", kind,
			reason: "", shade: 0, colour: model.palette[kind].shades[0]}));
	}

	tree() {
		const {model, sums, of} = this, value = model.rows.values[sums.metric];
		const samples = model.rows.samples[sums.metric];
		const boxes = {depth: [0], frame: [of.frame[0]], self: [0], selfSamples: [0], gap: [0]};
		const level = [0], loose = [0]; /* by depth: the open box, its own time behind its last child */
		const add = (depth, frame) => {
			level[depth] = boxes.depth.length;
			boxes.depth.push(depth);
			boxes.frame.push(frame);
			boxes.self.push(0);
			boxes.selfSamples.push(0);
			boxes.gap.push(loose[depth - 1]);
			loose[depth - 1] = loose[depth] = 0;
		};
		this.walk((k, same, n, path, fresh) => {
			const r = sums.taken[k];
			if (fresh)
				add(1, this.threadFrame(model.rows.thread[r]));
			for (let i = same; i < n; i++)
				add(i + 2, of.frame[path[i]]);
			boxes.self[level[n + 1]] += value[r];
			boxes.selfSamples[level[n + 1]] += samples[r];
			loose[n + 1] += value[r];
		});
		return new Tree({...model.treeKind(sums.metric), depth: Uint32Array.from(boxes.depth),
			frame: Uint32Array.from(boxes.frame), self: Float64Array.from(boxes.self),
			selfSamples: Float64Array.from(boxes.selfSamples), gap: Float64Array.from(boxes.gap),
			step_ns: model.buckets.n > 1 ? model.buckets.width_ns * this.join : 0});
	}
}

const MOST_TIME_BOXES = 1.5e6;

/* @list in order of key(item), a number below @n; equals stay in order. */
function countingSort(list, n, key) {
	const start = new Uint32Array(n + 1), sorted = new Uint32Array(list.length);
	for (const item of list)
		start[key(item) + 1]++;
	for (let i = 0; i < n; i++)
		start[i + 1] += start[i];
	for (const item of list)
		sorted[start[key(item)]++] = item;
	return sorted;
}
