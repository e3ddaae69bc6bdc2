/* What html_flame.c and html_samples.c wrote, as columns. */

/* Levels: how many the box before each closed. A parent stands before its children. */
function readDepths(reader, n) {
	const depth = new Uint32Array(n);
	reader.uints(depth.subarray(1));
	for (let i = 1; i < n; i++)
		depth[i] = depth[i - 1] + 1 - depth[i];
	return depth;
}

/* A frame is told by its number among those that its parent's frame called before it. */
function readCallees(reader, depth, frames) {
	const frame = new Uint32Array(depth.length);
	const callees = Array.from({length: frames}, () => []), above = [], {bytes} = reader;
	for (let i = 0; i < depth.length; i++) {
		const level = depth[i], known = callees[level ? above[level - 1] : 0];
		const number = bytes[reader.at] < 128 ? bytes[reader.at++] : reader.uint();
		if (!number)
			known.push(reader.uint());
		above[level] = frame[i] = known[(number || known.length) - 1];
	}
	return frame;
}

function readFrame(reader) {
	return {name: reader.string(), file: reader.string(), line: reader.uint(),
		module: reader.string(), kind: reader.uint(), reason: ""};
}

const colourText = rgb => "#" + rgb.toString(16).padStart(6, "0");

/* A flame graph with the boxes' own values: of zones. */
function readTree(reader) {
	const unit = reader.string(), ofZones = reader.uint() === 1, ofWaits = reader.uint() === 1;
	const frames = Array.from({length: reader.uint()}, () => {
		const frame = readFrame(reader);
		if (ofWaits)
			frame.reason = reader.string();
		frame.colour = reader.uint();
		return frame;
	});
	const colours = Array.from({length: reader.uint()}, () => colourText(reader.uint()));
	for (const frame of frames)
		frame.colour = colours[frame.colour];
	const mean = reader.int(), n = reader.uint();
	const depth = readDepths(reader, n), frame = readCallees(reader, depth, frames.length);
	const selfSamples = reader.ints(new Float64Array(n)), self = reader.ints(new Float64Array(n));
	const gap = reader.ints(new Float64Array(n));
	for (let i = 0; i < n; i++)
		self[i] += mean * selfSamples[i];
	return new Tree({unit, ofZones, ofWaits, frames, depth, frame, self, selfSamples, gap});
}

/* --- samples --------------------------------------------------------------------------------- */

/* Shades of a class of frames, from one end of its colours to the other: flame_colour(). */
const SHADES = 16;

function readPalette(reader) {
	return Array.from({length: reader.uint()}, () => {
		const label = reader.string(), from = reader.uint(), to = reader.uint();
		const blend = (step, shift) => {
			const a = from >> shift & 255, b = to >> shift & 255;
			return Math.floor((a * (SHADES - 1 - step) + b * step) / (SHADES - 1)) << shift;
		};
		const shades = Array.from({length: SHADES}, (_, step) =>
			colourText(blend(step, 16) | blend(step, 8) | blend(step, 0)));
		return {label, shades};
	});
}

function readThreads(reader) {
	return Array.from({length: reader.uint()}, () => ({pid: reader.uint(), tid: reader.uint(),
		name: reader.string(), process: reader.string(), cgroup: reader.string(),
		start_ns: reader.uint(), born_ns: reader.uint(), active: reader.int()}));
}

/* The columns of one metric, @has: of the rows that are of it. */
function readValues(reader, rows, samples, mean, has) {
	const all = has.every(v => v === 1);
	const some = all ? rows.n : has.reduce((a, v) => a + v, 0);
	const read = reader.ints(new Float64Array(some));
	const values = all ? read : new Float64Array(rows.n);
	for (let r = 0, at = 0; r < rows.n; r++)
		if (has[r])
			values[r] = read[at++] + mean * samples[r];
	rows.samples.push(all ? samples : samples.map((v, r) => has[r] ? v : 0));
	rows.values.push(values);
}

/* Rows by node, thread, reason, set of metrics and time, which begins anew where one of the others
 * changes. */
function readRows(reader, metrics, ofWaits, nodes) {
	const n = reader.uint();
	const rows = {n, node: new Uint32Array(n), thread: new Uint32Array(n),
		reason: ofWaits ? new Uint8Array(n) : null, bucket: new Uint32Array(n),
		samples: [], values: []};
	const masks = Array.from({length: reader.uint()}, () =>
		metrics.map(() => reader.uint() === 1));
	const rowsOf = reader.uints(new Uint32Array(nodes.length));
	for (let node = 0, at = 0; node < nodes.length; node++) {
		const leaf = node && (node + 1 === nodes.length || nodes[node + 1] <= nodes[node]);
		for (let k = rowsOf[node] + (leaf ? 1 : 0); k; k--)
			rows.node[at++] = node;
	}
	reader.uints(rows.thread);
	if (ofWaits)
		reader.uints(rows.reason);
	reader.uints(rows.bucket);
	const mask = new Uint32Array(n);
	if (masks.length > 1)
		reader.uints(mask);
	const {node, thread, reason, bucket} = rows;
	for (let r = 1; r < n; r++)
		if (node[r] === node[r - 1] && thread[r] === thread[r - 1] && mask[r] === mask[r - 1] &&
			(!reason || reason[r] === reason[r - 1]))
			bucket[r] += bucket[r - 1] + 1;
	const samples = reader.uints(new Float64Array(n)).map(v => v + 1);
	metrics.forEach((metric, m) => readValues(reader, rows, samples, metric.mean,
		Uint8Array.from(mask, k => masks[k][m] ? 1 : 0)));
	return rows;
}

/* The samples of a profile: see html_samples.h. */
function readSamples(reader) {
	const ofWaits = reader.uint() === 1, palette = readPalette(reader);
	const frames = Array.from({length: reader.uint()}, () => {
		const frame = readFrame(reader);
		frame.shade = reader.uint();
		frame.colour = palette[frame.kind].shades[frame.shade];
		return frame;
	});
	const depth = readDepths(reader, reader.uint());
	const frame = readCallees(reader, depth, frames.length);
	const metrics = Array.from({length: reader.uint()}, () => ({name: reader.string(),
		unit: reader.string(), mean: reader.int(), exact: reader.uint() === 1,
		summed: reader.uint() === 1}));
	const threads = readThreads(reader);
	const buckets = {n: reader.uint(), width_ns: reader.uint(), start_ns: 0};
	const rows = readRows(reader, metrics, ofWaits, depth);
	return {ofWaits, palette, frames, depth, frame, metrics, threads, buckets, rows};
}
