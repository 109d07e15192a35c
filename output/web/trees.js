/*
 * Trees over functions, expanded only where the reader opens them. A node combines many nodes of the
 * stack tree (cursors); its children are those below them, or above them, grouped by function.
 */

class FunctionTree {
	/*
	 * Starts at the given nodes of the stack tree. upwards: children are callers. source selects the
	 * weight of a starting node: "total" (all below it) or "self" (stacks that end there).
	 */
	constructor(model, weight, {upwards, source, start, fn = -1}) {
		this.data = model.data;
		this.source = source;
		this.columns = model[source];
		this.self = model.self[weight];
		this.weight = weight;
		this.values = this.columns[weight];
		this.upwards = upwards;
		this.nodes = [];
		this.root = this.add(-1, fn, start, start);
	}

	add(parent, fn, origins, cursors) {
		const total = sumAt(this.values, origins);
		const depth = parent < 0 ? 0 : this.nodes[parent].depth + 1;
		this.nodes.push({parent, fn, origins, cursors, total, depth, children: null, metrics: null});
		return this.nodes.length - 1;
	}

	/* Heaviest first; those without weight are not among them. */
	children(id) {
		const node = this.nodes[id];
		if (!node.children) {
			const groups = this.upwards ? this.groupCallers(node) : this.groupCallees(node);
			node.children = [...groups].map(([fn, {origins, cursors}]) =>
				this.add(id, fn, origins, cursors));
			node.children.sort((a, b) => this.order(this.nodes[a], this.nodes[b]));
		}
		return node.children;
	}

	/* The block of idle threads is beside all else. */
	order(a, b) {
		const names = this.data.functions.name, {idleFn} = this.data;
		if (a.fn === idleFn || b.fn === idleFn)
			return a.fn === idleFn ? 1 : -1;
		if (a.total !== b.total)
			return b.total - a.total;
		return names[a.fn] < names[b.fn] ? -1 : names[a.fn] > names[b.fn] ? 1 : a.fn - b.fn;
	}

	groupCallees(node) {
		const {childStart, children, fn} = this.data.nodes, groups = new Map();
		for (const cursor of node.cursors) {
			for (let i = childStart[cursor]; i < childStart[cursor + 1]; i++) {
				const child = children[i];
				if (!(this.values[child] > 0))
					continue;
				const group = groups.get(fn[child]);
				if (group)
					group.origins.push(child);
				else
					groups.set(fn[child], newGroup([child]));
			}
		}
		return groups;
	}

	/* The first step of the whole inverted tree is from nowhere to the innermost functions. */
	groupCallers(node) {
		const {parent, fn} = this.data.nodes, groups = new Map();
		for (let i = 0; i < node.cursors.length; i++) {
			const caller = node.fn < 0 ? node.cursors[i] : parent[node.cursors[i]];
			if (caller > 0 && this.values[node.origins[i]] > 0)
				addToGroup(groups, fn[caller], node.origins[i], caller);
		}
		return groups;
	}

	/* " (tail call)" for a caller that left no trace on the stack; " (tail call?)": see data.js. */
	markOf(id) {
		const {nodes, frames} = this.data, {cursors, fn} = this.nodes[id];
		if (fn < 0)
			return "";
		const marks = new Set(Array.from(cursors, (node) => frames.mark[nodes.frame[node]]));
		return MARK_TEXTS[marks.has(MARK_TAIL_CALLED) ? MARK_TAIL_CALLED : marks.size === 1 ? [...marks][0] : 0];
	}

	/* All weights of a node, for tooltips and colours. */
	metrics(id) {
		const {origins} = this.nodes[id], sums = zeroSums();
		for (const weight of COLUMNS)
			sums[weight] = sumAt(this.columns[weight], origins);
		return sums;
	}

	/* What the same frame weighs in another model of the same stacks. */
	totalIn(model, id) {
		return sumAt(model[this.source][this.weight], this.nodes[id].origins);
	}

	/* A node's self weight: without the functions it called. */
	selfOf(id) {
		return this.upwards ? 0 : sumAt(this.self, this.nodes[id].cursors);
	}

	/* The functions from the root to the node, without the root. */
	path(id) {
		const functions = [];
		for (let at = id; this.nodes[at].parent >= 0; at = this.nodes[at].parent)
			functions.push(this.nodes[at].fn);
		return functions.reverse();
	}

	/* The node at the end of the path, or as far down as there is one. */
	find(path) {
		let id = this.root;
		for (const fn of path) {
			const next = this.children(id).find((child) => this.nodes[child].fn === fn);
			if (next === undefined)
				break;
			id = next;
		}
		return id;
	}
}

/* Downwards, where a node is looked at is also what it brings in: one list is enough. */
function newGroup(origins) {
	return {origins, cursors: origins};
}

function addToGroup(groups, fn, origin, cursor) {
	let group = groups.get(fn);
	if (!group)
		groups.set(fn, group = {origins: [], cursors: []});
	group.origins.push(origin);
	group.cursors.push(cursor);
}

function topDownTree(model, weight) {
	return new FunctionTree(model, weight, {upwards: false, source: "total", start: [0]});
}

function bottomUpTree(model, weight) {
	const start = [], self = model.self[weight];
	for (let i = 1; i < self.length; i++) {
		if (self[i] > 0)
			start.push(i);
	}
	return new FunctionTree(model, weight, {upwards: true, source: "self", start});
}

function calleesTree(model, weight, fn) {
	const start = model.nodesOf(fn);
	return new FunctionTree(model, weight, {upwards: false, source: "total", start, fn});
}

function callersTree(model, weight, fn) {
	const start = model.nodesOf(fn);
	return new FunctionTree(model, weight, {upwards: true, source: "total", start, fn});
}
