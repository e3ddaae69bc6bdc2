/* Cards: the figures of the overview. While something is selected they are of that; what is known of
 * the whole capture alone says so. */
class Cards {
	constructor(model) {
		this.model = model;
		this.cards = [...document.querySelectorAll(".cards > div")].map(box => {
			const value = box.querySelector("b"), remark = box.querySelector("dd");
			const note = box.querySelector("span") || remark.appendChild(make("span"));
			return {label: box.querySelector("dt").textContent, value, note,
				written: [value.textContent, note.textContent]};
		});
		model.on(() => this.draw());
	}

	draw() {
		const {model} = this, sums = model.isFiltered ? model.metrics.map((_, m) => model.takenOf(m)) : null;
		for (const {label, value, note, written} of this.cards) {
			const [amount, remark] = !sums ? written : this.selected(label, sums) ||
				[written[0], "of the whole capture" + (written[1] ? ": " + written[1] : "")];
			value.textContent = amount;
			note.textContent = remark;
		}
	}

	/* What a card says of the selection: [value, remark]; null: it is not known. @sums: by metric. */
	selected(label, sums) {
		const {model} = this, {metrics} = model, length = model.rangeNs;
		const sumOf = name => sums[metrics.findIndex(m => m.name === name)];
		const time = (sum, words) => sum && [Units.ns(sum.value), words];
		const cpu = cpuMetric(metrics);
		const known = {
			Captured: () => model.filter.from === null && model.filter.to === null ? null :
				[Units.ns(length), "selected, of " + this.written("Captured")],
			Samples: () => [Units.count(sums[0].samples), "of " + Units.samples(metrics[0].samples) + " selected"],
			"On CPU": () => cpu < 0 || !length ? null : [(sums[cpu].value / length).toFixed(2) + " CPUs",
				"busy on average, " + Units.ns(sums[cpu].value) + " selected"],
			Ready: () => time(sumOf("runnable"), "without a CPU, by samples"),
			Blocked: () => time(sumOf("blocked"), "asleep or waiting, by samples"),
			Total: () => [Units.value(sums[0].value, metrics[0].unit), metrics[0].name + " selected"],
		};
		known["Thread time"] = known.Total;
		return known[label] ? known[label]() : null;
	}

	written(label) {
		return this.cards.find(card => card.label === label).written[0];
	}
}

/* Metrics of time in which a thread was not on a CPU, or not alone. */
const OFF_CPU = ["wall", "off-cpu", "blocked", "runnable", "woken"];

/* The number of the metric of time on CPUs, -1: there is none. */
function cpuMetric(metrics) {
	return metrics.findIndex(m => m.unit === "ns" && !OFF_CPU.includes(m.name));
}
