/* The page's keys: what one presses, what that does, in which group the list (?) shows it. "graph":
 * the flame graph that has the focus, else the first one that shows. Those of speedscope mean what
 * they mean there. */
const KEYS = [
	{key: "1", what: "Time order", act: "order-time", group: "graph"},
	{key: "2", what: "Left heavy: heaviest first", act: "order-heavy", group: "graph"},
	{key: "3", what: "Sandwich: callers and callees of the chosen function", act: "sandwich", group: "graph"},
	{key: "4", what: "In order of name", act: "order-name", group: "graph"},
	{key: "5", what: "Reversed: leaf first", act: "reversed", group: "graph"},
	{key: "i", what: "Root on top or at the bottom", act: "flip", group: "graph"},
	{key: "r", what: "Collapse recursion on or off", act: "collapse", group: "graph"},
	{key: "k", what: "Fold the kernel on or off", act: "fold-kernel", group: "graph"},
	{key: "u", what: "Startup frames, such as _start and do_syscall_64, on or off", act: "startup", group: "graph"},
	{key: "n", what: "Next match of the search; without a search the next thread", act: "next", group: "graph"},
	{key: "p", what: "Previous match of the search; without a search the previous thread", act: "previous", group: "graph"},
	{key: "N", what: "Previous match", act: "previous", group: "graph"},
	{key: "t", what: "Choose a thread", act: "choose-thread", group: "graph"},
	{key: "m", what: "Actions on the chosen frame", act: "menu", group: "graph"},
	{key: "Enter", what: "Zoom to the chosen frame", act: "zoom", group: "graph"},
	{key: " ", shown: "Space", what: "Zoom to the chosen frame", act: "zoom", group: "graph"},
	{key: "0", what: "Reset zoom", act: "reset", group: "graph"},
	{key: "Escape", what: "Reset zoom", act: "reset", group: "graph"},
	{key: "+", what: "Zoom in", act: "closer", group: "graph"},
	{key: "=", what: "Zoom in", act: "closer", group: "", },
	{key: "-", what: "Zoom out", act: "farther", group: "graph"},
	{key: "a", what: "Pan left", act: "pan-left", group: "graph"},
	{key: "d", what: "Pan right", act: "pan-right", group: "graph"},
	{key: "w", what: "Pan up", act: "pan-up", group: "graph"},
	{key: "s", what: "Pan down", act: "pan-down", group: "graph"},
	{key: "ArrowUp", shown: "↑ ↓ ← →", what: "Move from frame to frame", act: "walk", group: "graph"},
	{key: "ArrowDown", what: "Move", act: "walk", group: ""},
	{key: "ArrowLeft", what: "Move", act: "walk", group: ""},
	{key: "ArrowRight", what: "Move", act: "walk", group: ""},
	{key: "/", shown: "/ or Ctrl-F", what: "Search", act: "search", group: "page"},
	{key: "?", what: "This list", act: "help", group: "page"},
];

/* The row of a key event; rows without a group are not listed: another one stands for them. */
function keyOf(e) {
	return e.ctrlKey || e.metaKey || e.altKey ? null : KEYS.find(row => row.key === e.key) || null;
}
