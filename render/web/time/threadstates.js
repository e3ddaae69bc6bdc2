/* ThreadStates: what threads did over time, by the metrics of a Model that are time of theirs: running,
 * ready without a CPU, or waiting, by kind of reason. Nothing more is in the page for it than the rows
 * of samples. A row's value is time that ended in its step: of a wait longer than that it began in
 * earlier ones, so that it is spread back over as much time. */
const RUNNING = 0, READY = 1, WAITING = 2; /* states; WAITING + kind of reason */
const RUNNING_COLOUR = "#3f78cf";

class ThreadStates {
	constructor(model) {
		const number = name => model.metrics.findIndex(m => m.name === name && m.unit === "ns");
		this.model = model;
		this.parts = [[READY, number("runnable")], [WAITING, number("blocked")],
			[RUNNING, cpuMetric(model.metrics)]].filter(([, metric]) => metric >= 0);
		/* A page of one sum alone: what it was stands in the reason. */
		if (!this.parts.length)
			this.parts = [[WAITING, Math.max(number("wall"), number("off-cpu"))]]
				.filter(([, metric]) => metric >= 0);
		this.sumIsWall = this.parts.length === 1 && this.parts[0][1] === number("wall");
		this.threads = this.order();
	}

	/* Threads with any such time by number, the busiest first: as in the list of threads. */
	order() {
		const {rows, threads} = this.model, total = new Float64Array(threads.length);
		for (const [, metric] of this.parts)
			rows.values[metric].forEach((v, r) => { total[rows.thread[r]] += v; });
		return [...threads.keys()].filter(t => total[t] > 0).sort((a, b) =>
			threads[b].active - threads[a].active || total[b] - total[a] || a - b);
	}

	/* The state that row @r is in by its part of @state. */
	stateOf(state, r) {
		if (state !== WAITING)
			return state;
		const {rows, palette} = this.model, kind = rows.reason ? rows.reason[r] : 0;
		if (kind && palette[KINDS.length + kind].label === "runnable")
			return READY;
		return !kind && this.sumIsWall ? RUNNING : WAITING + kind;
	}

	/* By thread of @list: ns in each state and column, [column * states.length + place of the state].
	 * @n columns of @column ns each. {states: [state], of: Map from thread to Float64Array}. */
	columns(list, column, n) {
		const {model} = this, {rows, palette} = model, step = model.buckets.width_ns;
		const most = WAITING + palette.length - KINDS.length, seen = new Set();
		const of = new Map(list.map(t => [t, new Float32Array(n * most)]));
		for (let r = 0; r < rows.n; r++) {
			const cells = of.get(rows.thread[r]);
			let end = (rows.bucket[r] + 1) * step;
			for (const [part, metric] of cells ? this.parts : []) {
				const value = rows.values[metric][r];
				if (!(value > 0))
					continue;
				const state = this.stateOf(part, r);
				seen.add(state);
				spread(cells, state, most, column, n, end - value, end);
				end -= value;
			}
		}
		return {states: [...seen].sort((a, b) => a - b), width: most, of};
	}

	label(state) {
		return state === RUNNING ? "running" : state === READY ? "ready, no CPU" :
			this.model.palette[KINDS.length + state - WAITING].label || "waiting";
	}

	/* Beside others, where no legend says that it is a wait. */
	words(state) {
		const label = this.label(state);
		return state <= READY || label === "waiting" ? label : "waiting (" + label + ")";
	}

	colour(state) {
		const {palette} = this.model, wait = state === READY ?
			palette.findIndex((p, i) => i >= KINDS.length && p.label === "runnable") :
			KINDS.length + state - WAITING;
		if (state === RUNNING)
			return RUNNING_COLOUR;
		return palette[state === WAITING ? KIND.MARK : wait].shades[SHADES / 2];
	}
}

/* Adds to each of @n columns how much of [@from, @to) ns is in it. */
function spread(cells, state, states, column, n, from, to) {
	const last = Math.min(n - 1, Math.ceil(to / column) - 1);
	for (let i = Math.max(0, Math.floor(from / column)); i <= last; i++)
		cells[i * states + state] += Math.min(to, (i + 1) * column) - Math.max(from, i * column);
}
