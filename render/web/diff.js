/* Two sides of a comparison as one flame graph; the data are those of html_diff.c, the words those
 * of paint/diff_words.c. */
const BEFORE = 0, AFTER = 1;
const SAME = 0, LESS = 2, NEW_PATH = 3, GONE = 4;
const EFFECTS = ["not distinguishable", "more", "less", "new", "gone"];
const SURE = ["", ", 95 % sure", ", 99 % sure", ", 99.9 % sure"];
const STRENGTHS = 3;
/* Numbers of looks: enum diff_look. */
const LOOK_GONE = 0, LOOK_LESS = 1, LOOK_MORE = LOOK_LESS + STRENGTHS,
	LOOK_NEW = LOOK_MORE + STRENGTHS, LOOK_SAME = LOOK_NEW + 1;
const DIFF_WIDTH = 1e12;
const LEAST_SAMPLES = 10; /* COMPARE_LEAST: of fewer nothing is said */
const WAY_BUTTONS = {share: "Share", cpu: "Per CPU second", work: "Per unit of work"};

function readFindings(reader, n) {
	const found = {effect: new Uint8Array(n), strength: new Uint8Array(n), moved: new Uint8Array(n),
		change: new Float32Array(n).fill(NaN), half: new Float32Array(n).fill(NaN),
		need: new Float64Array(n).fill(NaN), ofSelf: new Uint8Array(n),
		selfChange: new Float32Array(n).fill(NaN), selfHalf: new Float32Array(n).fill(NaN)};
	for (let i = 0; i < n; i++) {
		const bits = reader.uint();
		found.effect[i] = bits & 7;
		found.strength[i] = bits >> 3 & 3;
		found.moved[i] = bits >> 5 & 1;
		found.ofSelf[i] = bits >> 7 & 1;
		if (bits >> 6 & 1) {
			found.change[i] = reader.float();
			found.half[i] = reader.float();
			const need = reader.uint();
			found.need[i] = need > 1 ? need - 2 : need ? Infinity : NaN;
		}
		if (bits >> 8 & 1) {
			found.selfChange[i] = reader.float();
			found.selfHalf[i] = reader.float();
		}
	}
	return found;
}

function readWay(reader) {
	const name = reader.string();
	if (!name)
		return null;
	return {name, per: reader.string(), unit: reader.string(),
		scale: [Number(reader.string()), Number(reader.string())]};
}

function readSide(reader, name, n) {
	const mean = reader.int(), own = new Float64Array(n), self = new Float64Array(n);
	for (let i = 0; i < n; i++)
		own[i] = reader.int();
	for (let i = 0; i < n; i++)
		self[i] = reader.int() + mean * own[i];
	return {name, samples: own, self, total: self.slice()};
}

function readDiff(reader) {
	const metric = reader.string(), names = [reader.string(), reader.string()];
	const bits = reader.uint(), notComparable = reader.string();
	const frames = Array.from({length: reader.uint()}, () =>
		({...readFrame(reader), colour: reader.uint()}));
	/* Frames stand for many boxes, which have the colours. */
	Array.from({length: reader.uint()}, () => reader.uint());
	const n = reader.uint();
	const depth = readDepths(reader, n), frame = readCallees(reader, depth, frames.length);
	const sides = names.map(name => readSide(reader, name, n));
	const looks = Array.from({length: reader.uint()}, () =>
		({label: reader.string(), colour: colourText(reader.uint())}));
	frames.forEach(frame => { frame.colour = looks[LOOK_SAME].colour; });
	const ways = Object.keys(WAY_BUTTONS).map(() => readWay(reader)), way = ways[reader.uint()];
	return new DiffTree({metric, single: bits & 1, moreIsBetter: bits >> 1 & 1, notComparable, frames,
		depth, frame, sides, looks, ways, way, ...readFindings(reader, n), self: new Float64Array(n), selfSamples: new Float64Array(n)});
}

/* DiffTree: a tree whose boxes are as wide as both sides together, in the way that is chosen. */
class DiffTree extends Tree {
	constructor(of) {
		super(of);
		for (const side of this.sides) {
			addUpwards(side.total, this.parent);
			addUpwards(side.samples, this.parent);
		}
		this.firstWay = this.way;
		this.choose(this.way);
	}

	/* As diff_choose() does, so that both come to the same rectangles. */
	choose(way) {
		const [before, after] = this.sides, [b, a] = way.scale;
		const sum = before.total[0] * b + after.total[0] * a;
		const unit = sum > 0 ? DIFF_WIDTH / sum : 0;
		this.way = way;
		for (let i = 0; i < this.n; i++)
			this.self[i] = Math.round(before.self[i] * (b * unit)) +
				Math.round(after.self[i] * (a * unit));
		this.addUp();
		this.place();
		for (let i = 0; i < this.n; i++)
			this.totalSamples[i] = before.samples[i] + after.samples[i];
	}

	value(i, side) {
		return this.sides[side].total[i] * this.way.scale[side];
	}

	look(i) {
		const {effect, strength} = this, step = Math.max(0, strength[i] - 1);
		return [LOOK_SAME, LOOK_MORE + step, LOOK_LESS + step, LOOK_NEW, LOOK_GONE][effect[i]];
	}

	colour(i) {
		return this.looks[this.look(i)].colour;
	}

	label(i) {
		const sign = this.sign(i);
		return (sign ? sign + " " : "") + Names.of(this.of(i));
	}

	sign(i) {
		const effect = this.effect[i];
		if (effect === SAME || effect >= NEW_PATH)
			return effect === SAME ? "" : EFFECTS[effect];
		return this.ofSelf[i] ? "self " + changeText(Math.expm1(this.selfChange[i])) :
			changeText(Math.expm1(this.change[i]));
	}

	verdict(i) {
		const {effect, strength, change, moved, ofSelf} = this;
		if (this.notComparable)
			return "not comparable: " + this.notComparable;
		if (effect[i] === SAME && isNaN(change[i]))
			return this.totalSamples[i] < LEAST_SAMPLES ? EFFECTS[SAME] + ": too few samples" :
				"the same: all that there is";
		if (effect[i] === SAME)
			return EFFECTS[SAME];
		return this.doubt(effect[i]) + EFFECTS[effect[i]] + (ofSelf[i] ? " in its own code" : "") +
			SURE[strength[i]] +
			(moved[i] ? "; moved: its caller is as before" : "");
	}

	/* One run a side cannot decide: what looks worse is suspect. */
	doubt(effect) {
		const more = effect !== LESS && effect !== GONE;
		return !this.single ? "" : more !== Boolean(this.moreIsBetter) ? "suspect: " : "apparently ";
	}

	/* What would decide; "" where that is told already, or unknown. */
	needed(i) {
		const need = this.need[i];
		if (this.effect[i] !== SAME || !(need > 0))
			return "";
		if (need === Infinity)
			return "no number of samples: several runs a side are needed";
		const about = "about " + Units.count(twoDigits(need));
		return !this.single ? about + " runs a side" : about +
			" samples on both sides together; these are " + Units.count(this.totalSamples[i]);
	}
}

/* Two digits of a number above 100, not less: more are not known. */
function twoDigits(n) {
	const unit = 10 ** (Math.floor(Math.log10(n)) - 1);
	return n < 100 ? n : Math.ceil(n / unit) * unit;
}

/* "+12.3 %": paint/diff_words.c. */
function changeText(ratio) {
	const percent = 100 * ratio, size = Math.abs(percent), sign = percent < 0 ? "-" : "+";
	if (!isFinite(ratio))
		return "–";
	if (percent >= 1000)
		return "×" + String(Number((1 + ratio).toPrecision(3)));
	return sign + size.toFixed(size >= 99.95 ? 0 : size < 9.995 ? 2 : 1) + " %";
}

/* Of logarithms: "+12.3 %, 95 % interval +9.1 % … +15.7 %". */
function changeAndInterval(change, half) {
	const [at, low, high] = [change, change - half, change + half].map(
		log => changeText(Math.expm1(log)));
	return at + ", 95 % interval " + low + " … " + high;
}

function changeValue(value, unit) {
	return unit === "share" ? Units.percent(value > 1 - 1e-12 ? 1 : value, 1) :
		unit === "ns" || unit === "bytes" ? Units.value(value, unit) :
			Units.count(Math.round(value));
}

/* DiffDetail: what a path was before, is after, and what can be said of that. */
class DiffDetail extends Detail {
	side(tree, i, side) {
		const {name, self, samples} = tree.sides[side], {scale, unit} = tree.way;
		return name + ": " + changeValue(tree.value(i, side), unit) +
			", self " + changeValue(self[i] * scale[side], unit) + "; " + Units.samples(samples[i]);
	}

	lines(i, graph) {
		const {tree} = graph, {change, half, effect, selfChange, selfHalf} = tree, frame = tree.of(i);
		const source = frame.file ? frame.file + (frame.line ? ":" + frame.line : "") : "";
		return [
			["Before", this.side(tree, i, BEFORE)],
			["After", this.side(tree, i, AFTER)],
			["Change", isNaN(half[i]) || effect[i] >= NEW_PATH ? "" :
				changeAndInterval(change[i], half[i])],
			["Self", isNaN(selfHalf[i]) ? "" : changeAndInterval(selfChange[i], selfHalf[i])],
			["Verdict", tree.verdict(i)],
			["To decide", tree.needed(i)],
			["From", [frame.module, source].filter(text => text).join(" · ")],
		].filter(([, text]) => text);
	}

	sentence(i, graph) {
		const {tree} = graph, sign = tree.sign(i);
		return shorten(tree.of(i).name) + ", " + tree.verdict(i) + ", " + (sign ? sign + ", " : "") +
			"level " + tree.depth[i] + ", calls " + tree.children(i).length;
	}

	amount(tree, i) {
		return tree.sign(i) || "?";
	}
}

/* What can be done with a difference: not regrouped, for other trees are not judged. */
const DIFF_ACTS = ["flip", "next", "previous", "zoom", "reset", "closer", "farther", "pan-left",
	"pan-right", "pan-up", "pan-down", "walk"];

/* Diff: a flame graph of a difference, with buttons for the ways to have values. */
class Diff extends Flame {
	build() {
		super.build();
		this.box.classList.add("diff");
		for (const part of [this.modes.box, this.modes.chips, this.menu.box])
			part.remove();
		this.menu = null;
		this.ways = make("span", {class: "ways", role: "group", "aria-label": "Values are"});
		for (const way of this.fixed.ways.filter(one => one)) {
			const b = make("button", {type: "button", title: "Values are " + way.per,
				"data-way": way.name}, WAY_BUTTONS[way.name]);
			b.addEventListener("click", () => this.normalise(way));
			this.ways.append(b);
		}
		this.per = make("p", {class: "per", role: "status"});
		this.box.querySelector(".tools").prepend(this.ways);
		this.noteLine.replaceWith(this.per);
		this.drawWays();
	}

	makeBeside() {
		return null;
	}

	makeDetail() {
		return new DiffDetail(this);
	}

	trees() {
		return [this.fixed];
	}

	act(what, key) {
		return DIFF_ACTS.includes(what) && super.act(what, key);
	}

	drawWays() {
		const {way, sides} = this.fixed;
		for (const b of this.ways.children)
			b.setAttribute("aria-pressed", String(b.dataset.way === way.name));
		const side = (title, which) => [make("b", {}, title), ` (${sides[which].name}): `,
			changeValue(this.fixed.value(0, which), way.unit), " · "];
		this.per.replaceChildren(...side("Before", BEFORE), ...side("After", AFTER), way.per);
	}

	normalise(way) {
		const {base} = this.canvas;
		this.fixed.choose(way);
		this.drawWays();
		this.show();
		this.zoom(base);
	}

	drawLegend() {
		this.legend.replaceChildren(...this.fixed.looks.map(look =>
			make("li", {}, swatch(look.colour), look.label)),
			make("li", {class: "keys"},
				"Boxes are as wide as before and after together · Enter or click zooms · Esc resets · / searches"));
	}

	matchedTexts(found) {
		const {fixed} = this, {unit} = fixed.way;
		return ["Before", "After"].map((when, side) => when + " " +
			changeValue(found.nodes.reduce((sum, i) => sum + fixed.value(i, side), 0), unit));
	}

	state() {
		const {way, firstWay} = this.fixed;
		return {...super.state(), y: way === firstWay ? "" : way.name};
	}

	restore(get) {
		const {ways, firstWay} = this.fixed;
		const way = ways.find(one => one && one.name === get("y")) || firstWay;
		if (way !== this.fixed.way) {
			this.fixed.choose(way);
			this.drawWays();
		}
		super.restore(key => key === "x" || key === "o" ? "" : get(key));
	}
}
