/*
 * The timeline: a row per thread, coloured by state over time, for the most active threads; the
 * others have one row per process. Dragging chooses a span, a click on a row shows its threads alone.
 * Drawn once per size; the choice is a box above it.
 */

const LANE = 19;          /* px from one thread to the next */
const SMALLEST_LANE = 2;
const NAMED_LANE = 12;    /* room for a name */
const HEIGHT_MAX = 20000; /* px; browsers draw nothing on a canvas that is much larger */
const AXIS_HEIGHT = 18;
const LABEL_WIDTH = 150;
const LABEL_SHARE = 0.3;  /* of a narrow window, at most */
const LANES_FIRST = 16;   /* rows, before all of them are asked for */
const LETTERS = 22;       /* of a label */

class Timeline {
	constructor(box, data, colours, {onSpan, onThreads}) {
		Object.assign(this, {box, data, colours, onSpan, onThreads});
		this.end = data.timeline.reduce((end, runs) => Math.max(end, runs.end), 1);
		this.isWhole = false;
		this.arrange();
		this.canvas = element("canvas", {tabindex: 0, role: "application", "aria-label":
			"Timeline. Left and right move the chosen span, Shift widens it, Escape shows all."});
		this.mark = element("div", {class: "timeline-span", hidden: true});
		fill(box, this.canvas, this.mark);
		this.canvas.addEventListener("pointerdown", (event) => this.press(event));
		this.canvas.addEventListener("pointermove", (event) => this.drag(event));
		this.canvas.addEventListener("pointerup", (event) => this.release(event));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		new ResizeObserver(() => this.draw()).observe(box);
	}

	/* Which rows there are, and how high they may be. */
	arrange() {
		const lanes = this.isWhole ? listedThreads(this.data).map((i) => this.laneOf([i]))
			: foldLanes(this.data).map((threads) => this.laneOf(threads));
		this.lanes = lanes.slice(0, HEIGHT_MAX / SMALLEST_LANE);
		this.lane = Math.max(SMALLEST_LANE, Math.min(LANE, Math.floor(HEIGHT_MAX / this.lanes.length)));
	}

	/* Whether a row has several threads. */
	isFolded() {
		return this.lanes.some(({threads}) => threads.length > 1);
	}

	showAll(isWhole) {
		this.isWhole = isWhole;
		this.arrange();
		this.draw();
	}

	laneOf(threads) {
		const first = this.data.threads[threads[0]], {threads: all} = this.data;
		if (threads.length === 1) {
			const isTwice = all.some(({name, pid}) => name === first.name && pid !== first.pid);
			return {threads, label: `${first.name} ${first.tid}` +
				(isTwice && first.tid !== first.pid ? ` of ${first.pid}` : "")};
		}
		const isOne = threads.every((i) => all[i].pid === first.pid);
		return {threads, label: isOne ? `${threads.length} more of ${commandOf(first)} ${first.pid}`
			: `${threads.length} more threads`};
	}

	draw() {
		this.labelWidth = Math.min(LABEL_WIDTH, LABEL_SHARE * this.box.clientWidth);
		this.width = Math.max(50, this.box.clientWidth - this.labelWidth);
		this.height = this.lanes.length * this.lane + AXIS_HEIGHT;
		this.context = fitCanvas(this.canvas, this.width + this.labelWidth, this.height);
		this.context.font = "11.5px system-ui, sans-serif";
		this.context.textBaseline = "middle";
		this.lanes.forEach((lane, i) => this.drawLane(lane, i));
		this.drawAxis();
		this.placeMark();
	}

	drawLane({threads, label}, index) {
		const y = index * this.lane, context = this.context;
		context.fillStyle = this.colours.text;
		if (this.lane >= NAMED_LANE)
			context.fillText(label.length > LETTERS ? label.slice(0, LETTERS - 1) + "\u2026" : label, 4,
				y + this.lane / 2 - 1, this.labelWidth - 10);
		if (threads.length === 1)
			this.drawRuns(this.data.timeline[threads[0]], this.data.threads[threads[0]].rows.shade, y);
		else
			this.drawTogether(threads, y);
	}

	/* Of several threads: the class that most of them are in, but blocked only where none is anything else. */
	drawTogether(threads, y) {
		const fills = CLASSES.map(() => new Float64Array(Math.ceil(this.width) + 1));
		for (const thread of threads)
			this.addRuns(fills, this.data.timeline[thread], this.data.threads[thread].rows.shade);
		const blocked = CLASSES.indexOf("wait");
		for (let column = 0; column < this.width; column++) {
			const of = fills.map((fill, shade) => shade === blocked ? 0 : fill[column]);
			const most = Math.max(...of);
			if (most > 0 || fills[blocked][column] > 0)
				this.drawSpan(column, column + 1, most > 0 ? of.indexOf(most) : blocked, y);
		}
	}

	addRuns(fills, runs, shades) {
		const scale = this.width / this.end;
		for (let i = 0; i < runs.count; i++) {
			if (runs.row[i] < 0)
				continue;
			const fill = fills[shades[runs.row[i]]], to = (runs.start[i] + runs.length[i]) * scale;
			for (let column = Math.floor(runs.start[i] * scale); column < to; column++)
				fill[column] += Math.min(to, column + 1) - Math.max(runs.start[i] * scale, column);
		}
	}

	/* Runs narrower than a pixel share it: the class that fills most of a pixel colours it. */
	drawRuns(runs, shades, y) {
		const scale = this.width / this.end, fills = new Float64Array(CLASSES.length);
		let column = -1;
		for (let i = 0; i < runs.count; i++) {
			const from = runs.start[i] * scale, to = from + runs.length[i] * scale;
			if (runs.row[i] < 0)
				continue;
			if (to - from >= 1) {
				this.drawColumn(column, fills, y);
				column = -1;
				this.drawSpan(from, to, shades[runs.row[i]], y);
				continue;
			}
			if (Math.floor(from) !== column) {
				this.drawColumn(column, fills, y);
				column = Math.floor(from);
			}
			fills[shades[runs.row[i]]] += to - from;
		}
		this.drawColumn(column, fills, y);
	}

	drawColumn(column, fills, y) {
		if (column >= 0)
			this.drawSpan(column, column + 1, fills.indexOf(Math.max(...fills)), y);
		fills.fill(0);
	}

	drawSpan(from, to, shade, y) {
		this.context.fillStyle = this.colours.classes[CLASSES[shade]];
		this.context.globalAlpha = CLASSES[shade] === "wait" ? 0.45 : 1;
		const left = Math.round(from); /* whole pixels: no seams between runs of one colour */
		this.context.fillRect(this.labelWidth + left, y, Math.max(1, Math.round(to) - left), this.lane - (this.lane > 4 ? 3 : 0));
		this.context.globalAlpha = 1;
	}

	drawAxis() {
		const y = this.height - AXIS_HEIGHT / 2, step = niceStep(this.end / (this.width / 110));
		this.context.fillStyle = this.colours.text;
		for (let time = 0; time <= this.end; time += step) {
			const x = this.labelWidth + time * this.width / this.end;
			this.context.fillRect(x, this.height - AXIS_HEIGHT, 1, 4);
			if (x + 3 + this.context.measureText(formatTime(time)).width < this.labelWidth + this.width)
				this.context.fillText(formatTime(time), x + 3, y + 2);
		}
	}

	timeAt(event) {
		const x = event.clientX - this.canvas.getBoundingClientRect().left - this.labelWidth;
		return Math.min(Math.max(x / this.width, 0), 1) * this.end;
	}

	press(event) {
		this.anchor = {time: this.timeAt(event), x: event.clientX};
		this.canvas.setPointerCapture(event.pointerId);
	}

	drag(event) {
		if (!this.anchor || Math.abs(event.clientX - this.anchor.x) < 3)
			return;
		const time = this.timeAt(event);
		this.span = {from: Math.min(time, this.anchor.time), to: Math.max(time, this.anchor.time)};
		this.placeMark();
	}

	release(event) {
		const moved = Math.abs(event.clientX - this.anchor.x) >= 3;
		this.anchor = null;
		if (moved)
			this.onSpan(this.span);
		else
			this.clickLane(event);
	}

	clickLane(event) {
		const y = event.clientY - this.canvas.getBoundingClientRect().top;
		const lane = Math.floor(y / this.lane);
		if (lane < this.lanes.length)
			this.onThreads(this.lanes[lane].threads);
	}

	setSpan(span) {
		this.span = span;
		this.placeMark();
	}

	placeMark() {
		this.mark.hidden = !this.span;
		if (!this.span)
			return;
		this.mark.dataset.from = this.span.from;
		this.mark.dataset.to = this.span.to;
		const scale = this.width / this.end;
		this.mark.style.left = `${this.labelWidth + this.span.from * scale}px`;
		this.mark.style.width = `${Math.max(2, (this.span.to - this.span.from) * scale)}px`;
	}

	key(event) {
		const step = this.end / 50, direction = {ArrowLeft: -1, ArrowRight: 1}[event.key];
		if (event.key === "Escape" && this.span) {
			this.onSpan(null);
		} else if (direction) {
			const span = this.span || {from: 0, to: this.end / 10};
			const from = event.shiftKey ? span.from : span.from + direction * step;
			this.onSpan(clampSpan(from, span.to + direction * step, step, this.end));
		} else {
			return;
		}
		event.preventDefault();
	}
}

/* A span of at least `least`, inside of the whole. */
function clampSpan(from, to, least, end) {
	const start = Math.min(Math.max(from, 0), end - least);
	return {from: start, to: Math.min(Math.max(to, start + least), end)};
}

/* 1, 2 or 5 times a power of ten, at least the given time. */
function niceStep(least) {
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
}

/* What is said beside the timeline, or in place of it; empty: there is nothing to show. */
function timelineHint({timeline, timelineCut, weights, baseThreads, quality}) {
	if (timelineCut)
		return `it ends after ${formatTime(timelineCut)}, when there were more changes than the timeline keeps`;
	if (timeline)
		return "drag to choose a span, click a thread to see it alone";
	if (weights[0] === "value" || baseThreads || !quality.samples)
		return "";
	return "There is none, because this profile has no times of its samples: record with --time-slices 100ms to keep " +
		"them in a file, or write the page at once with -o page.html.";
}

function commandOf(thread) {
	return thread.process.split(" ")[0].split("/").pop();
}

/* Without the threads of the base profile. */
function listedThreads(data) {
	return [...data.threads.keys()].slice(data.baseThreads);
}

/* What a thread did, waiting apart: by this rows are sorted. */
function activityOf({rows}) {
	const sums = sumOfRows(rows);
	return [sums.user + sums.sys + sums.runq + sums.stolen, sums.wall];
}

/*
 * The threads of each row: the most active ones alone, in the order of the profile; the others by process,
 * and those of the last processes together, if there were too many rows else.
 */
function foldLanes(data) {
	const all = listedThreads(data);
	if (all.length <= LANES_FIRST)
		return all.map((i) => [i]);
	const activity = data.threads.map(activityOf);
	const order = [...all].sort((a, b) => activity[b][0] - activity[a][0] || activity[b][1] - activity[a][1]);
	const alone = new Set(order.slice(0, LANES_FIRST - 4)), folded = new Map();
	for (const i of order.slice(LANES_FIRST - 4)) {
		const key = data.threads[i].processIndex;
		folded.set(key, [...folded.get(key) || [], i]);
	}
	const groups = [...folded.values()];
	const lanes = groups.length > 4 ? [...groups.slice(0, 3), groups.slice(3).flat()] : groups;
	return [...all.filter((i) => alone.has(i)).map((i) => [i]), ...lanes];
}
