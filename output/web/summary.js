/*
 * The top of the page in words: where the time went, and how far the figures can be trusted.
 */

const HEADLINES = [
	["wait", 50, "Mostly blocked"],
	["user", 50, "Mostly computing"],
	["sys", 30, "Busy in the kernel"],
	["runq", 20, "Short of CPUs"],
];

function writeFacts(data) {
	const {quality} = data, facts = [];
	const title = data.command === null ? "unknown program" : data.command;
	document.title = data.change ? `${data.change} - ${title} - sprof` : `${title} - sprof`;
	byId("command").textContent = byId("command").title = title;
	if (quality.target_pid)
		facts.push(`pid ${quality.target_pid}`);
	const threads = data.threads.slice(data.baseThreads);
	facts.push(plural(new Set(threads.map((thread) => thread.processIndex)).size, "process", "processes"));
	facts.push(plural(threads.length, "thread"));
	if (data.baseThreads)
		facts.push("compared with another profile");
	if (quality.duration_ns)
		facts.push(`${formatTime(quality.duration_ns)} at ${+quality.rate_hz.toPrecision(4)} Hz`);
	if (data.startMs)
		facts.push(new Date(data.startMs).toISOString().replace("T", " ").slice(0, 19) + " UTC");
	byId("facts").textContent = facts.join(" \u00b7 ");
}

/* One card per class: how much, and which function most of it is. */
function writeVerdict(model, onWeight, onChoose) {
	const whole = model.busy("wall"), metrics = {};
	for (const weight of COLUMNS)
		metrics[weight] = model.busy(weight);
	byId("cards").hidden = byId("whole-bar").hidden = !whole;
	writeAnswer(model);
	const found = HEADLINES.find(([name, above]) => percentOf(metrics[name], whole) > above);
	const [first] = answerOf(model);
	byId("headline").textContent = model.data.change ? model.data.change : first ? first : whole
		? `${found ? found[2] : "A bit of everything"}: ${headlineReason(model, metrics, found)}`
		: model.data.weight === "value"
			? `${formatWeight(metrics.value, "value")} of ${weightName("value")} in all.`
			: "No time was accounted to this selection.";
	fill(byId("whole-bar"), classBar(metrics, {class: "bar large"}));
	fill(byId("cards"), ...CLASSES.map((name) => classCard(model, name, metrics, onWeight, onChoose)));
}

/* The sentences of the summary; only for a whole run, not for a comparison. */
function answerOf(model) {
	const {data} = model, isAll = !model.span && model.threads.every((chosen) => chosen);
	return isAll && !data.baseThreads ? data.answer : [];
}

/* "count 44.8 %, parse 3.1 %": the program's own functions, with the shares that the summary has. */
function ownWords({own, functions}) {
	const words = [];
	for (let i = 0; i < own.length; i += 2)
		words.push(`${functions.name[own[i]]} ${(own[i + 1] / 10).toFixed(1)} %`);
	return words.join(", ");
}

function writeAnswer(model) {
	const [first, ...others] = answerOf(model), words = others.map((sentence) => element("li", {}, nameOf(sentence, {class: ""})));
	const box = byId("answer"), {idle, cost, own} = model.data;
	if (first && idle > 0)
		words.push(element("li", {}, `Shares are of the time in which threads were not idle; ${formatTime(idle)} ` +
			"they waited for work. That is [idle] in the graph while idle threads are folded."));
	if (first && own.length)
		words.push(element("li", {}, `Of that time, with what they call in libraries: ${ownWords(model.data)}.`));
	if (first && cost)
		words.push(element("li", {}, `${cost}.`));
	box.hidden = !words.length;
	fill(box, ...words);
}

function headlineReason(model, metrics, found) {
	const name = found ? found[0] : "user";
	const verb = {wait: "blocked", user: "in user code", sys: "in the kernel",
		runq: "ready to run but without a CPU"}[name];
	return `${formatPercent(metrics[name], metrics.wall)} of ${formatTime(metrics.wall)} ` +
		`of ${model.leavesOutIdle() ? "busy " : ""}thread time was spent ${verb}.`;
}

function classCard(model, name, metrics, onWeight, onChoose) {
	const best = model.heaviestOwner(name);
	const card = element("div", {class: `card ${name}`, "data-class": name},
		button({class: "card-title", title: `Weigh everything by ${name} time`},
			CLASS_NAMES[name], () => onWeight(name)),
		element("span", {class: "share"}, formatPercent(metrics[name], metrics.wall)),
		element("span", {class: "amount"}, formatTime(metrics[name])));
	if (best && percentOf(best.sum, metrics.wall) >= 0.05) {
		const fn = model.data.functions.name[best.fn];
		card.append(element("span", {class: "most"},
			`${formatPercent(best.sum, metrics[name])} in `,
			button({class: "link name", title: fn}, fn, () => onChoose(best.fn))));
	}
	return card;
}

/* What lowers the trust in the figures, worst first; each is a limit and its words. */
function doubts(quality) {
	const found = [], stacks = quality.stacks_complete + quality.stacks_truncated;
	const cut = percentOf(quality.stacks_truncated, stacks);
	const late = percentOf(quality.ticks_late + quality.ticks_missed,
		quality.ticks + quality.ticks_missed);
	if (quality.samples < 200)
		found.push([2, `only ${plural(quality.samples, "sample")}: a share of 10 % is uncertain ` +
			`by ${(60 / Math.sqrt(Math.max(quality.samples, 1))).toFixed(0)} points`]);
	if (cut > 1)
		found.push([cut > 10 ? 2 : 1, `${cut.toFixed(1)} % of the stacks end early`]);
	if (late > 2)
		found.push([late > 20 ? 2 : 1, `${late.toFixed(1)} % of the ticks were late or missed`]);
	if (quality.frames_unresolved && percentOf(quality.frames_unresolved, quality.frames) > 0.1)
		found.push([1, `${plural(quality.frames_unresolved, "address has", "addresses have")} ` +
			"no name: install the debug symbols of the module"]);
	const estimate = percentOf(quality.estimated_ns, quality.running_ns);
	if (estimate > 5)
		found.push([estimate > 50 ? 2 : 1, `${estimate.toFixed(0)} % of the CPU and run-queue time is an estimate: ` +
			"its threads have no sample of it"]);
	if (quality.samples_folded)
		found.push([percentOf(quality.samples_folded, quality.samples) > 10 ? 2 : 1,
			`${formatPercent(quality.samples_folded, quality.samples)} of the samples are ` +
			"[other]: there were more stacks than --max-stacks"]);
	if (quality.schedstat_missing)
		found.push([1, "time waiting for a CPU is unknown: this kernel does not record it"]);
	return found.sort((a, b) => b[0] - a[0]);
}

function stoppedShare(quality) {
	return quality.duration_ns
		? `${percentOf(quality.stop_ns_total, quality.duration_ns).toFixed(2)} % of the run`
		: formatTime(quality.stop_ns_total);
}

function writeQuality(data) {
	const {quality} = data, found = doubts(quality);
	byId("quality").hidden = !quality.samples; /* unknown in another tool's profile */
	const level = Math.max(0, ...found.map(([weight]) => weight));
	const word = ["Good", "Fair", "Poor"][level];
	byId("quality").dataset.level = word.toLowerCase();
	byId("quality-word").textContent = `${word} quality`;
	byId("quality-summary").textContent = found.length ? found.map(([, words]) => words).join("; ")
		: `${plural(quality.samples, "sample")}, all stacks whole, target stopped for ` +
			stoppedShare(quality);
	fill(byId("quality-figures"), ...[...qualityFigures(quality), ...data.gaps.map(gapFigure)]
		.flatMap(([name, words]) => [element("dt", {}, name), element("dd", {}, nameOf(words, {class: ""}))]));
}

/* A module without names, and how to get them. */
function gapFigure(gap) {
	return ["no names", `${gap.module}: ${plural(gap.addresses, "address", "addresses")} in ` +
		`${plural(gap.samples, "sample")}` + (gap.why ? `; ${gap.why}` : "") +
		(gap.help ? `; ${gap.help}` : "")];
}

function qualityFigures(quality) {
	const reasons = Object.entries(quality.truncated_reasons)
		.map(([reason, count]) => `${formatCount(count)} ${reason}`).join(", ");
	const stacks = quality.stacks_complete + quality.stacks_truncated;
	return [
		["ticks", `${formatCount(quality.ticks)} taken, ${formatCount(quality.ticks_late)} late, ` +
			`${formatCount(quality.ticks_missed)} missed` + (quality.ticks_held_back
				? `, ${formatCount(quality.ticks_held_back)} held back` : "")],
		["samples", `${formatCount(quality.samples)}: ` + (quality.samples_by_kernel
			? `${formatCount(quality.samples_by_kernel)} by the kernel, ` : "") +
			`${formatCount(quality.samples_stopped)} by a stop, ${formatCount(quality.samples_peeked)} by a peek, ` +
			`${formatCount(quality.samples_reused)} reused` + (quality.samples_lost
				? `; ${formatCount(quality.samples_lost)} lost` : "") + (quality.timers_refused
				? `; the kernel gave ${plural(quality.timers_refused, "thread")} no timer` : "") + (quality.timers_unfit
				? `; no timers for ${plural(quality.timers_unfit, "thread")} of Go or Python` : "")],
		["stacks", `${formatPercent(quality.stacks_complete, stacks)} complete` +
			(reasons ? `; cut: ${reasons}` : "")],
		["target stopped", `${plural(quality.stops, "time")}, ${formatTime(quality.stop_ns_total)} ` +
			`in all (${stoppedShare(quality)}); p50 ${formatTime(quality.stop_ns_p50)}, ` +
			`p99 ${formatTime(quality.stop_ns_p99)}, longest ${formatTime(quality.stop_ns_max)}`],
		["own CPU", `${formatTime(quality.profiler_cpu_ns)}, unwinding ` +
			`${formatTime(quality.unwind_ns_total)} of it`],
		["unresolved", plural(quality.frames_unresolved, "address", "addresses") + " without a name"],
	];
}

const LISTED_FIRST = 12; /* threads, before all of them are asked for */

/*
 * The threads by process, each with its bar; the boxes select those that count. If there are many,
 * the most active ones are shown at first.
 */
class ThreadList {
	constructor(box, more, data, onChange) {
		this.data = data;
		this.mask = new Uint8Array(data.threads.length).fill(1, data.baseThreads);
		this.onChange = onChange;
		this.boxes = [];
		const rows = [], processes = new Map();
		for (let i = data.baseThreads; i < data.threads.length; i++) {
			const key = data.threads[i].processIndex;
			if (!processes.has(key))
				processes.set(key, []);
			processes.get(key).push(i);
		}
		this.first = new Set([...processes.values()].flat().map((i) => [i, activityOf(data.threads[i])])
			.sort(([, a], [, b]) => b[0] - a[0] || b[1] - a[1]).slice(0, LISTED_FIRST).map(([i]) => i));
		this.longest = data.threads.reduce((most, {rows: list}) => Math.max(most, sumOfRows(list).wall), 1);
		for (const members of processes.values())
			rows.push(...this.processRows(members, processes.size > 1));
		fill(box, ...rows);
		this.buildFolding(box, more);
	}

	buildFolding(box, more) {
		const hidden = this.data.threads.length - this.data.baseThreads - this.first.size;
		this.fold = (folded) => {
			box.classList.toggle("folded", folded);
			more.textContent = folded ? `${plural(hidden, "more thread")}` : "fewer threads";
		};
		more.hidden = hidden <= 0;
		more.addEventListener("click", () => this.fold(!box.classList.contains("folded")));
		this.fold(hidden > 0);
	}

	processRows(members, several) {
		const first = this.data.threads[members[0]], rows = [];
		if (several)
			rows.push(element("div", {class: members.some((i) => this.first.has(i)) ? "process" : "process rest"},
				button({class: "link", title: "Only this process"}, `pid ${first.pid}`,
					() => this.only(members)), " ", nameOf(first.process)));
		return rows.concat(members.map((i) => this.threadRow(i)));
	}

	threadRow(index) {
		const thread = this.data.threads[index], sums = sumOfRows(thread.rows);
		const box = element("input", {type: "checkbox", checked: true,
			"aria-label": `thread ${thread.tid} counts`});
		const bar = classBar(sums, {class: "bar"});
		box.addEventListener("change", () => this.set(index, box.checked));
		this.boxes[index] = box;
		bar.style.width = `${100 * sums.wall / this.longest}%`;
		return element("div", {class: this.first.has(index) ? "thread" : "thread rest", "data-tid": thread.tid}, box,
			button({class: "link thread-name", title: "Only this thread"}, "", () =>
				this.only([index])),
			element("span", {class: "tid"}, thread.tid), element("span", {class: "track"}, bar),
			element("span", {class: "number"}, formatTime(sums.wall)));
	}

	writeNames() {
		this.boxes.forEach((box, i) =>
			box.nextSibling.replaceChildren(nameOf(this.data.threads[i].name)));
	}

	set(index, chosen) {
		this.mask[index] = chosen;
		this.onChange();
	}

	/* Selects these alone; if they already are, selects all again. */
	only(members) {
		const chosen = this.chosen();
		const same = chosen.length === members.length && chosen.every((i) => members.includes(i));
		this.mask.fill(same ? 1 : 0, this.data.baseThreads);
		for (const i of members)
			this.mask[i] = 1;
		if (!members.some((i) => this.first.has(i)))
			this.fold(false);
		this.onChange();
	}

	all() {
		this.mask.fill(1, this.data.baseThreads);
		this.onChange();
	}

	isAll() {
		return this.chosen().length === this.data.threads.length - this.data.baseThreads;
	}

	chosen() {
		return [...this.mask.keys()].filter((i) => this.mask[i]);
	}

	refresh() {
		this.boxes.forEach((box, i) => {
			box.checked = Boolean(this.mask[i]);
			box.closest(".thread").classList.toggle("off", !this.mask[i]);
		});
	}
}

function sumOfRows(rows) {
	const sums = zeroSums();
	for (const field of ROW_FIELDS) {
		for (let i = 0; i < rows[field].length; i++)
			sums[field] += rows[field][i];
	}
	sums.wall = sums.user + sums.sys + sums.runq + sums.wait + sums.stolen;
	return sums;
}
