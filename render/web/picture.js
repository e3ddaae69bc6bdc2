/* The flame graph of an SVG: click to zoom, "/" or Ctrl+F to search. Each box tells its place in
 * exact units (data-f: left edge and width, base 36), and its whole name and numbers in its title. */
"use strict";
(() => {
const NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const svg = document.documentElement, rows = [...svg.querySelectorAll("g.r")];
const {letter, pad, margin, high} = Object.fromEntries(
	Object.entries(svg.querySelector("#flame").dataset).map(([k, v]) => [k, Number(v)]));
const width = svg.viewBox.baseVal.width, height = svg.viewBox.baseVal.height;
const room = width - 2 * margin;

const boxes = rows.flatMap((row, depth) => [...row.querySelectorAll("path")].map(path => {
	const [x, w] = path.dataset.f.split(",").map(s => parseInt(s, 36));
	const [name, numbers, module] = path.querySelector("title").textContent.split("\n");
	const label = path.nextElementSibling;
	return {path, depth, x, w, name, numbers, module, merged: path.classList.contains("m"),
		label: label && label.tagName === "text" ? label : null};
}));
const root = boxes.find(b => !b.depth && !b.merged);
let base = root, pattern = null, hits = [];

function text(content, attributes, click) {
	const t = document.createElementNS(NS, "text");
	t.textContent = content;
	for (const [key, value] of Object.entries(attributes))
		t.setAttribute(key, value);
	if (click)
		t.addEventListener("click", click);
	svg.append(t);
	return t;
}

/* As units_percent() of the other reports. */
function percent(part, whole) {
	const p = 100 * part / whole;
	if (p === 0 || p === 100)
		return p + " %";
	return p < 0.1 ? "<0.1 %" : p > 99.9 ? ">99.9 %" : p.toFixed(1) + " %";
}

/* --- zoom ------------------------------------------------------------------------------------- */

function cut(name, w) {
	const most = Math.floor((w - 2 * pad) / letter), all = [...name];
	if (most < 3)
		return "";
	if (all.length <= most)
		return name;
	if (most < 12)
		return all.slice(0, most - 1).join("") + "…";
	const head = Math.floor(most / 2);
	return all.slice(0, head).join("") + "…" + all.slice(head + 1 - most).join("");
}

function place(b) {
	const inside = b.x >= base.x && b.x + b.w <= base.x + base.w && b.depth >= base.depth;
	const above = b.depth < base.depth && b.x <= base.x && b.x + b.w >= base.x + base.w;
	const left = above ? margin : margin + (b.x - base.x) / (base.w || 1) * room;
	const w = above ? room : base.w ? b.w / base.w * room : room;
	const shown = (inside || above) && w >= 0.1, name = shown ? cut(b.name, w) : "";
	b.path.style.display = shown ? "" : "none";
	b.path.classList.toggle("a", above);
	if (shown)
		b.path.setAttribute("d", `M${left} 0h${Math.max(w - (w > 3 ? 0.5 : 0), 0.1)}v${high}H${left}z`);
	if (name && !b.label) {
		b.label = document.createElementNS(NS, "text");
		b.label.setAttribute("y", svg.querySelector("#flame").dataset.base);
		b.path.after(b.label);
	}
	if (b.label) {
		b.label.textContent = name;
		b.label.setAttribute("x", left + pad);
	}
}

function zoom(b) {
	base = b;
	boxes.forEach(place);
	reset.style.display = b === root ? "none" : "";
	tell();
}

/* --- search ----------------------------------------------------------------------------------- */

function compile(words) {
	try {
		return new RegExp(words, "i");
	} catch (e) {
		return new RegExp(words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i");
	}
}

function search(words) {
	pattern = words ? compile(words) : null;
	hits = pattern ? boxes.filter(b => !b.merged && pattern.test(b.name)) : [];
	for (const b of boxes)
		b.path.classList.toggle("f", hits.includes(b));
	tell();
}

/* What matches within the zoomed box, each part of it once, however many callers of it match. */
function matched() {
	let sum = 0, end = -1;
	const from = base.x, to = base.x + base.w;
	for (const b of [...hits].sort((a, b) => a.x - b.x || b.w - a.w)) {
		const left = Math.max(b.x, from, end), right = Math.min(b.x + b.w, to);
		sum += Math.max(0, right - left);
		end = Math.max(end, b.x + b.w);
	}
	return sum;
}

function tell() {
	found.textContent = !pattern ? "" : "Matched: " + percent(matched(), base.w) +
		(base === root ? "" : " of the zoomed") + ", " + hits.length +
		(hits.length === 1 ? " box" : " boxes");
}

function ask() {
	const place = document.createElementNS(NS, "foreignObject");
	for (const [key, value] of Object.entries({x: width - margin - 240, y: 10, width: 240, height: 26}))
		place.setAttribute(key, value);
	const input = document.createElementNS(XHTML, "input");
	input.setAttribute("aria-label", "Search, a regular expression");
	input.value = pattern ? pattern.source : "";
	input.style.cssText = "box-sizing:border-box;width:100%;font:12px sans-serif;padding:3px";
	const close = () => place.remove();
	input.addEventListener("input", () => search(input.value));
	input.addEventListener("keydown", e => {
		e.stopPropagation();
		if (e.key === "Escape")
			search("");
		if (e.key === "Escape" || e.key === "Enter")
			close();
	});
	place.append(input);
	svg.append(place);
	input.focus();
	input.select();
}

/* --- what one sees and does ------------------------------------------------------------------- */

const detail = text("", {class: "s", x: margin, y: height - 3, id: "detail"});
const most = Math.max(20, Math.floor((room - 220) / 6.8));
const found = text("", {class: "s e", x: width - margin, y: height - 3, id: "matched"});
const reset = text("Reset zoom", {class: "s e b", x: width - margin - 60, y: 27, id: "reset"},
	() => zoom(root));
text("Search", {class: "s e b", x: width - margin, y: 27, id: "search"}, ask);
reset.style.display = "none";

for (const b of boxes) {
	b.path.addEventListener("click", () => b.merged || zoom(b));
	b.path.addEventListener("mouseenter", () => {
		const all = b.module ? b.name + " · " + b.module : b.name;
		const left = Math.max(8, most - b.numbers.length);
		detail.textContent = b.numbers + " · " + (all.length > left ? all.slice(0, left) + "…" : all);
	});
	b.path.addEventListener("mouseleave", () => {
		detail.textContent = "";
	});
}
window.addEventListener("keydown", e => {
	if (e.key === "/" || (e.key === "f" && (e.ctrlKey || e.metaKey))) {
		e.preventDefault();
		ask();
	} else if (e.key === "Escape") {
		zoom(root);
		search("");
	}
});
})();
