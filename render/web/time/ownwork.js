/* OwnWork: how much of each thread's time the profiler itself took, as html_calls.c wrote it: spans of
 * a lane, in percent of its time; between them it took nothing. */
class OwnWork {
	/* @spans: how many are of each lane; null: the lane shows none. */
	constructor(reader, spans) {
		this.name = reader.string();
		this.label = this.name + reader.string(); /* in the legend */
		this.colour = colourText(reader.uint());
		this.step = reader.uint(); /* ns that a span is a mean of, at least */
		const n = reader.uint(), column = () => new Float64Array(n);
		this.start = addUp(reader.ints(column()));
		this.length = reader.uints(column());
		this.percent = reader.uints(column()).map(tenths => tenths / 10);
		let first = 0;
		this.lanes = spans.map(own => own === null ? null : {first, end: first += own});
	}

	get isEmpty() {
		return !this.start.length;
	}

	/* The mean percent of a lane from one time to another. */
	mean({first, end}, from, to) {
		let sum = 0;
		for (let i = this.behind(first, end, from); i < end && this.start[i] < to; i++)
			sum += this.percent[i] * Math.max(0, Math.min(to, this.start[i] + this.length[i]) -
				Math.max(from, this.start[i]));
		return to > from ? sum / (to - from) : 0;
	}

	/* The first of the spans that ends behind @ns; @end: none does. */
	behind(first, end, ns) {
		while (first < end) {
			const middle = (first + end) >> 1;
			if (this.start[middle] + this.length[middle] > ns)
				end = middle;
			else
				first = middle + 1;
		}
		return first;
	}

	/* The same by columns of a pixel, as runs of equal height: [from, to, share]. */
	runs(lane, columns, timeOf, high) {
		const runs = [];
		for (let x = 0; x < columns; x++) {
			const share = this.mean(lane, timeOf(x), timeOf(x + 1)) / 100, last = runs[runs.length - 1];
			if (last && Math.abs(last[2] - share) * high < 0.1)
				last[1] = x + 1;
			else
				runs.push([x, x + 1, share]);
		}
		return runs.filter(([, , share]) => share > 0);
	}

	/* "23 %" */
	words(lane, from, to) {
		return Units.percent(this.mean(lane, from, to), 100);
	}
}
