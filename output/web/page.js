/*
 * The page: the selection, and the parts to draw again when it changes. The parts get callbacks, and
 * do not depend on each other.
 */

const WEIGHT_LABELS = {
	wall: ["wall", "Wall-clock time (1)"], user: ["user", "In user code (2)"],
	sys: ["sys", "In the kernel (3)"], runq: ["runq", "Ready, waiting for a CPU (4)"],
	wait: ["wait", "Blocked (5)"], samples: ["samples", "Samples taken (6)"],
	stolen: ["stolen", "Kept from running: by the host, interrupts, or sprof's stops (7)"],
};
const LEGEND_MODULES = 10;

class Tooltip {
	constructor(box, page) {
		this.box = box;
		this.page = page;
	}

	show(graph, id, x, y) {
		const {fn, total} = graph.tree.nodes[id], {data} = this.page;
		const metrics = graph.tree.metrics(id), {weight} = graph.tree;
		const whole = (graph === this.page.graph ? this.page.graphModel() : this.page.model).whole(weight);
		const lines = [nameOf(graph.labelOf(id)), element("div", {class: "where"}, placeOf(data, fn))];
		lines.push(element("div", {class: "figures"},
			`${formatWeight(total, weight)} ${weightName(weight)}, ${formatPercent(total, whole)} of all` +
			(graph.tree.upwards ? "" : `; self ${formatWeight(graph.tree.selfOf(id), weight)}`) +
			(weight === "samples" ? "" : `; ${plural(metrics.samples, "sample")}`)));
		if (fn === data.idleFn)
			lines.push(element("div", {}, `Threads that waited for work${graph.isNarrowed
				? "; drawn narrower than its share" : ""}`));
		if (data.baseThreads)
			lines.push(element("div", {}, this.page.changeWords(graph.tree, id)));
		lines.push(classBar(metrics), element("div", {class: "where"}, classWords(metrics)));
		fill(this.box, ...lines);
		this.box.hidden = false;
		this.place(x, y);
	}

	/* Beside the pointer, inside of the window. */
	place(x, y) {
		const {width, height} = this.box.getBoundingClientRect();
		const left = Math.min(x + 14, window.innerWidth - width - 8);
		const below = y + 18 + height < window.innerHeight;
		this.box.style.left = `${Math.max(8, left)}px`;
		this.box.style.top = `${Math.max(8, below ? y + 18 : y - height - 12)}px`;
	}

	hide() {
		this.box.hidden = true;
	}
}

function classWords(metrics) {
	return CLASSES.filter((name) => metrics[name] > 0).map((name) =>
		`${name} ${formatTime(metrics[name])}`).join(", ") || "no time";
}

/* Where a function is: its module, and file and line as far as they are known. */
function placeOf(data, fn) {
	if (fn < 0)
		return "";
	const {module, file, line} = data.functions;
	const words = module[fn] < 0 ? [] : [data.modules[module[fn]]];
	if (file[fn])
		words.push(line[fn] ? `${file[fn]}:${line[fn]}` : file[fn]);
	return words.join(" \u00b7 ");
}

/* The meaning of a search text: /.../ is a regular expression, anything else a literal text. */
function matcherOf(text) {
	const expression = /^\/(.+)\/$/.exec(text);
	if (!expression) {
		const wanted = text.toLowerCase();
		return (name) => name.toLowerCase().includes(wanted);
	}
	try {
		const compiled = new RegExp(expression[1], "i");
		return (name) => compiled.test(name);
	} catch {
		return null;
	}
}

class Page {
	constructor(data) {
		this.data = data;
		this.state = {
			weight: data.weight, view: "callees", colour: "state", layout: "icicle",
			span: null, fn: -1, mask: null, idle: "folded",
		};
		this.colours = new Colours(data);
		this.now = this.model = new Model(data);
		if (data.baseThreads)
			this.buildComparison();
		this.tooltip = new Tooltip(byId("tooltip"), this);
		this.buildOverview();
		this.buildToolbar();
		this.buildGraphs();
		this.buildTables();
		this.buildKeys();
		this.select();
	}

	/* Building: once. */

	buildOverview() {
		writeFacts(this.data);
		writeQuality(this.data);
		this.threads = new ThreadList(byId("threads"), byId("more-threads"), this.data, () => this.select());
		this.threads.writeNames();
		byId("all-threads").addEventListener("click", () => this.threads.all());
		byId("all-time").addEventListener("click", () => this.setSpan(null));
		byId("timeline-panel").hidden = !timelineHint(this.data);
		byId("timeline-hint").textContent = timelineHint(this.data);
		if (this.data.timeline)
			this.timeline = new Timeline(byId("timeline"), this.data, this.colours, {
				onSpan: (span) => this.setSpan(span),
				onThreads: (threads) => this.threads.only(threads),
			});
		this.buildFolding();
	}

	/* A button splits the timeline's rows of several threads into one row per thread. */
	buildFolding() {
		const fold = byId("all-rows");
		fold.hidden = !this.timeline?.isFolded();
		fold.textContent = `all ${listedThreads(this.data).length} rows`;
		fold.addEventListener("click", () => {
			this.timeline.showAll(!this.timeline.isWhole);
			fold.textContent = this.timeline.isWhole ? "fewer rows" : `all ${listedThreads(this.data).length} rows`;
		});
	}

	/* Of a comparison: the threads below baseThreads belong to the base profile. */
	buildComparison() {
		const mask = new Uint8Array(this.data.threads.length).fill(1, 0, this.data.baseThreads);
		this.before = new Model(this.data);
		this.selectBefore = () => this.before.select(mask, null, this.foldsIdle());
		this.state.colour = "change";
		byId("sides").hidden = false;
		this.joined = new JoinedModel(this.data, this.now, this.before, (weight) => this.baseScale(weight));
		this.pressSide = buttonGroup(byId("sides"), [
			["both", "both", "Widths: what stayed, and what grew or shrank"],
			["now", "now", "The later profile"],
			["before", "before", "The profile that is compared with"]], (side) => this.setSide(side));
		this.state.side = "both";
		this.pressSide("both");
	}

	buildToolbar() {
		const group = (id, choices, choose) => buttonGroup(byId(id), choices, choose);
		this.press = {
			weight: group("weights", this.data.weights.map((weight) => [weight, ...WEIGHT_LABELS[weight] ||
				[weightName(weight), "What this profile counts"]]),
				(weight) => this.setWeight(weight)),
			view: group("views", [["callees", "call tree", "Outermost functions first"],
				["callers", "inverted", "Innermost functions first, callers below (i)"]],
			(view) => this.setView(view)),
			colour: group("colours", [
				["state", "by state", "Colour by user, kernel, run queue and blocked time (c)"],
				["module", "by module", "Colour by module (c)"],
				...this.before ? [["change", "by change", "Red: more than before; blue: less"]] : []],
			(colour) => this.setColour(colour)),
			layout: group("layouts", [["icicle", "icicle", "Root at the top (f)"],
				["flame", "flame", "Root at the bottom (f)"]], (layout) => this.setLayout(layout)),
			idle: group("idle", [["folded", "idle folded", "Threads that wait for work: one block (w)"],
				["shown", "shown", "Threads that wait for work: with their stacks (w)"]],
			(idle) => this.setIdle(idle)),
		};
		byId("idle").hidden = !this.data.hasIdle;
		byId("search").addEventListener("input", () => this.search(byId("search").value));
		byId("theme").addEventListener("click", () => this.nextTheme());
		byId("help").addEventListener("click", () => this.toggleKeys());
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.recolour());
	}

	newGraph(id, options) {
		return new FlameGraph(byId(id), {
			data: this.data, colours: this.colours, tooltip: this.tooltip, rootName: "all",
			colourBy: () => this.state.colour,
			isMatch: (fn) => this.mask ? Boolean(this.mask[fn]) : null,
			changeOf: (tree, id) => this.changeOf(tree, id),
			onChoose: (fn) => this.choose(fn), onZoom: () => {}, ...options,
		});
	}

	buildGraphs() {
		this.graph = this.newGraph("graph", {label: "Flame graph", onZoom: () => this.writePath()});
		const small = {minWidth: 1.5, isMatch: () => null};
		this.callers = this.newGraph("callers-graph", {label: "Callers of the chosen function", ...small});
		this.callers.upsideDown = true;
		this.callees = this.newGraph("callees-graph", {label: "Callees of the chosen function", ...small});
	}

	buildTables() {
		const weight = () => this.state.weight, whole = () => this.model.busy(weight());
		const ofChosen = () => this.chosenTotal();
		const onRow = (row) => this.choose(row.fn);
		const newTable = (id, columns, sortBy, label, more = {onRow}) =>
			new SortedTable(byId(id), columns, {sortBy, label, ...more});
		this.flat = newTable("flat", flatColumns(this.data, weight, whole, () => this.baseScale(weight())),
			this.before ? "change" : "self", "Functions");
		this.callerTable = newTable("callers", neighbourColumns(this.data, weight, ofChosen), "total", "Callers");
		this.calleeTable = newTable("callees", neighbourColumns(this.data, weight, ofChosen), "total", "Callees");
		this.lines = newTable("lines", lineColumns(weight, ofChosen), "line", "Source lines", {});
		this.lines.falling = false;
		byId("waits-panel").hidden = !this.data.contexts.some((context) => context.isWait);
		const blocked = () => this.model.whole("wait");
		this.waits = newTable("waits", waitColumns(this.data, blocked), "wait", "Waits");
		this.holders = newTable("holders", holderColumns(this.data, blocked), "wait", "Waiters and holders", {});
	}

	buildKeys() {
		const keys = {
			"/": () => byId("search").focus(),
			"?": () => this.toggleKeys(),
			"g": () => this.graph.canvas.focus(),
			"t": () => byId("flat").querySelector("tbody tr")?.focus(),
			"i": () => this.setView(this.state.view === "callees" ? "callers" : "callees"),
			"c": () => this.setColour(this.state.colour === "state" ? "module" : "state"),
			"f": () => this.setLayout(this.state.layout === "icicle" ? "flame" : "icicle"),
			"w": () => this.setIdle(this.foldsIdle() ? "shown" : "folded"),
			"0": () => this.reset(),
		};
		this.data.weights.forEach((weight, i) => keys[String(i + 1)] = () => this.setWeight(weight));
		document.addEventListener("keydown", (event) => {
			const inField = event.target.matches("input[type=search]");
			if (inField && event.key === "Escape")
				this.clearSearch();
			else if (inField || event.ctrlKey || event.metaKey || event.altKey || !keys[event.key])
				return;
			else
				keys[event.key]();
			event.preventDefault();
		});
	}

	/* Choices. */

	setWeight(weight) {
		this.state.weight = weight;
		this.showAll();
	}

	setSide(side) {
		this.pressSide(side);
		this.state.side = side;
		this.model = side === "before" ? this.before : this.now;
		this.select();
	}

	setView(view) {
		this.state.view = view;
		this.showGraph([]);
	}

	setColour(colour) {
		this.state.colour = colour;
		this.press.colour(colour);
		this.writeLegend();
		this.drawGraphs();
	}

	setLayout(layout) {
		this.state.layout = layout;
		this.press.layout(layout);
		this.graph.upsideDown = layout === "flame";
		this.graph.layOut();
		this.graph.box.scrollTop = layout === "flame" ? this.graph.height : 0;
	}

	setIdle(idle) {
		this.state.idle = idle;
		this.select();
	}

	foldsIdle() {
		return this.data.hasIdle && this.state.idle === "folded";
	}

	setSpan(span) {
		this.state.span = span;
		this.timeline.setSpan(span);
		byId("all-time").hidden = !span;
		this.select();
	}

	/* By name, or with @ in front by program or library. */
	search(text) {
		const {name, module} = this.data.functions, ofObject = text.startsWith("@");
		const wanted = ofObject ? text.slice(1) : text;
		const matches = wanted ? matcherOf(wanted) : null;
		const wordOf = ofObject ? (fn) => module[fn] < 0 ? "" : this.data.modules[module[fn]] : (fn) => name[fn];
		this.mask = matches ? Uint8Array.from(name, (_, fn) => matches(wordOf(fn))) : null;
		byId("search").setAttribute("aria-invalid", wanted !== "" && !matches);
		this.writeMatch();
		this.drawGraphs();
		this.showFlat();
	}

	clearSearch() {
		byId("search").value = "";
		this.search("");
	}

	reset() {
		this.clearSearch();
		this.state.span = null;
		this.timeline?.setSpan(null);
		byId("all-time").hidden = true;
		this.graph.zoomTo(this.graph.tree.root);
		this.threads.all();
	}

	/* The graph has been drawn when this is called from it; the panel may come a frame later. */
	choose(fn) {
		this.state.fn = fn;
		this.flat.mark(fn);
		cancelAnimationFrame(this.pending);
		this.pending = requestAnimationFrame(() => setTimeout(() => this.showFunction()));
	}

	nextTheme() {
		const root = document.documentElement, order = ["auto", "light", "dark"];
		const now = order.find((name) => root.classList.contains(name)) || "auto";
		const next = order[(order.indexOf(now) + 1) % order.length];
		root.classList.remove(...order);
		if (next !== "auto")
			root.classList.add(next);
		byId("theme").textContent = `Theme: ${next}`;
		this.recolour();
	}

	recolour() {
		this.colours.refresh();
		this.writeLegend();
		this.drawGraphs();
		this.timeline?.draw();
	}

	toggleKeys() {
		const box = byId("keys");
		box.hidden = !box.hidden;
		byId("help").setAttribute("aria-expanded", !box.hidden);
	}

	/* Showing: after each choice, what it changes. */

	select() {
		this.now.select(this.threads.mask, this.state.span, this.foldsIdle());
		this.selectBefore?.();
		this.joined?.join();
		this.press.idle(this.state.idle);
		this.threads.refresh();
		byId("all-threads").hidden = this.threads.isAll();
		writeVerdict(this.model, (weight) => this.setWeight(weight), (fn) => this.choose(fn));
		this.showAll();
		this.showWaits();
	}

	showAll() {
		const {weight} = this.state;
		this.press.weight(weight);
		this.press.colour(this.state.colour);
		this.press.layout(this.state.layout);
		this.showGraph(this.graph.zoomPath());
		this.writeMatch();
		this.writeLegend();
		this.showFlat();
		if (this.state.fn < 0)
			this.state.fn = this.heaviest();
		this.showFunction();
	}

	/* The first function of the summary, or else the one with the most weight of its own. */
	heaviest() {
		const {weight} = this.state, [first] = this.data.baseThreads ? [] : this.data.own;
		if (first !== undefined && this.model.entry(first))
			return first;
		const best = this.model.flat().reduce((a, b) =>
			!a || b.self[weight] > a.self[weight] ? b : a, null);
		return best ? best.fn : -1;
	}

	/* The data of the flame graph; in a comparison it may be both sides. */
	graphModel() {
		return this.state.side === "both" ? this.joined : this.model;
	}

	showGraph(path) {
		const {view, weight} = this.state, model = this.graphModel();
		this.press.view(view);
		this.graph.show(view === "callees" ? topDownTree(model, weight) : bottomUpTree(model, weight), path);
		const whole = model.whole(weight);
		byId("empty").hidden = whole > 0;
		byId("empty").textContent =
			`No ${weightName(weight)}${unitOf(weight) === "nanoseconds" ? " time" : ""} here.`;
		byId("graph").hidden = !(whole > 0);
		this.writePath();
	}

	/* The callers of what is zoomed to, each a way back. */
	writePath() {
		const {tree, zoomed} = this.graph, callers = [];
		for (let id = zoomed; id >= 0; id = tree.nodes[id].parent)
			callers.push(id);
		callers.reverse();
		const part = (id) => {
			const name = this.graph.nameOf(tree.nodes[id].fn);
			return id === zoomed ? nameOf(name)
				: button({class: "link name"}, name, () => this.graph.zoomTo(id));
		};
		const shown = callers.length > 6
			? [part(callers[0]), " \u203a \u2026", ...callers.slice(-4).map(part)] : callers.map(part);
		fill(byId("path"), ...shown.flatMap((part, i) => i && part instanceof Node ? [" \u203a ", part] : [part]));
		this.writeSelection();
	}

	writeSelection() {
		const {weight, span} = this.state, {tree, zoomed} = this.graph;
		const whole = this.graphModel().whole(weight), {total} = tree.nodes[zoomed];
		const words = [`${formatWeight(total, weight)} ${weightName(weight)}`];
		if (zoomed !== tree.root)
			words.push(formatPercent(total, whole));
		const chosen = this.threads.chosen().length;
		if (!this.threads.isAll())
			words.push(`${chosen} of ${plural(this.data.threads.length, "thread")}`);
		if (span)
			words.push(`${formatTime(span.from)} to ${formatTime(span.to)}, by samples`);
		byId("selection").textContent = words.join(" \u00b7 ");
	}

	writeMatch() {
		const {weight} = this.state, text = byId("search").value;
		if (!this.mask) {
			byId("match").textContent = text && text !== "@" ? "not a regular expression" : "";
			return;
		}
		const sum = this.model.matched(this.mask, weight);
		byId("match").textContent = `${formatPercent(sum, this.model.whole(weight))} matches ` +
			`(${formatWeight(sum, weight)})`;
		byId("match").dataset.value = sum;
	}

	writeLegend() {
		const items = {
			state: () => this.stateLegend(), module: () => this.moduleLegend(),
			change: () => [legendItem(this.colours.more, "more than before"),
				legendItem(this.colours.less, "less than before"), ...this.scaleLegend()],
		}[this.state.colour]();
		fill(byId("legend"), ...items);
	}

	/* The change of a frame, and the whole that it is part of. */
	changeOf(tree, id) {
		return [tree.totalIn(this.now, id) - this.baseScale(tree.weight) * tree.totalIn(this.before, id),
			this.now.whole(tree.weight)];
	}

	/* The factor for figures of the base: unless the comparison is absolute, both sides weigh the same. */
	baseScale(weight) {
		const base = this.before.whole(weight);
		return this.data.absolute || !base ? 1 : this.now.whole(weight) / base;
	}

	/* Why a change is not the difference of the two figures. */
	scaleLegend() {
		const scale = this.baseScale(this.state.weight);
		return Math.abs(scale - 1) < 0.005 ? [] : [element("span", {},
			`before counts ${scale.toFixed(2)} times, so that both weigh the same`)];
	}

	changeWords(tree, id) {
		const [change] = this.changeOf(tree, id), before = tree.totalIn(this.before, id);
		return `before ${formatWeight(before, tree.weight)}, ${change < 0 ? "less" : "more"} by ` +
			formatWeight(Math.abs(change), tree.weight);
	}

	/* Of a class of time all frames are of its colour. */
	stateLegend() {
		const {weight} = this.state;
		return CLASSES.filter((name) => name === weight || !CLASSES.includes(weight))
			.map((name) => legendItem(this.colours.frames[name], CLASS_NAMES[name]));
	}

	moduleLegend() {
		const {moduleNames} = this.data, {rank} = this.colours, used = new Set(this.data.functions.module);
		const order = [...rank.keys()].filter((module) => used.has(module))
			.sort((a, b) => rank[a] - rank[b]);
		const items = order.slice(0, LEGEND_MODULES).map((module) =>
			legendItem(this.colours.ofModule(module), moduleNames[module]));
		if (order.length > LEGEND_MODULES)
			items.push(element("span", {}, `and ${order.length - LEGEND_MODULES} more`));
		return items;
	}

	drawGraphs() {
		for (const graph of [this.graph, this.callers, this.callees])
			graph.draw();
	}

	showFlat() {
		const all = this.before ? this.comparedRows() : this.model.flat();
		const rows = this.mask ? all.filter((row) => this.mask[row.fn]) : all;
		byId("flat-hint").textContent = this.mask
			? `${formatCount(rows.length)} of ${formatCount(all.length)} match` : `${formatCount(all.length)}`;
		byId("flat-whole").textContent = `\u00b7 ${this.model.shareWords(this.state.weight)}`;
		this.flat.show(rows, this.state.fn);
	}

	/* The functions of both sides, each with what it was before. */
	comparedRows() {
		const rows = this.now.flat().map((row) =>
			({...row, before: this.before.entry(row.fn) || newEntry(row.fn)}));
		const gone = this.before.flat().filter((row) => !this.now.entry(row.fn));
		return rows.concat(gone.map((row) => ({...newEntry(row.fn), before: row})));
	}

	chosenTotal() {
		return this.model.entry(this.state.fn)?.total[this.state.weight] || 0;
	}

	showFunction() {
		const {fn, weight} = this.state, entry = this.model.entry(fn);
		byId("function-panel").hidden = fn < 0;
		if (fn < 0)
			return;
		this.writeFunction(fn, entry);
		const callers = callersTree(this.model, weight, fn);
		const callees = calleesTree(this.model, weight, fn);
		this.callers.show(callers);
		this.callers.box.scrollTop = this.callers.height;
		this.callees.show(callees);
		this.callerTable.show(neighbours(callers));
		this.calleeTable.show(neighbours(callees));
		this.showLines(fn);
	}

	writeFunction(fn, entry) {
		const {weight} = this.state, whole = this.model.busy(weight);
		byId("function-name").textContent = this.data.functions.name[fn];
		byId("function-place").textContent = placeOf(this.data, fn);
		const verdict = entry && verdictOf(entry.total);
		fill(byId("function-bar"), ...entry ? [classBar(entry.total)] : []);
		byId("function-figures").textContent = !entry
			? `Not in this selection${this.foldsIdle() ? ", or only in idle threads (w shows them)" : ""}.` :
			`self ${formatWeight(entry.self[weight], weight)} (${formatPercent(entry.self[weight], whole)}), ` +
			`total ${formatWeight(entry.total[weight], weight)} (${formatPercent(entry.total[weight], whole)}) ` +
			`of ${weightName(weight)}; total: ${classWords(entry.total)}; self: ${classWords(entry.self)}`;
		fill(byId("function-verdict"), ...verdict
			? [verdictCell(entry.total), ` ${verdict.advice}`] : []);
	}

	showLines(fn) {
		const lines = this.model.linesOf(fn), known = lines.some((entry) => entry.line);
		byId("lines-part").hidden = !known;
		byId("lines-file").textContent = this.data.functions.file[fn] || "";
		this.lines.show(lines);
	}

	showWaits() {
		const records = this.model.waits(), held = records.filter((record) => record.holder);
		this.waits.show(groupWaits(records, ({call, object, fn}) => JSON.stringify([call, object, fn])));
		this.holders.show(groupWaits(held, ({holder, thread}) => JSON.stringify([holder, thread])));
		byId("waits-whole").textContent = !records.length ? ""
			: `\u00b7 shares are of ${formatTime(this.model.whole("wait"))}` +
				(this.data.hasIdle ? ", with idle time" : "");
		byId("holders-panel").hidden = !held.length;
		byId("waits-panel").classList.toggle("alone", !held.length);
	}
}

function legendItem(colour, text) {
	const swatch = element("i");
	swatch.style.background = colour;
	return element("span", {}, swatch, nameOf(text, {class: ""}));
}

/* Where tests measure; nothing on the page uses it. */
window.sprof = new Page(decodeData(JSON.parse(byId("data").textContent)));
