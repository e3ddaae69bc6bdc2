/* What keys do to a flame graph, by the act of a row of KEYS. */

/* To the next match of a search, or where there is none to the next thread. */
function stepOn(flame, by) {
	if (flame.found)
		flame.step(by);
	else if (flame.model)
		flame.modes.stepThread(by);
}

function toggle(flame, name) {
	if (flame.model)
		flame.model.set({[name]: !flame.model.filter[name]});
}

const ACTS = {
	"order-time": flame => flame.setMode("time"),
	"order-heavy": flame => flame.setMode("flame", "heavy"),
	"order-name": flame => flame.setMode("flame", "name"),
	"sandwich": flame => flame.setMode("sandwich"),
	"reversed": flame => flame.setMode("reversed"),
	"flip": flame => flame.flip(!flame.icicle),
	"collapse": flame => toggle(flame, "collapse"),
	"startup": flame => toggle(flame, "startup"),
	"fold-kernel": flame => toggle(flame, "foldKernel"),
	"next": flame => stepOn(flame, 1),
	"previous": flame => stepOn(flame, -1),
	"choose-thread": flame => flame.model && flame.modes.threads.open(),
	"menu": flame => flame.openMenu(),
	"zoom": ({active}) => active.zoom(active.canvas.focus),
	"reset": ({active}) => active.zoom(0),
	"closer": ({active}) => active.scale(0.6, 0.5),
	"farther": ({active}) => active.scale(1 / 0.6, 0.5),
	"pan-left": ({active}) => active.pan(-0.2, 0),
	"pan-right": ({active}) => active.pan(0.2, 0),
	"pan-up": ({active}) => active.pan(0, -3),
	"pan-down": ({active}) => active.pan(0, 3),
	"walk": ({active}, key) => active.walk(key),
};
