/* Settings: what a reader chose for all pages, kept by the browser: whole names, and the link by which
 * source lines open in an editor. */
const EDITOR_EXAMPLE = "vscode://file/{path}:{line}";
const NEVER_LINKS = /^\s*(?:javascript|data|vbscript|blob):/i;

function kept(key, value) {
	try {
		if (value === undefined)
			return localStorage.getItem("eprof." + key) || "";
		localStorage.setItem("eprof." + key, value);
	} catch (e) {
		/* A browser that keeps nothing for such a page: it holds until the page is closed. */
	}
	return value || "";
}

const Editor = {
	template: "",

	/* The address of a source line; "": there is none. */
	link(file, line) {
		const {template} = Editor;
		if (!template || !file || NEVER_LINKS.test(template) || !/^[a-z][a-z0-9+.-]*:/i.test(template))
			return "";
		return template.replace(/\{path\}/g, () => encodeURI(file)).replace(/\{line\}/g, String(line || 1));
	},
};

class Settings {
	/* @changed: called when names or links are others. */
	constructor(changed) {
		this.changed = changed;
		Names.whole = kept("whole-names") === "1";
		Editor.template = kept("editor");
		this.build();
	}

	build() {
		this.button = make("button", {type: "button", id: "settings", "aria-haspopup": "dialog",
			"aria-expanded": "false"}, "Options");
		this.names = make("input", {type: "checkbox"});
		this.names.checked = Names.whole;
		this.editor = make("input", {type: "text", placeholder: EDITOR_EXAMPLE, spellcheck: "false"});
		this.editor.value = Editor.template;
		this.panel = make("div", {class: "menu settings", role: "dialog", "aria-label": "Options"},
			make("label", {}, this.names, " Whole C++ and Rust names, with template arguments"),
			make("label", {}, "Open source lines with ", this.editor),
			make("p", {class: "hint"}, "{path} and {line} stand for the source line. Kept in this browser."));
		this.panel.hidden = true;
		this.box = make("span", {class: "options"}, this.button, this.panel);
		this.button.addEventListener("click", () => this.show(this.panel.hidden));
		this.names.addEventListener("change", () => this.setWhole(this.names.checked));
		this.editor.addEventListener("change", () => {
			Editor.template = kept("editor", this.editor.value.trim());
			this.changed();
		});
		this.box.addEventListener("focusout", e => e.relatedTarget && !this.box.contains(e.relatedTarget) &&
			this.show(false));
		this.box.addEventListener("keydown", e => {
			if (e.key === "Escape") {
				this.show(false);
				this.button.focus();
			}
		});
		document.getElementById("theme").before(this.box);
	}

	show(shown) {
		this.panel.hidden = !shown;
		this.button.setAttribute("aria-expanded", String(shown));
	}

	setWhole(whole) {
		Names.whole = this.names.checked = whole;
		kept("whole-names", whole ? "1" : "");
		this.changed();
	}
}
