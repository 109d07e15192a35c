/*
 * Weights of the selected threads and span: per node of the tree, per function, per line. Plain loops
 * over typed arrays, so that a selection in a large profile takes a few hundredths of a second.
 */

class Model {
	constructor(data) {
		this.data = data;
		this.self = {};
		this.total = {};
		for (const weight of COLUMNS) {
			this.self[weight] = new Float64Array(data.nodes.count);
			this.total[weight] = new Float64Array(data.nodes.count);
		}
	}

	/*
	 * threads: a mask by index; span: {from, to} in ns of the timeline, or null for all. Of a span,
	 * the samples in it count, each with as much as those of its row have on the average. foldsIdle: what
	 * idle threads do is one function, in place of their stacks.
	 */
	select(threads, span, foldsIdle) {
		Object.assign(this, {threads, span, foldsIdle});
		this.functions = null;
		this.counts = this.data.threads.map((_, i) =>
			span && threads[i] ? this.countSamples(i, span) : null);
		for (const weight of COLUMNS)
			this.self[weight].fill(0);
		for (let i = 0; i < threads.length; i++) {
			if (threads[i])
				this.addRows(i);
		}
		this.addWall();
		for (const weight of COLUMNS)
			this.sumUp(weight);
	}

	addRows(thread) {
		const {rows} = this.data.threads[thread];
		for (const field of ROW_FIELDS) {
			const self = this.self[field], values = rows[field];
			for (let i = 0; i < values.length; i++)
				self[this.nodeOf(rows, i)] += this.inSpan(thread, i, values[i]);
		}
		for (let i = 0; i < rows.count; i++) {
			const {part} = this.data.contexts[rows.context[i]];
			if (part)
				this.self[part][this.nodeOf(rows, i)] += this.inSpan(thread, i, rows.wait[i]);
		}
	}

	nodeOf(rows, i) {
		return this.foldsIdle && rows.isIdle[i] ? this.data.idleNode : rows.node[i];
	}

	/* What a row's figure is of the chosen span. */
	inSpan(thread, row, value) {
		const counts = this.counts[thread], all = this.data.threads[thread].rows.samples[row];
		if (!counts || counts[row] === all)
			return counts && !all ? 0 : value;
		return Math.round(value * counts[row] / all);
	}

	/* By row of a thread: its samples in the span. */
	countSamples(thread, span) {
		const runs = this.data.timeline[thread];
		const counts = new Float64Array(this.data.threads[thread].rows.count);
		for (let i = firstRunAfter(runs, span.from); i < runs.count && runs.start[i] < span.to; i++) {
			if (runs.row[i] >= 0)
				counts[runs.row[i]] += samplesBefore(runs, i, span.to) - samplesBefore(runs, i, span.from);
		}
		return counts;
	}

	/* The selected rows with the object that their thread waited for. */
	waits() {
		const found = [], {threads, contexts} = this.data;
		for (let thread = 0; thread < threads.length; thread++) {
			const {rows} = threads[thread];
			for (let i = 0; this.threads[thread] && i < rows.count; i++) {
				const context = contexts[rows.context[i]], wait = this.inSpan(thread, i, rows.wait[i]);
				if (context.isWait && wait)
					found.push({...context, thread, fn: rows.own[i], wait,
						samples: this.inSpan(thread, i, rows.samples[i])});
			}
		}
		return found;
	}

	addWall() {
		const {wall, user, sys, runq, wait, stolen} = this.self;
		for (let i = 0; i < wall.length; i++)
			wall[i] = user[i] + sys[i] + runq[i] + wait[i] + stolen[i];
	}

	/* Children have higher numbers than their parents: one walk backwards sums up the tree. */
	sumUp(weight) {
		const total = this.total[weight], parent = this.data.nodes.parent;
		total.set(this.self[weight]);
		for (let i = total.length - 1; i > 0; i--)
			total[parent[i]] += total[i];
	}

	isSeen(node) {
		return this.total.wall[node] || this.total.samples[node] || this.total.value[node];
	}

	whole(weight) {
		return this.total[weight][0];
	}

	/*
	 * Shares are of busy time while idle threads are folded, as in the summary: without theirs, unless
	 * nothing else is there.
	 */
	leavesOutIdle() {
		const idle = this.self.wall[this.data.idleNode];
		return this.foldsIdle && !this.data.baseThreads && idle > 0 && idle < this.whole("wall");
	}

	busy(weight) {
		return this.whole(weight) - (this.leavesOutIdle() ? this.self[weight][this.data.idleNode] : 0);
	}

	/* "shares are of 6.400 s; idle 2.500 s" */
	shareWords(weight) {
		const {hasIdle, baseThreads} = this.data, whole = this.busy(weight), idle = this.whole(weight) - whole;
		const rest = idle > 0 ? `; idle ${formatWeight(idle, weight)}`
			: hasIdle && !baseThreads && !this.leavesOutIdle() ? ", with idle time" : "";
		return `shares are of ${formatWeight(whole, weight)}${rest}`;
	}

	/* The flat table: one entry per function that has any weight, built when first asked for. */
	flat() {
		if (this.functions)
			return this.functions;
		const {count} = this.data.functions, entries = Array.from({length: count}, (_, fn) => newEntry(fn));
		for (const weight of COLUMNS) {
			const {self, total} = this.sumByFunction(weight);
			for (let fn = 0; fn < count; fn++) {
				entries[fn].self[weight] = self[fn];
				entries[fn].total[weight] = total[fn];
			}
		}
		this.byFunction = entries.map(({fn, self, total}) =>
			total.wall || total.samples || total.value ? entries[fn] : null);
		this.countThreads(this.byFunction);
		this.functions = this.byFunction.filter((entry) => entry && entry.fn !== this.data.idleFn);
		return this.functions;
	}

	sumByFunction(weight) {
		const {fn, count, outermost} = this.data.nodes, sums = this.data.functions.count;
		const self = new Float64Array(sums), total = new Float64Array(sums);
		const ofSelf = this.self[weight], ofTotal = this.total[weight];
		for (let i = 1; i < count; i++) {
			self[fn[i]] += ofSelf[i];
			if (outermost[i])
				total[fn[i]] += ofTotal[i];
		}
		return {self, total};
	}

	entry(fn) {
		this.flat();
		return this.byFunction[fn];
	}

	/* In how many of the selected threads each function was seen. */
	countThreads(byFunction) {
		const {nodes, threads} = this.data;
		const nodeSeen = new Int32Array(nodes.count).fill(-1);
		const functionSeen = new Int32Array(byFunction.length).fill(-1);

		for (let t = 0; t < threads.length; t++) {
			if (!this.threads[t])
				continue;
			for (const leaf of this.leaves(t)) {
				for (let node = leaf; node > 0 && nodeSeen[node] !== t; node = nodes.parent[node]) {
					nodeSeen[node] = t;
					const fn = nodes.fn[node];
					if (functionSeen[fn] !== t && byFunction[fn])
						byFunction[fn].threads++;
					functionSeen[fn] = t;
				}
			}
		}
	}

	leaves(thread) {
		const counts = this.counts[thread], {rows} = this.data.threads[thread];
		const isLeft = (i) => (!counts || counts[i]) && !(this.foldsIdle && rows.isIdle[i]);
		return counts || this.foldsIdle ? rows.node.filter((_, i) => isLeft(i)) : rows.node;
	}

	/* The lines of a function: where in it the time went. */
	linesOf(fn) {
		const {nodes, frames} = this.data, lines = new Map();
		for (const i of nodes.ofFunction(fn)) {
			const frame = nodes.frame[i], line = frames.line[frame], file = frames.file.get(frame) || "";
			const place = lines.get(`${line}:${file}`) || {line, file, list: []};
			lines.set(`${line}:${file}`, place);
			if (this.isSeen(i))
				place.list.push(i);
		}
		return [...lines.values()].filter(({list}) => list.length)
			.sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line)
			.map((place) => this.lineEntry(fn, place));
	}

	/* file is "" for the function's own. */
	lineEntry(fn, {line, file, list}) {
		const entry = {...newEntry(fn), line, file}, outermost = list.filter((i) => this.data.nodes.outermostLine[i]);
		for (const weight of COLUMNS) {
			entry.self[weight] = sumAt(this.self[weight], list);
			entry.total[weight] = sumAt(this.total[weight], outermost);
		}
		return entry;
	}

	/* The nodes where a function is outermost: all below them is its total, once. */
	nodesOf(fn) {
		const {nodes} = this.data;
		return [...nodes.ofFunction(fn)].filter((node) => nodes.outermost[node]);
	}

	/* Weight of the samples that have a function of the mask on their stack, each counted once. */
	matched(mask, weight) {
		const {nodes} = this.data, total = this.total[weight];
		const inside = new Uint8Array(nodes.count);
		let sum = 0;
		for (let i = 1; i < nodes.count; i++) {
			const above = inside[nodes.parent[i]];
			inside[i] = above | mask[nodes.fn[i]];
			if (inside[i] && !above)
				sum += total[i];
		}
		return sum;
	}

	/* The program's own function that most time of a class is charged to, idle threads apart. */
	heaviestOwner(weight) {
		const sums = new Float64Array(this.data.functions.count);
		for (const [thread, {rows}] of this.data.threads.entries()) {
			for (let i = 0; this.threads[thread] && i < rows.count; i++) {
				if (rows.own[i] >= 0 && !rows.isIdle[i])
					sums[rows.own[i]] += this.inSpan(thread, i, rows[weight][i]);
			}
		}
		const fn = sums.reduce((best, sum, i) => sum > sums[best] ? i : best, 0);
		return sums[fn] > 0 ? {fn, sum: sums[fn]} : null;
	}
}

/*
 * Two sides of a comparison as one: where a stack ends, what stayed and what came or went. So a frame is as
 * wide as the sum of what stayed, grew and shrank in it.
 */
class JoinedModel extends Model {
	constructor(data, now, before, scaleOf) {
		super(data);
		Object.assign(this, {now, before, scaleOf});
	}

	join() {
		for (const weight of COLUMNS) {
			const scale = this.scaleOf(weight), now = this.now.self[weight], before = this.before.self[weight];
			for (let i = 0; i < now.length; i++)
				this.self[weight][i] = Math.max(now[i], scale * before[i]);
			this.sumUp(weight);
		}
	}
}

function zeroSums() {
	return Object.fromEntries(COLUMNS.map((name) => [name, 0]));
}

function newEntry(fn) {
	return {fn, self: zeroSums(), total: zeroSums(), threads: 0};
}

function sumAt(column, places) {
	let sum = 0;
	for (let i = 0; i < places.length; i++)
		sum += column[places[i]];
	return sum;
}

/*
 * The first run that ends behind the time, or begins at it: in a time slice, all runs but the last one
 * have no length. Runs of a thread follow each other.
 */
function firstRunAfter(runs, time) {
	let low = 0, high = runs.count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (runs.start[middle] >= time || runs.start[middle] + runs.length[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Samples of a run that are before a time: they lie evenly in it. */
function samplesBefore(runs, i, time) {
	const inside = time - runs.start[i], length = runs.length[i], samples = runs.samples[i];
	return inside <= 0 ? 0 : inside >= length ? samples : Math.ceil(inside * samples / length);
}

/*
 * The verdict from a function's wall time: the limits of profile/views/verdict.c, in its order, each
 * with advice.
 */
const VERDICTS = [
	{name: "cpu", of: "user", above: 80, advice: "a better algorithm, or more threads"},
	{name: "syscall", of: "sys", above: 30, advice: "fewer, larger system calls"},
	{name: "io", of: "wait", above: 50, part: "io",
		advice: "look at what it reads or writes: caches, batching, fewer round trips"},
	{name: "lock", of: "wait", above: 50, part: "lock",
		advice: "find the thread that holds the lock: hold it shorter, or split it"},
	{name: "idle", of: "wait", above: 50, part: "idle",
		advice: "its threads have nothing to run: find out why they get no work"},
	{name: "wait", of: "wait", above: 50,
		advice: "look at what it waits for: timers, other processes, work that comes too slowly"},
];
const STARVED = {name: "starved", advice: "too few CPUs, or too many threads"};

/* part: most of the blocked time has to be of it. A busy machine does not change what a function does. */
function verdictOf(metrics) {
	const own = metrics.user + metrics.sys + metrics.wait;
	if (own === 0)
		return metrics.wall > 0 ? STARVED : null;
	return VERDICTS.find(({of, above, part}) => percentOf(metrics[of], own) > above &&
		(!part || metrics[part] > Math.floor(metrics.wait / 2))) || null;
}
