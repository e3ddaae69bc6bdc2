/* Captures: of a page to which others were added (--append), the choice of the one that shows. Those
 * that do not are templates, no part of the page; choosing one loads the page anew, so that nothing of
 * the one before stays. */
class Captures {
	constructor() {
		this.all = [...document.querySelectorAll(".capture")];
		this.shown = this.wanted();
		if (this.all.length > 1)
			this.build();
	}

	/* The number in the address, from 1; else the last one, which is the newest. */
	wanted() {
		const n = Number(new URLSearchParams(location.hash.slice(1)).get("p") || 0);
		return Number.isInteger(n) && n > 0 && n <= this.all.length ? n - 1 : this.all.length - 1;
	}

	build() {
		const {title, subtitle} = this.all[this.shown].dataset;
		if (this.shown !== this.all.length - 1)
			this.all[this.all.length - 1].replaceChildren(this.all[this.shown].content);
		document.title = title;
		document.querySelector("h1").textContent = title;
		document.querySelector(".subtitle").textContent = subtitle;
		const select = make("select", {}, ...this.all.map((capture, i) =>
			make("option", {value: i, ...(i === this.shown ? {selected: ""} : {})}, (i + 1) + ": " +
				shorten(capture.dataset.title) + " – " + shorten(capture.dataset.subtitle))));
		select.addEventListener("change", () => {
			location.hash = "#p=" + (Number(select.value) + 1);
			location.reload();
		});
		document.querySelector(".top > div").append(make("label", {class: "captures"},
			this.all.length + " captures ", select));
	}

	/* The shown one's data, as text. */
	data() {
		return typeof eprofData === "string" ? eprofData :
			document.querySelectorAll("script.data")[this.shown].textContent;
	}

	/* Another one was chosen, as by the browser's Back. */
	restore() {
		if (this.shown !== this.wanted())
			location.reload();
	}

	state() {
		return {p: this.shown === this.all.length - 1 ? "" : String(this.shown + 1)};
	}
}
