/*
 * The flame graph: a function tree on a canvas that is as large as its visible part and moves along
 * when its box is scrolled. Frames too narrow to be seen are skipped; those skipped in a row show as
 * one grey strip.
 */

const ROW_HEIGHT = 19;
const MIN_WIDTH = 0.6;  /* px: narrower frames are left out */
const THIN = 0.01;     /* of the width: rows with less at the end are seen by scrolling only */
const MIN_LABEL = 26;   /* px: narrower frames have no text */
const IDLE_MOST = 0.1;  /* of the width, for the block of idle threads: the rest is for what was done */
const FONT = "11.5px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace";

class FlameGraph {
	/*
	 * box: the element that scrolls. options: colours, data, label (for screen readers),
	 * onChoose(fn), onZoom(graph), tooltip, colourBy(), isMatch(fn) and changeOf(tree, id), which
	 * gives a change and the whole that it is part of.
	 */
	constructor(box, options) {
		Object.assign(this, {minWidth: MIN_WIDTH}, options);
		this.box = box;
		this.canvas = element("canvas", {tabindex: 0, role: "application",
			"aria-label": `${this.label}. Arrow keys move, Enter zooms in, Escape zooms out.`});
		this.space = element("div", {class: "graph-space"});
		this.cursorBox = element("div", {class: "graph-cursor", hidden: true});
		this.hoverBox = element("div", {class: "graph-hover", hidden: true});
		fill(box, this.canvas, this.space, this.cursorBox, this.hoverBox);
		this.upsideDown = false;
		this.listen();
	}

	listen() {
		this.box.addEventListener("scroll", () => this.box.scrollTop === this.drawnAt || this.draw());
		new ResizeObserver(() => this.resize()).observe(this.box);
		this.canvas.addEventListener("mousemove", (event) => this.hover(event));
		this.canvas.addEventListener("mouseleave", () => this.leave());
		this.canvas.addEventListener("click", (event) => this.click(event));
		this.canvas.addEventListener("dblclick", () => this.zoomTo(this.cursor));
		this.canvas.addEventListener("keydown", (event) => this.key(event));
		this.canvas.addEventListener("focus", () => this.placeCursor(true));
		this.canvas.addEventListener("blur", () => this.tooltip.hide());
	}

	/* Shows a tree; stays where it was zoomed to when the new tree has that path too. */
	show(tree, path = []) {
		this.tree = tree;
		this.zoomed = tree.find(path);
		this.cursor = this.zoomed;
		this.layOut();
	}

	zoomPath() {
		return this.tree ? this.tree.path(this.zoomed) : [];
	}

	zoomTo(id) {
		if (id === this.zoomed || id === undefined)
			return;
		this.zoomed = id;
		this.cursor = id;
		this.layOut();
		if (this.box.scrollTop && !this.upsideDown)
			this.box.scrollTop = 0;
		this.onZoom(this);
	}

	/* The height follows from the layout itself; only a new width needs another one. */
	resize() {
		if (this.box.clientWidth !== this.width)
			this.layOut();
		else if (this.visibleHeight() !== this.drawnHeight)
			this.draw();
	}

	visibleHeight() {
		return Math.min(this.box.clientHeight, this.height);
	}

	/* The rectangles of all frames wide enough: first the zoomed one's callers, then itself and
	 * below. */
	layOut() {
		if (!this.tree)
			return;
		this.width = this.box.clientWidth;
		this.rects = [];
		this.rows = [];
		let above = this.tree.nodes[this.zoomed].parent;
		while (above >= 0) {
			this.addRect(above, 0, this.width, true);
			above = this.tree.nodes[above].parent;
		}
		if (this.tree.nodes[this.zoomed].total > 0)
			this.layOutBelow();
		this.height = Math.max(1, this.rows.length) * ROW_HEIGHT;
		/* The style sheet says how much at most. */
		this.box.style.height = `${this.countWideRows() * ROW_HEIGHT}px`;
		this.space.style.height = `${this.height}px`;
		this.draw();
		this.placeCursor(false);
		this.hoverBox.hidden = true;
	}

	/* Rows get narrower: one deep and thin stack would leave a white hole beside it. */
	countWideRows() {
		const widthOf = (row) => row.reduce((sum, {width}) => sum + width, 0);
		let count = Math.max(1, this.rows.length);
		while (count > 1 && widthOf(this.rows[count - 1]) < THIN * this.width)
			count--;
		return count;
	}

	/* How wide a weight is, and the block of idle threads, which would take the place of all else. */
	scales() {
		const whole = this.tree.nodes[this.zoomed].total, most = IDLE_MOST * this.width;
		const block = this.tree.children(this.zoomed).find((id) => this.isIdle(id));
		const idle = block === undefined ? 0 : this.tree.nodes[block].total, rest = whole - idle;
		this.isNarrowed = rest > 0 && idle / whole > IDLE_MOST;
		return this.isNarrowed ? {scale: (this.width - most) / rest, idleScale: most / idle}
			: {scale: this.width / whole, idleScale: this.width / whole};
	}

	isIdle(id) {
		return this.tree.nodes[id].fn === this.data.idleFn;
	}

	layOutBelow() {
		const open = [this.addRect(this.zoomed, 0, this.width, false)], {scale, idleScale} = this.scales();
		while (open.length) {
			const rect = open.pop();
			let x = rect.x, left = 0;
			for (const child of this.tree.children(rect.id)) {
				const width = this.tree.nodes[child].total * (this.isIdle(child) ? idleScale : scale);
				if (width < this.minWidth) {
					left += width;
					continue;
				}
				open.push(this.addRect(child, x, width, false));
				x += width;
			}
			if (left >= this.minWidth)
				this.addRect(-1, x, left, false, rect.depth + 1);
		}
	}

	addRect(id, x, width, isAbove, depth = this.tree.nodes[id].depth) {
		const rect = {id, x, width, depth, isAbove};
		this.rects.push(rect);
		(this.rows[depth] ||= []).push(rect);
		return rect;
	}

	/* Top edge of a row, from the top of the whole graph. */
	topOf(depth) {
		return (this.upsideDown ? this.rows.length - 1 - depth : depth) * ROW_HEIGHT;
	}

	draw() {
		if (!this.tree)
			return;
		const visible = this.visibleHeight();
		const scroll = Math.min(this.box.scrollTop, Math.max(0, this.height - visible));
		const context = fitCanvas(this.canvas, this.width, visible);
		this.drawnHeight = visible;
		this.drawnAt = this.box.scrollTop;
		context.font = FONT;
		context.textBaseline = "middle";
		this.letter = context.measureText("M").width;
		for (const rect of this.rects) {
			const y = this.topOf(rect.depth) - scroll;
			if (y > -ROW_HEIGHT && y < visible)
				this.drawRect(context, rect, y);
		}
	}

	drawRect(context, rect, y) {
		const gap = rect.width > 3 ? 1 : rect.width > 1.5 ? 0.4 : 0;
		const width = Math.max(rect.width - gap, 0.5), height = ROW_HEIGHT - 1;

		context.globalAlpha = rect.isAbove ? 0.55 : 1;
		if (rect.id < 0) {
			context.fillStyle = this.colours.grey;
			context.globalAlpha = 0.5;
			context.fillRect(rect.x, y, width, height);
			return;
		}
		const fn = this.tree.nodes[rect.id].fn;
		const matching = fn < 0 ? null : this.isMatch(fn);
		if (matching === false)
			context.globalAlpha = 0.28;
		this.paint(context, rect, fn, y, width, height);
		if (matching === true)
			this.outline(context, rect.x, y, width, height);
		if (rect.width >= MIN_LABEL)
			this.drawLabel(context, rect, y);
		context.globalAlpha = 1;
	}

	paint(context, rect, fn, y, width, height) {
		const colourBy = this.colourBy();
		const isPlain = fn < 0 || this.isIdle(rect.id);
		if (!isPlain && colourBy === "state") {
			this.paintStates(context, rect, y, width, height);
			return;
		}
		context.fillStyle = isPlain ? this.colours.faint
			: colourBy === "change" ? this.colours.ofChange(...this.changeOf(this.tree, rect.id))
				: this.colours.ofFunction(fn);
		context.fillRect(rect.x, y, width, height);
	}

	/* A frame by state is as wide in each colour as its time in that state; of one class of time, it has one. */
	paintStates(context, rect, y, width, height) {
		const node = this.tree.nodes[rect.id], metrics = node.metrics ||= this.tree.metrics(rect.id);
		const {weight} = this.tree, isOne = CLASSES.includes(weight), whole = isOne ? metrics[weight] : metrics.wall;
		let x = rect.x;
		if (!whole) {
			context.fillStyle = this.colours.grey;
			context.fillRect(x, y, width, height);
		}
		for (const name of isOne ? [weight] : CLASSES) {
			const part = whole ? width * metrics[name] / whole : 0;
			if (part < 0.05)
				continue;
			context.fillStyle = this.colours.frames[name];
			context.fillRect(x, y, part, height);
			x += part;
		}
	}

	outline(context, x, y, width, height) {
		context.fillStyle = this.colours.match;
		if (width < 5) {
			context.fillRect(x, y, width, height);
			return;
		}
		context.fillRect(x, y + height - 3, width, 3);
	}

	drawLabel(context, rect, y) {
		const name = this.labelOf(rect.id), room = rect.width - 9;
		const letters = Math.floor(room / this.letter);
		if (letters < 2)
			return;
		const text = name.length > letters ? name.slice(0, letters - 1) + "\u2026" : name;
		context.fillStyle = this.colours.text;
		context.fillText(text, rect.x + 4, y + ROW_HEIGHT / 2, room);
	}

	labelOf(id) {
		return this.nameOf(this.tree.nodes[id].fn) + this.tree.markOf(id);
	}

	nameOf(fn) {
		return fn < 0 ? this.rootName : this.data.functions.name[fn];
	}

	/* The rectangle below a mouse event. */
	at(event) {
		const bounds = this.canvas.getBoundingClientRect();
		const x = event.clientX - bounds.left;
		const y = event.clientY - bounds.top + this.box.scrollTop;
		const row = Math.floor(y / ROW_HEIGHT);
		const depth = this.upsideDown ? this.rows.length - 1 - row : row;
		return (this.rows[depth] || []).find((rect) =>
			rect.id >= 0 && x >= rect.x && x < rect.x + rect.width);
	}

	hover(event) {
		const rect = this.at(event);
		if (!rect) {
			this.leave();
			return;
		}
		this.canvas.style.cursor = "pointer";
		this.placeBox(this.hoverBox, rect);
		this.tooltip.show(this, rect.id, event.clientX, event.clientY);
	}

	leave() {
		this.canvas.style.cursor = "default";
		this.hoverBox.hidden = true;
		this.tooltip.hide();
	}

	click(event) {
		const rect = this.at(event);
		if (rect)
			this.choose(rect.id);
	}

	choose(id) {
		const {fn} = this.tree.nodes[id];
		this.cursor = id;
		this.placeCursor(false);
		if (id !== this.zoomed)
			this.zoomTo(id);
		if (fn >= 0)
			this.onChoose(fn);
	}

	placeBox(box, rect) {
		box.hidden = false;
		box.style.left = `${rect.x}px`;
		box.style.top = `${this.topOf(rect.depth)}px`;
		box.style.width = `${Math.max(rect.width, 2)}px`;
		box.style.height = `${ROW_HEIGHT}px`;
	}

	rectOf(id) {
		return (this.rows[this.tree.nodes[id].depth] || []).find((rect) => rect.id === id);
	}

	/* Marks where the keyboard is, and says what is there. */
	placeCursor(tell) {
		const rect = this.tree && this.rectOf(this.cursor);
		this.cursorBox.hidden = !rect;
		if (!rect)
			return;
		this.placeBox(this.cursorBox, rect);
		if (!tell)
			return;
		this.scrollTo(rect);
		const bounds = this.canvas.getBoundingClientRect();
		this.tooltip.show(this, this.cursor, bounds.left + Math.min(rect.x + 20, this.width - 40),
			bounds.top + this.topOf(rect.depth) - this.box.scrollTop + ROW_HEIGHT);
	}

	scrollTo(rect) {
		const top = this.topOf(rect.depth);
		if (top < this.box.scrollTop)
			this.box.scrollTop = top;
		else if (top + ROW_HEIGHT > this.box.scrollTop + this.box.clientHeight)
			this.box.scrollTop = top + ROW_HEIGHT - this.box.clientHeight;
	}

	key(event) {
		const move = this.moveFor(event.key);
		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		if (move !== undefined) {
			if (move >= 0 && this.rectOf(move))
				this.cursor = move;
			this.placeCursor(true);
		} else if (event.key === "Enter" || event.key === " ") {
			this.choose(this.cursor);
			this.placeCursor(true);
		} else if (event.key === "Escape" || event.key === "Backspace") {
			this.zoomOut();
			this.placeCursor(true);
		} else {
			return;
		}
		event.preventDefault();
		event.stopPropagation();
	}

	zoomOut() {
		const {parent} = this.tree.nodes[this.zoomed];
		if (parent >= 0)
			this.zoomTo(parent);
	}

	/* Where an arrow key leads to; -1: nowhere; undefined: no such key. */
	moveFor(key) {
		const node = this.tree.nodes[this.cursor];
		const inwards = this.upsideDown ? "ArrowUp" : "ArrowDown";
		const outwards = this.upsideDown ? "ArrowDown" : "ArrowUp";
		if (key === inwards)
			return this.tree.children(this.cursor)[0] ?? -1;
		if (key === outwards)
			return node.parent;
		if (key === "Home")
			return this.tree.root;
		if (key !== "ArrowLeft" && key !== "ArrowRight")
			return undefined;
		const row = this.rows[node.depth].filter((rect) => rect.id >= 0).sort((a, b) => a.x - b.x);
		const place = row.findIndex((rect) => rect.id === this.cursor);
		return row[place + (key === "ArrowLeft" ? -1 : 1)]?.id ?? -1;
	}
}
