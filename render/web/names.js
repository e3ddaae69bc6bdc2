/* Names: how long C++ and Rust names are shown: arguments of templates as "<…>", std::string by its
 * short name, until the reader wants them whole. What is searched and kept is always the whole name.
 * The terminal has the same rule (query/short_name.c). */
const STD_NAMES = [
	...["std::__cxx11::", "std::"].flatMap(std => [" ", ""].map(space =>
		[std + "basic_string<char, std::char_traits<char>, std::allocator<char>" + space + ">", "std::string"])),
	...[" ", ""].map(space => ["std::__1::basic_string<char, std::__1::char_traits<char>, " +
		"std::__1::allocator<char>" + space + ">", "std::string"]),
	...[" ", ""].map(space =>
		["std::basic_string_view<char, std::char_traits<char>" + space + ">", "std::string_view"]),
	["std::__cxx11::", "std::"],
	["std::__1::", "std::"],
];
/* Arguments of up to so many bytes stay: "int", "false", "42". */
const ARGUMENTS_KEPT = 8;

/* Behind the bracket that closes the one at @from; -1: nothing does. */
function pastArguments(name, from) {
	let open = 0;
	for (let i = from; i < name.length; i++) {
		if (name[i] === "<")
			open++;
		if (name[i] === ">" && name[i - 1] !== "-" && !--open)
			return i + 1;
	}
	return -1;
}

/* Whether the text from @from to @to has more than @n bytes. */
function isLonger(name, from, to, n) {
	return to - from > n || new TextEncoder().encode(name.slice(from, to)).length > n;
}

function foldTemplates(name) {
	const sign = /\(\)|[<>=*-]+/y;
	let out = "";
	for (let i = 0; i < name.length;) {
		if (name.startsWith("operator", i - 8) && i >= 8 && !/\w/.test(name[i - 9] || "")) {
			sign.lastIndex = i;
			const signs = sign.exec(name);
			out += signs ? signs[0] : "";
			i += signs ? signs[0].length : 0;
			if (i === name.length)
				break;
		}
		/* One that follows no name opens a name itself: <wait>, <T as Trait>. */
		const end = name[i] === "<" && /\w$|.::$/.test(name.slice(Math.max(0, i - 3), i)) ?
			pastArguments(name, i) : -1;
		if (end > 0 && isLonger(name, i, end, ARGUMENTS_KEPT + 2)) {
			out += "<…>";
			i = end;
			continue;
		}
		const [spelled, said] = STD_NAMES.find(([text]) => name.startsWith(text, i)) || [name[i], name[i]];
		out += said;
		i += spelled.length;
	}
	return out;
}

const Names = {
	whole: false,
	folded: new Map(),

	fold(name) {
		if (!name.includes("<") && !name.includes("std::__"))
			return name;
		if (!Names.folded.has(name))
			Names.folded.set(name, foldTemplates(name));
		return Names.folded.get(name);
	},

	shown(name) {
		return Names.whole ? name : Names.fold(name);
	},

	/* Threads are called what they are called. */
	of(frame) {
		return frame.kind === KIND.THREAD ? frame.name : Names.shown(frame.name);
	},

	/* Whether a search finds the name, as it is or as it shows. */
	found(re, name) {
		return re.test(name) || re.test(Names.fold(name));
	},

	/* Paths that stand in the page as they were written. */
	drawWritten() {
		for (const frame of document.querySelectorAll(".paths .frames > li, .paths .leaves > span"))
			Names.draw(frame, frame.className === "k" + KIND.THREAD);
	},

	draw(e, isThread) {
		const name = e.dataset.name || e.title || e.textContent;
		const shown = shorten(isThread ? name : Names.shown(name));
		e.dataset.name = name;
		e.textContent = shown;
		if (shown !== name)
			e.title = name;
		else
			e.removeAttribute("title");
	},
};
