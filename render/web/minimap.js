const MAP_HEIGHT = 40, MAP_ROW = 3, MAP_STRIPED = 3;

/* Minimap: all of a graph, small, with what shows of it as a lens that one moves. */
class Minimap {
	/* @graph: the Graph that it is of. */
	constructor(graph) {
		this.graph = graph;
		this.canvas = make("canvas", {});
		this.lens = make("div", {class: "lens"});
		this.box = make("div", {class: "minimap", "aria-hidden": "true",
			title: "The whole graph. Drag to choose what is shown"}, this.canvas, this.lens);
		this.box.addEventListener("pointerdown", e => this.down(e));
		this.box.addEventListener("pointermove", e => this.move(e));
		this.box.addEventListener("pointerup", e => this.up(e));
	}

	draw() {
		const {tree, stage} = this.graph.canvas, ratio = window.devicePixelRatio || 1;
		const c = this.canvas.getContext("2d"), width = this.box.clientWidth;
		const row = Math.min(MAP_ROW, Math.max(1, MAP_HEIGHT / tree.rows));
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(MAP_HEIGHT * ratio);
		c.setTransform(ratio, 0, 0, ratio, 0, 0);
		const scale = width / (tree.total[0] || 1), {icicle} = this.graph.canvas;
		const dim = Number(getComputedStyle(stage).getPropertyValue("--dim"));
		const {matches} = this.graph.canvas, stripes = waitStripes(c);
		for (let i = 0; i < tree.n;) {
			const top = tree.depth[i] * row, wide = tree.total[i] * scale;
			if (wide < 1 || top >= MAP_HEIGHT) {
				i = tree.end[i];
				continue;
			}
			c.globalAlpha = matches && !matches[tree.frame[i]] ? dim / 2 : 1;
			const box = [tree.x[i] * scale, icicle ? top : MAP_HEIGHT - top - row, wide, row];
			c.fillStyle = tree.colour(i);
			c.fillRect(...box);
			if (tree.of(i).reason && wide > MAP_STRIPED) {
				c.fillStyle = stripes;
				c.fillRect(...box);
			}
			i++;
		}
		this.place();
	}

	/* The lens over what shows. */
	place() {
		const {tree, view} = this.graph.canvas, whole = tree.total[0] || 1;
		this.lens.style.left = 100 * view.from / whole + "%";
		this.lens.style.width = Math.max(0.2, 100 * (view.to - view.from) / whole) + "%";
		this.box.classList.toggle("whole", view.to - view.from >= whole);
	}

	valueAt(e) {
		const {left, width} = this.box.getBoundingClientRect();
		return (e.clientX - left) / width * this.graph.canvas.tree.total[0];
	}

	down(e) {
		const {view, tree} = this.graph.canvas, at = this.valueAt(e);
		const whole = view.to - view.from >= tree.total[0];
		this.box.setPointerCapture(e.pointerId);
		this.drag = {from: at, moves: !whole && at >= view.from && at < view.to, view: {...view}};
	}

	move(e) {
		if (!this.drag)
			return;
		const at = this.valueAt(e), {from, moves, view} = this.drag, by = at - from;
		if (moves)
			this.graph.setView(view.from + by, view.to + by);
		else if (by)
			this.graph.setView(Math.min(from, at), Math.max(from, at));
	}

	/* A click without a drag puts the lens there. */
	up(e) {
		if (this.drag && this.drag.from === this.valueAt(e) && !this.drag.moves) {
			const {view} = this.drag, half = (view.to - view.from) / 2;
			this.graph.setView(this.drag.from - half, this.drag.from + half);
		}
		this.drag = null;
	}
}
