/* Paths: the stacks in which most samples ended, of what the model's filter leaves. */
const PATHS_MOST = 8, PATH_LEAVES = 4;

/* The paths of a tree, as tree_paths() in query/top.c finds them: [{self, leaf, top, threads}]. */
function hotPaths(tree) {
	const {parent, frame, self, frames} = tree, numbers = new Map(), found = new Map();
	const number = frames.map(f => {
		const key = [f.name, f.module, f.file, f.line].join("\0");
		numbers.set(key, numbers.get(key) || numbers.size + 1);
		return numbers.get(key);
	});
	const inlined = KIND.INLINED, trie = new Trie(0);
	const [stack, owner, top] = Array.from({length: 3}, () => new Uint32Array(tree.n));
	for (let i = 0; i < tree.n; i++) {
		const up = parent[i], first = isTop(tree, up);
		owner[i] = top[i] = i;
		if (!isTop(tree, i)) {
			const own = number[frame[i]];
			top[i] = top[up];
			stack[i] = !first && own === number[frame[up]] ? stack[up] : trie.child(stack[up], own);
			if (!first && frames[frame[i]].kind === inlined)
				owner[i] = owner[up];
		}
		if (self[i] <= 0)
			continue;
		const leaf = owner[i], key = stack[leaf];
		const path = found.get(key) || {self: 0, most: 0, top: top[leaf], threads: false};
		found.set(key, path);
		path.self += self[i];
		path.threads = path.threads || path.top !== top[leaf];
		if (self[i] > path.most)
			Object.assign(path, {most: self[i], leaf});
	}
	const leaf = path => frames[frame[path.leaf]].name;
	return [...found.values()].sort((a, b) => b.self - a.self || comparePoints(leaf(a), leaf(b)) || a.leaf - b.leaf);
}

/* The root, or a thread's name below it. */
function isTop(tree, i) {
	return !i || tree.frames[tree.frame[i]].kind === KIND.THREAD;
}

/* The frames of a path, root first; without the thread's name where it is of several. */
function pathFrames(tree, {leaf, threads}) {
	const list = [];
	for (let i = leaf; i && !(threads && i !== leaf && isTop(tree, i)); i = tree.parent[i])
		list.unshift(tree.frames[tree.frame[i]]);
	return list;
}

/* The last frames that say something of the program, null for gaps: path_end() in paint/calltree.c. */
function pathEnd(list) {
	const end = [];
	let named = 0;
	for (const frame of list.length <= PATH_LEAVES ? [] : [...list].reverse())
		if (named === PATH_LEAVES || named && isStartup(frame)) {
			if (end[0])
				end.unshift(null);
		} else {
			end.unshift(frame);
			named++;
		}
	return end.length ? end : list;
}

/* As html.c writes it. */
function pathItem(tree, path, flame) {
	const list = pathFrames(tree, path), leaves = make("span", {class: "leaves"});
	pathEnd(list).forEach((f, i) =>
		leaves.append(i ? " › " : "", f ? makeNamed("span", {}, f.name, Names.of(f)) : "…"));
	return make("li", {}, make("details",
		{"data-in": flame, "data-node": tree.source ? tree.source[path.leaf] : path.leaf},
		make("summary", {}, make("b", {}, Units.percent(path.self, tree.total[0])), leaves),
		make("ol", {class: "frames"}, ...list.map(f => makeNamed("li", {class: "k" + f.kind}, f.name, Names.of(f))))));
}

/* The first, and those of at least half a percent, as items of a list, and its caption. */
function pathList(tree, most, flame) {
	const all = hotPaths(tree), total = tree.total[0];
	const shown = all.filter((p, i) => !i || p.self >= total / 200).slice(0, most);
	const covered = shown.reduce((sum, p) => sum + p.self, 0);
	return {items: shown.map(p => pathItem(tree, p, flame)), words: shown.length + " of " +
		Units.count(all.length) + " paths, together " + Units.percent(covered, total) +
		" of the selection; leaf last"};
}
