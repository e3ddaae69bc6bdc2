/* Numbers as units.c writes them, so that the page says what every other report says. */
const Units = {
	three(v, unit) {
		return v.toFixed(v < 9.995 ? 2 : v < 99.95 ? 1 : 0) + " " + unit;
	},

	ns(v) {
		if (v < 0)
			return "-" + Units.ns(-v);
		if (v < 999.5 && v === Math.floor(v))
			return v + " ns";
		if (v < 999.5)
			return Units.three(v, "ns");
		if (v < 999.5e3)
			return Units.three(v / 1e3, "µs");
		if (v < 999.5e6)
			return Units.three(v / 1e6, "ms");
		if (v < 59.95e9)
			return Units.three(v / 1e9, "s");
		const s = Math.round(v / 1e9);
		if (s < 3600)
			return Math.floor(s / 60) + " min " + String(s % 60).padStart(2, "0") + " s";
		return Math.floor(s / 3600) + " h " +
			String(Math.floor(s % 3600 / 60)).padStart(2, "0") + " min";
	},

	bytes(v) {
		const names = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
		let i = 0;
		if (Math.abs(v) < 1024)
			return v.toFixed(0) + " B";
		for (v /= 1024; Math.abs(v) >= 1023.95 && i + 1 < names.length; i++)
			v /= 1024;
		return v.toFixed(1) + " " + names[i];
	},

	count(v) {
		return String(v).replace(/\B(?=(\d{3})+$)/g, ",");
	},

	/* How many of @unit are 1: of "1/1000" a thousand. */
	fraction(unit) {
		return /^1\/10{1,9}$/.test(unit) ? Number(unit.slice(2)) : 1;
	},

	value(v, unit) {
		if (unit === "ns" || unit === "bytes")
			return Units[unit](v);
		const fraction = Units.fraction(unit), whole = Math.trunc(v / fraction);
		const part = String(fraction + Math.abs(v % fraction)).slice(1).replace(/0+$/, "");
		return (v < 0 && !whole ? "-" : "") + Units.count(whole) + (part && "." + part);
	},

	percent(part, whole) {
		const p = 100 * part / whole;
		if (!isFinite(p))
			return "–";
		if (p === 0 || p === 100)
			return p + " %";
		if (p < 0.1)
			return "<0.1 %";
		if (p >= 999.95)
			return Units.count(Math.round(p)) + " %";
		return p > 99.9 && p < 100 ? ">99.9 %" : p.toFixed(1) + " %";
	},

	samples(n) {
		return Units.count(n) + (n === 1 ? " sample" : " samples");
	},

	calls(n) {
		return Units.count(n) + (n === 1 ? " call" : " calls");
	},

	/* Nanoseconds of "1.5ms"; plain numbers are seconds, as on the command line. NaN otherwise. */
	parseNs(text) {
		const scales = {"": 1e9, s: 1e9, ms: 1e6, us: 1e3, "µs": 1e3, ns: 1, m: 60e9, min: 60e9, h: 3600e9};
		const [, number, unit] = /^([\d.]+)\s*(\D*)$/.exec(text) || [];
		return unit in scales ? Number(number) * scales[unit] : NaN;
	},
};
