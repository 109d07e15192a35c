/*
 * The tables: functions, the chosen function's callers, callees and source lines, waits, and
 * waiters with holders. Long tables show their first rows until more are asked for.
 */

const ROWS_AT_FIRST = 60;

/*
 * A table that sorts by a click on a column's head. columns: [{key, label, title, value(row),
 * cell(row)}], where value is what is sorted by; text sorts upwards first, figures downwards.
 */
class SortedTable {
	constructor(box, columns, {sortBy, onRow, label}) {
		Object.assign(this, {box, columns, sortBy, onRow, label});
		this.falling = true;
		this.limit = ROWS_AT_FIRST;
	}

	show(rows, chosen) {
		this.rows = rows;
		this.chosen = chosen;
		this.write();
	}

	/* Another row is the chosen one. */
	mark(chosen) {
		this.chosen = chosen;
		for (const line of this.box.querySelectorAll("tbody tr")) {
			const isChosen = line.dataset.fn === String(chosen);
			line.classList.toggle("chosen", isChosen);
			line.setAttribute("aria-selected", isChosen);
		}
	}

	sort(key) {
		const column = this.columns.find((one) => one.key === key);
		this.falling = this.sortBy === key ? !this.falling : !column.isText;
		this.sortBy = key;
		this.write();
		this.box.querySelector(`button[data-key="${key}"]`).focus();
	}

	sorted() {
		const column = this.columns.find((one) => one.key === this.sortBy);
		const sign = this.falling ? -1 : 1;
		return this.rows.slice().sort((a, b) => {
			const x = column.value(a), y = column.value(b);
			return x < y ? -sign : x > y ? sign : 0;
		});
	}

	write() {
		const rows = this.sorted(), shown = rows.slice(0, this.limit);
		if (!rows.length) {
			fill(this.box, element("p", {class: "hint"}, "none"));
			return;
		}
		const body = element("tbody", {}, ...shown.map((row, i) => this.row(row, i)));
		const table = element("table", {"aria-label": this.label},
			element("thead", {}, element("tr", {}, ...this.columns.map((one) => this.head(one)))), body);
		const more = rows.length - shown.length;
		body.addEventListener("keydown", (event) => this.key(event));
		fill(this.box, table, ...more > 0
			? [button({class: "more"}, `${formatCount(more)} more`, () => this.showMore())] : []);
	}

	showMore() {
		this.limit *= 5;
		this.write();
	}

	head(column) {
		const sorted = column.key === this.sortBy;
		const order = this.falling ? "descending" : "ascending";
		return element("th", {scope: "col", class: column.isText ? "text" : "number", "data-key": column.key,
			"aria-sort": sorted ? order : null},
		button({"data-key": column.key, title: column.title},
			column.label + (sorted ? (this.falling ? " \u25be" : " \u25b4") : ""),
			() => this.sort(column.key)));
	}

	/* One row is in the tab order; the arrow keys lead to the others. */
	row(row, index) {
		const isChosen = this.chosen !== undefined && row.fn === this.chosen;
		const line = element("tr", {tabindex: this.onRow ? (index ? -1 : 0) : null,
			"data-fn": row.fn, class: isChosen ? "chosen" : null, "aria-selected": isChosen},
		...this.columns.map((column) => element("td",
			{class: column.isText ? "text" : "number", "data-key": column.key}, ...[].concat(column.cell(row)))));
		if (this.onRow) {
			line.addEventListener("click", () => this.onRow(row));
			line.addEventListener("keydown", (event) => {
				if (event.key === "Enter" && event.target === line)
					this.onRow(row);
			});
		}
		return line;
	}

	key(event) {
		const row = event.target.closest("tr");
		const next = event.key === "ArrowDown" ? row.nextSibling
			: event.key === "ArrowUp" ? row.previousSibling : null;
		if (!next || row.tabIndex === undefined)
			return;
		row.tabIndex = -1;
		next.tabIndex = 0;
		next.focus();
		event.preventDefault();
	}
}

/* A figure, with all digits in its tooltip. */
function figure(value, weight) {
	return element("span", {title: formatExact(value, weight), "data-value": value},
		formatWeight(value, weight));
}

function shareCell(value, whole) {
	const cell = element("span", {class: "share-cell"}, percentOf(value, whole).toFixed(1));
	const bar = element("span", {class: "share-bar"});
	bar.style.width = `${Math.min(100, percentOf(value, whole))}%`;
	return [cell, bar];
}

/* The columns of the flat table, for a weight; whole() is that weight of all. */
function flatColumns(data, weightOf, wholeOf, scaleOf) {
	const names = data.functions.name, changes = data.baseThreads ? changeColumns(data, weightOf, scaleOf) : [];
	const split = CLASSES.map((name) => ({
		key: name, label: `${name}%`, title: `Share of the function's total wall time: ${CLASS_NAMES[name]}`,
		value: (row) => percentOf(row.total[name], row.total.wall),
		cell: (row) => row.total.wall ? percentOf(row.total[name], row.total.wall).toFixed(1) : "-",
	}));
	return [
		{key: "share", label: "self %", title: "Self time, as a share of the whole",
			value: (row) => row.self[weightOf()], cell: (row) => shareCell(row.self[weightOf()], wholeOf())},
		{key: "self", label: "self", title: "In the function itself",
			value: (row) => row.self[weightOf()], cell: (row) => figure(row.self[weightOf()], weightOf())},
		{key: "total", label: "total", title: "In the function and everything it called",
			value: (row) => row.total[weightOf()], cell: (row) => figure(row.total[weightOf()], weightOf())},
		...changes, ...data.weight === "value" || data.baseThreads ? [] : split,
		{key: "samples", label: "samples", title: "Samples with the function on the stack",
			value: (row) => row.total.samples, cell: (row) => figure(row.total.samples, "samples")},
		{key: "threads", label: "thr", title: "Threads it was seen in",
			value: (row) => row.threads, cell: (row) => row.threads},
		{key: "verdict", label: "verdict", isText: true, title: "The kind of time that dominates",
			value: (row) => verdictOf(row.total)?.name || "-", cell: (row) => verdictCell(row.total)},
		{key: "dso", label: "dso", isText: true, title: "The shared object or program that has the function",
			value: (row) => objectOf(data, row.fn), cell: (row) => objectCell(data, row.fn)},
		{key: "name", label: "function", isText: true, title: "",
			value: (row) => names[row.fn], cell: (row) => [nameOf(names[row.fn], {title: nameAndObject(data, row.fn)})]},
	];
}

function nameAndObject(data, fn) {
	const module = data.functions.module[fn];
	return module < 0 ? data.functions.name[fn] : `${data.functions.name[fn]}\n${data.modules[module]}`;
}

function objectOf(data, fn) {
	const module = data.functions.module[fn];
	return module < 0 ? "" : data.moduleNames[module];
}

function objectCell(data, fn) {
	const module = data.functions.module[fn];
	return module < 0 ? ["-"]
		: [nameOf(data.moduleNames[module], {class: "module", title: data.modules[module]})];
}

function verdictCell(metrics) {
	const verdict = verdictOf(metrics);
	return verdict ? element("span", {class: `verdict ${verdict.of}`, title: verdict.advice}, verdict.name)
		: "-";
}

function functionCell(data, fn) {
	if (fn < 0)
		return ["-"];
	const module = data.functions.module[fn], name = nameOf(data.functions.name[fn]);
	return module < 0 ? [name]
		: [name, nameOf(data.moduleNames[module], {class: "module", title: data.modules[module]})];
}

/* Of a comparison: a function's self time before, and its change. */
function changeColumns(data, weightOf, scaleOf) {
	const change = (row) => row.self[weightOf()] - scaleOf() * row.before.self[weightOf()];
	const signed = (value) => (value > 0 ? "+" : value < 0 ? "-" : "") + formatWeight(Math.abs(value), weightOf());
	return [
		{key: "before", label: "before", title: "Self, in the base profile",
			value: (row) => row.before.self[weightOf()],
			cell: (row) => figure(row.before.self[weightOf()], weightOf())},
		{key: "change", label: "change", value: (row) => Math.abs(change(row)),
			title: data.absolute ? "Self, now and before" : "Self, when both profiles weigh the same",
			cell: (row) => element("span", {"data-value": change(row),
				class: ["less-than", "", "more-than"][Math.sign(Math.round(change(row))) + 1]},
			signed(change(row)))},
	];
}

/* Callers or callees, one level, as a list; the tree is the sandwich's. */
function neighbourColumns(data, weightOf, wholeOf) {
	return [
		{key: "share", label: "share", title: "Of the chosen function's total",
			value: (row) => row.total, cell: (row) => shareCell(row.total, wholeOf())},
		{key: "total", label: "total", title: "Together with the chosen function",
			value: (row) => row.total, cell: (row) => figure(row.total, weightOf())},
		{key: "name", label: "function", isText: true, title: "",
			value: (row) => data.functions.name[row.fn], cell: (row) => functionCell(data, row.fn)},
	];
}

function neighbours(tree) {
	return tree.children(tree.root).map((id) => ({fn: tree.nodes[id].fn, total: tree.nodes[id].total}));
}

function lineColumns(weightOf, wholeOf) {
	return [
		{key: "line", label: "line", title: "0: unknown", value: (row) => row.line,
			cell: (row) => row.file
				? `${row.file.slice(row.file.lastIndexOf("/") + 1)}:${row.line || "?"}`
				: row.line || "?"},
		{key: "self", label: "self", title: "On this line itself", value: (row) => row.self[weightOf()],
			cell: (row) => figure(row.self[weightOf()], weightOf())},
		{key: "share", label: "total %", title: "Of the function's total, with what was called from the line",
			value: (row) => row.total[weightOf()],
			cell: (row) => shareCell(row.total[weightOf()], wholeOf())},
		{key: "total", label: "total", title: "With what was called from the line",
			value: (row) => row.total[weightOf()], cell: (row) => figure(row.total[weightOf()], weightOf())},
	];
}

/* Adds up wait records by a key; the holder is the one that held longest. */
function groupWaits(records, keyOf) {
	const groups = new Map();
	for (const record of records) {
		const key = keyOf(record);
		const group = groups.get(key) ||
			{...record, wait: 0, samples: 0, threads: new Set(), holders: new Map()};
		groups.set(key, group);
		group.wait += record.wait;
		group.samples += record.samples;
		group.threads.add(record.thread);
		if (record.holder)
			group.holders.set(record.holder, (group.holders.get(record.holder) || 0) + record.wait);
	}
	return [...groups.values()];
}

function threadText(data, index) {
	return `${data.threads[index].name} (${data.threads[index].tid})`;
}

function holderText(group) {
	const [best] = [...group.holders].sort((a, b) => b[1] - a[1]);
	return best ? best[0] : "";
}

function waitColumns(data, wholeOf) {
	return [
		{key: "share", label: "share", title: "Of all blocked time", value: (row) => row.wait,
			cell: (row) => shareCell(row.wait, wholeOf())},
		{key: "wait", label: "blocked", title: "", value: (row) => row.wait,
			cell: (row) => figure(row.wait, "wait")},
		{key: "threads", label: "thr", title: "Threads that waited", value: (row) => row.threads.size,
			cell: (row) => row.threads.size},
		{key: "object", label: "waits on", isText: true, title: "System call and object",
			value: (row) => `${row.call} ${row.object}`, cell: (row) => [nameOf(`${row.call} ${row.object}`)]},
		{key: "holder", label: "held mostly by", isText: true, title: "The thread that had the lock",
			value: (row) => holderText(row), cell: (row) => [nameOf(holderText(row))]},
		{key: "name", label: "in", isText: true, title: "The program's own function that waits",
			value: (row) => data.functions.name[row.fn] || "", cell: (row) => functionCell(data, row.fn)},
	];
}

function holderColumns(data, wholeOf) {
	return [
		{key: "share", label: "share", title: "Of all blocked time", value: (row) => row.wait,
			cell: (row) => shareCell(row.wait, wholeOf())},
		{key: "wait", label: "held up", title: "", value: (row) => row.wait,
			cell: (row) => figure(row.wait, "wait")},
		{key: "holder", label: "holder", isText: true, title: "", value: (row) => row.holder,
			cell: (row) => [nameOf(row.holder)]},
		{key: "waiter", label: "waits for it", isText: true, title: "", value: (row) => threadText(data, row.thread),
			cell: (row) => [nameOf(threadText(data, row.thread))]},
	];
}
