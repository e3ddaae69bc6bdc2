/* Theme: dark or light, as the system says until the button says otherwise; the choice stands in the
 * address (c), so that a link keeps it. */
class Theme {
	/* @changed: called when the colours are others. */
	constructor(changed) {
		this.chosen = null;
		this.changed = changed;
		this.button = document.getElementById("theme");
		this.system = matchMedia("(prefers-color-scheme: dark)");
		this.save = () => {};
		this.button.hidden = false;
		this.button.addEventListener("click", () => {
			this.chosen = this.isDark ? "light" : "dark";
			this.apply();
			this.save();
		});
		this.system.addEventListener("change", () => this.apply());
		this.restore(new URLSearchParams(location.hash.slice(1)));
	}

	get isDark() {
		return this.chosen ? this.chosen === "dark" : this.system.matches;
	}

	apply() {
		const dark = this.isDark;
		document.documentElement.dataset.theme = dark ? "dark" : "light";
		this.button.textContent = dark ? "Light" : "Dark";
		this.button.setAttribute("aria-label", "Switch to " + (dark ? "light" : "dark") + " colours");
		this.changed();
	}

	state() {
		return {c: this.chosen || ""};
	}

	restore(state) {
		const c = state.get("c");
		this.chosen = c === "dark" || c === "light" ? c : null;
		this.apply();
	}
}
