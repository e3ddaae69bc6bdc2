/* Names: how long C++ and Rust names are shown: arguments of templates as "<…>", std::string by its
 * short name, until the reader wants them whole. What is searched and kept is always the whole name. */
const STD_NAMES = [
	[/\bstd::(?:__cxx11::|__1::)?basic_string<char, std::(?:__1::)?char_traits<char>, std::(?:__1::)?allocator<char> ?>/g,
		"std::string"],
	[/\bstd::(?:__1::)?basic_string_view<char, std::(?:__1::)?char_traits<char> ?>/g, "std::string_view"],
];
const OPERATOR = /^(?:<<=|<=>|<<|<=|<)/;

/* Where the bracket at @from closes, the arrows in between left out; -1: nowhere. */
function closingBracket(name, from) {
	let open = 0;
	for (let i = from; i < name.length; i++) {
		if (name[i] === "<")
			open++;
		else if (name[i] === ">" && name[i - 1] !== "-" && !--open)
			return i;
	}
	return -1;
}

function foldTemplates(name) {
	let text = name, out = "";
	for (const [spelled, short] of STD_NAMES)
		text = text.replace(spelled, short);
	for (let i = 0; i < text.length; i++) {
		if (text[i] !== "<") {
			out += text[i];
			continue;
		}
		if (/\boperator$/.test(out)) {
			const [sign] = OPERATOR.exec(text.slice(i));
			out += sign;
			i += sign.length - 1;
			continue;
		}
		/* One that follows no name opens a name itself: <wait>, <T as Trait>. */
		const end = /[\w\]]$|::$|\boperator\S+ ?$/.test(out) ? closingBracket(text, i) : -1;
		out += end > i + 1 ? "<…>" : "<";
		i = end > i + 1 ? end : i;
	}
	return out;
}

const Names = {
	whole: false,
	folded: new Map(),

	fold(name) {
		if (!name.includes("<"))
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
