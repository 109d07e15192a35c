/*
 * The data block of the page as typed arrays; output/html/html.h documents its content. Does not
 * decide what the page shows.
 */

/* The columns of a row, as they are written. */
const ROW_FIELDS = ["samples", "user", "sys", "runq", "wait", "stolen", "value"];
const CLASSES = ["user", "sys", "runq", "wait"];
const CLASS_NAMES = {
	user: "User code", sys: "Kernel", runq: "Waiting for a CPU", wait: "Blocked",
	stolen: "Stolen",
};
const WEIGHTS = ["wall", "user", "sys", "runq", "wait", "samples"];
/* From this percentage of the wall time on, stolen time is shown, as the last class and weight. */
const LEAST_STOLEN = 0.5;
/* Parts of the blocked time: for input and output, for locks. A context gives the place; with 4 added, idle too. */
const WAIT_PARTS = ["", "io", "lock", "idle"];
const IDLE_NAME = "[idle]"; /* of what the stacks of idle threads are folded to */
/* What is added up; the value is another tool's, whose profiles have nothing else. */
const COLUMNS = [...WEIGHTS, "stolen", "value", "io", "lock", "idle"];

/* The class of time that a state is, where no time was accounted. */
const STATE_CLASS = ["user", "sys", "wait", "wait", "wait", "wait"];

/* Where each letter of a packed table is in base64's alphabet. */
const DIGITS = new Uint8Array(128);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((letter, i) =>
	DIGITS[letter.charCodeAt(0)] = i);

/* The numbers of a packed table; digits above 2^30 are out of reach of integer arithmetic. */
function unpack(text) {
	let count = 0;
	for (let i = 0; i < text.length; i++)
		count += DIGITS[text.charCodeAt(i)] < 32;
	const numbers = new Float64Array(count);
	for (let i = 0, k = 0, value = 0, scale = 1; i < text.length; i++) {
		const digit = DIGITS[text.charCodeAt(i)];
		value += (digit & 31) * scale;
		scale *= 32;
		if (digit < 32) {
			numbers[k++] = value;
			value = 0;
			scale = 1;
		}
	}
	return numbers;
}

function decodeFunctions(raw) {
	const count = raw.functions.length / 4;
	const table = {
		count, name: new Array(count), module: new Int32Array(count),
		file: new Array(count), line: new Int32Array(count),
	};
	for (let i = 0; i < count; i++) {
		const [name, module, file, line] = raw.functions.slice(4 * i, 4 * i + 4);
		table.name[i] = raw.strings[name];
		table.module[i] = module;
		table.file[i] = file < 0 ? null : raw.strings[file];
		table.line[i] = line;
	}
	return table;
}

/* By mark of a frame: called, inlined, made a tail call, or reached by unknown tail calls. */
const MARK_TEXTS = ["", "", " (tail call)", " (tail call?)"], MARK_TAIL_CALLED = 3;

function decodeFrames(raw) {
	const count = raw.frames.length / 2;
	const table = {
		count, fn: new Int32Array(count), line: new Int32Array(count),
		mark: new Uint8Array(count),
		file: new Map(), /* of frames that are not in their function's file */
	};
	for (let i = 0; i < count; i++) {
		table.fn[i] = raw.frames[2 * i];
		table.line[i] = Math.floor(raw.frames[2 * i + 1] / 4);
		table.mark[i] = raw.frames[2 * i + 1] % 4;
	}
	const files = raw.frame_files || [];
	for (let i = 0; i < files.length; i += 2)
		table.file.set(files[i], raw.strings[files[i + 1]]);
	return table;
}

function decodeNodes(raw, frames, functionCount, lastFrame) {
	const list = unpack(raw.nodes), count = list.length / 2 + 2;
	const nodes = {
		count, parent: new Int32Array(count), frame: new Int32Array(count),
		fn: new Int32Array(count), childStart: new Int32Array(count + 1),
		children: new Int32Array(count - 1),
	};
	nodes.parent[0] = nodes.frame[0] = nodes.fn[0] = -1;
	for (let i = 1; i < count; i++) {
		const isLast = i === count - 1;
		nodes.parent[i] = isLast ? 0 : i - list[2 * i - 2];
		nodes.frame[i] = isLast ? lastFrame : list[2 * i - 1];
		nodes.fn[i] = frames.fn[nodes.frame[i]];
		nodes.childStart[nodes.parent[i] + 1]++;
	}
	linkChildren(nodes);
	listByFunction(nodes, functionCount);
	return nodes;
}

/* Children of a node lie together: children[childStart[i]] up to childStart[i + 1]. */
function linkChildren(nodes) {
	for (let i = 0; i < nodes.count; i++)
		nodes.childStart[i + 1] += nodes.childStart[i];
	const next = nodes.childStart.slice();
	for (let i = 1; i < nodes.count; i++)
		nodes.children[next[nodes.parent[i]]++] = i;
}

/* nodes.ofFunction(fn): the nodes of a function, callers first. */
function listByFunction(nodes, functionCount) {
	const start = new Int32Array(functionCount + 1), list = new Int32Array(nodes.count - 1);
	for (let i = 1; i < nodes.count; i++)
		start[nodes.fn[i] + 1]++;
	for (let fn = 0; fn < functionCount; fn++)
		start[fn + 1] += start[fn];
	const next = start.slice();
	for (let i = 1; i < nodes.count; i++)
		list[next[nodes.fn[i]]++] = i;
	nodes.ofFunction = (fn) => list.subarray(start[fn], start[fn + 1]);
}

/* A number for each function's line: that of the first frame on it, inlined or not. */
function linesOfNodes(nodes, frames) {
	const first = new Map(), line = frames.fn.map((fn, frame) => {
		const key = `${fn}:${frames.line[frame]}:${frames.file.get(frame) || ""}`;
		if (!first.has(key))
			first.set(key, frame);
		return first.get(key);
	});
	return nodes.frame.map((frame) => frame < 0 ? -1 : line[frame]);
}

/*
 * Marks the nodes whose key is on no node above them: totals add up those alone, so that recursion
 * counts a sample once.
 */
function outermostNodes(nodes, keyOf, keyCount) {
	const marks = new Uint8Array(nodes.count);
	const open = new Int32Array(keyCount);
	const next = nodes.childStart.slice();
	let node = 0;

	while (node >= 0) {
		if (next[node] < nodes.childStart[node + 1]) {
			node = nodes.children[next[node]++];
			marks[node] = open[keyOf[node]]++ ? 0 : 1;
			continue;
		}
		if (node > 0)
			open[keyOf[node]]--;
		node = nodes.parent[node];
	}
	return marks;
}

/* own: the function that the row's time is charged to. */
function decodeRows(list, fields, contexts) {
	const width = fields.length + 3, count = list.length / width;
	const rows = {
		count, node: new Int32Array(count), context: new Int32Array(count),
		own: new Int32Array(count), isIdle: new Uint8Array(count), shade: new Uint8Array(count),
	};
	for (const field of [...ROW_FIELDS, "io", "lock", "idle"])
		rows[field] = new Float64Array(fields.includes(field) ? count : 0);
	for (let i = 0, node = 0; i < count; i++) {
		node += list[width * i];
		rows.node[i] = node;
		rows.context[i] = list[width * i + 1];
		rows.own[i] = list[width * i + 2] - 1;
		rows.isIdle[i] = contexts[rows.context[i]].isIdle;
		for (let k = 0; k < fields.length; k++)
			rows[fields[k]][i] = list[width * i + 3 + k];
		rows.shade[i] = shadeOf(rows, i, contexts[rows.context[i]]);
	}
	return rows;
}

/* Before any class is asked for. */
function showStolen(rowsOfThreads) {
	const width = ROW_FIELDS.length + 2, at = 3 + ROW_FIELDS.indexOf("user"), sums = CLASSES.map(() => 0);
	let stolen = 0;
	for (const list of rowsOfThreads) {
		for (let i = 0; i < list.length; i += width) {
			CLASSES.forEach((name, k) => sums[k] += list[i + at + k]);
			stolen += list[i + at + CLASSES.length];
		}
	}
	if (percentOf(stolen, sums.reduce((a, b) => a + b, stolen)) < LEAST_STOLEN)
		return;
	CLASSES.push("stolen");
	WEIGHTS.push("stolen");
}

/* The class that most of a row's time is of. */
function shadeOf(rows, i, context) {
	const most = CLASSES.reduce((a, b) => rows[b][i] > rows[a][i] ? b : a);
	return CLASSES.indexOf(rows[most][i] ? most : STATE_CLASS[context.state]);
}

function decodeContexts(raw) {
	const contexts = [], text = (string) => string < 0 ? "" : raw.strings[string];
	for (let i = 0; i < raw.contexts.length; i += 5) {
		const [state, part, call, object, holder] = raw.contexts.slice(i, i + 5);
		contexts.push({state, part: WAIT_PARTS[part % WAIT_PARTS.length],
			isIdle: part >= WAIT_PARTS.indexOf("idle"), call: text(call), object: text(object),
			holder: text(holder), isWait: call >= 0 || object >= 0 || holder >= 0});
	}
	return contexts;
}

function decodeThreads(raw, contexts) {
	const threads = [], fields = raw.value ? ROW_FIELDS : ROW_FIELDS.slice(0, -1);
	const lists = raw.rows.map(unpack);
	if (!raw.value)
		showStolen(lists);
	const hosts = new Set(raw.processes.filter((_, i) => i % 4 === 2));
	for (let i = 0; i < raw.threads.length; i += 3) {
		const process = raw.threads[i];
		const [pid, name, host, rank] = raw.processes.slice(4 * process, 4 * process + 4);
		const words = [raw.strings[name]];
		if (host >= 0 && hosts.size > 1)
			words.push(`host ${raw.strings[host]}`);
		if (rank >= 0)
			words.push(`rank ${raw.strings[rank]}`);
		threads.push({
			pid, processIndex: process, process: words.join(", "), tid: raw.threads[i + 1],
			name: raw.strings[raw.threads[i + 2]], rows: decodeRows(lists[i / 3], fields, contexts),
		});
	}
	return threads;
}

/* Runs follow each other; those without a row are times when the thread was not sampled. */
function decodeRuns(list, unit) {
	const count = list.length / 3;
	const runs = {
		count, start: new Float64Array(count), length: new Float64Array(count),
		row: new Int32Array(count), samples: new Float64Array(count), end: 0,
	};
	for (let i = 0, at = 0; i < count; i++) {
		runs.start[i] = at * unit;
		runs.length[i] = list[3 * i] * unit;
		runs.row[i] = list[3 * i + 1] - 1;
		runs.samples[i] = list[3 * i + 2];
		at += list[3 * i];
		runs.end = at * unit;
	}
	return runs;
}

function decodeTimeline({unit, threads}) {
	return threads.map((text) => decodeRuns(unpack(text), unit));
}

function decodeGaps(raw) {
	const gaps = [];
	for (let i = 0; i < raw.gaps.length; i += 5) {
		const [module, addresses, samples, why, help] = raw.gaps.slice(i, i + 5);
		gaps.push({module: raw.strings[raw.modules[module]], addresses, samples, why, help});
	}
	return gaps;
}

/* A function for what idle threads are folded to, on a stack of its own behind all others. Returns its place. */
function addIdle(raw) {
	const idle = {fn: raw.functions.length / 4, frame: raw.frames.length / 2};
	raw.functions.push(raw.strings.push(IDLE_NAME) - 1, -1, -1, 0);
	raw.frames.push(idle.fn, 0);
	return idle;
}

function decodeData(raw) {
	const idle = addIdle(raw);
	const functions = decodeFunctions(raw);
	const frames = decodeFrames(raw);
	const nodes = decodeNodes(raw, frames, functions.count, idle.frame);
	const modules = raw.modules.map((string) => raw.strings[string]);
	const contexts = decodeContexts(raw), threads = decodeThreads(raw, contexts);
	const weights = raw.value ? ["value"] : WEIGHTS;
	if (raw.value)
		setValueKind(raw.value);
	nodes.outermost = outermostNodes(nodes, nodes.fn, functions.count);
	nodes.outermostLine = outermostNodes(nodes, linesOfNodes(nodes, frames), frames.count);
	return {
		command: raw.command, startMs: raw.start_ms, quality: raw.quality,
		weights, weight: weights.includes(raw.weight) ? raw.weight : weights[0],
		answer: raw.answer, own: raw.own, idle: raw.idle_ns, cost: raw.cost || "",
		idleFn: idle.fn, idleNode: nodes.count - 1, hasIdle: threads.some(({rows}) => rows.isIdle.includes(1)),
		baseThreads: raw.base_threads, change: raw.change, absolute: raw.absolute, gaps: decodeGaps(raw),
		functions, frames, nodes, modules,
		moduleNames: modules.map((path) => path.slice(path.lastIndexOf("/") + 1) || path),
		contexts, threads,
		timeline: raw.timeline ? decodeTimeline(raw.timeline) : null,
		timelineCut: raw.timeline?.cut || 0,
	};
}
