/*
 * Zoom and search in a flame graph. Frames are the groups below #frames; data-s and data-t are
 * a frame's start and width in the unit of data-whole, data-d is its depth.
 */
"use strict";
(() => {
const WIDTH = 1200, LETTER = 6.7, MIN_LETTERS = 3, MIN_WIDTH = 0.2;
const box = document.getElementById("frames");
const search = document.getElementById("search");
const match = document.getElementById("match");
const whole = Number(box.dataset.whole);

const frames = [...box.children].map((group) => ({
	group, rect: group.querySelector("rect"), label: group.querySelector("text"),
	name: group.querySelector("title").textContent.split("\n")[0],
	start: Number(group.dataset.s), total: Number(group.dataset.t), depth: Number(group.dataset.d),
}));
const root = frames.find((frame) => frame.depth === 0);
let zoomed = root, cursor = root;

function holds(outer, inner) {
	return outer.start <= inner.start && inner.start + inner.total <= outer.start + outer.total;
}

/* The module behind the name is for the tooltip, not for the label. */
function labelOf(frame, width) {
	const letters = Math.floor((width - 6) / LETTER);
	const name = frame.name.replace(/ \([^()]*\)$/, "");
	if (letters < MIN_LETTERS)
		return "";
	return name.length <= letters ? name : name.slice(0, letters - 1) + "\u2026";
}

function place(frame) {
	const above = frame.depth < zoomed.depth && holds(frame, zoomed);
	const inside = frame.depth >= zoomed.depth && holds(zoomed, frame);
	const scale = WIDTH / (zoomed.total || 1);
	const x = above ? 0 : (frame.start - zoomed.start) * scale;
	const width = above ? WIDTH : frame.total * scale;
	const shown = (above || inside) && (width >= MIN_WIDTH || frame === zoomed);
	frame.group.style.display = shown ? "" : "none";
	frame.group.classList.toggle("above", above);
	if (!shown)
		return;
	frame.rect.setAttribute("x", x);
	frame.rect.setAttribute("width", width);
	frame.label.setAttribute("x", x + 3);
	frame.label.textContent = labelOf(frame, width);
}

function zoom(frame) {
	zoomed = frame;
	frames.forEach(place);
	moveTo(frame);
}

function moveTo(frame) {
	cursor.group.classList.remove("cursor");
	cursor = frame;
	cursor.group.classList.add("cursor");
}

/* Each sample counts once, however many frames of its stack match. */
function find(text) {
	const wanted = text.toLowerCase();
	let sum = 0, end = -1;
	box.classList.toggle("searching", text !== "");
	for (const frame of frames)
		frame.group.classList.toggle("match", text !== "" && frame.name.toLowerCase().includes(wanted));
	const matching = frames.filter((frame) => frame.group.classList.contains("match"))
		.sort((a, b) => a.start - b.start || a.depth - b.depth);
	for (const frame of matching) {
		if (frame.start < end)
			continue;
		sum += frame.total;
		end = frame.start + frame.total;
	}
	match.textContent = text ? `${(100 * sum / (whole || 1)).toFixed(1)} % matches` : "";
}

/* Callees are above, callers below. */
function neighbour(key) {
	const visible = frames.filter((frame) => frame.group.style.display !== "none");
	const near = {
		ArrowUp: () => visible.filter((frame) => frame.depth === cursor.depth + 1 && holds(cursor, frame))
			.sort((a, b) => b.total - a.total)[0],
		ArrowDown: () => visible.find((frame) => frame.depth === cursor.depth - 1 && holds(frame, cursor)),
		ArrowRight: () => visible.filter((frame) => frame.depth === cursor.depth && frame.start > cursor.start)
			.sort((a, b) => a.start - b.start)[0],
		ArrowLeft: () => visible.filter((frame) => frame.depth === cursor.depth && frame.start < cursor.start)
			.sort((a, b) => b.start - a.start)[0],
		Home: () => root,
	}[key];
	return near ? near() || cursor : null;
}

box.addEventListener("click", (event) => {
	const group = event.target.closest("g[data-t]");
	zoom(frames.find((frame) => frame.group === group) || root);
});
search.addEventListener("input", () => find(search.value));
document.getElementById("reset").addEventListener("click", () => zoom(root));
document.addEventListener("keydown", (event) => {
	const inField = event.target === search;
	if (event.ctrlKey || event.metaKey || event.altKey || (inField && event.key !== "Escape"))
		return;
	if (event.key === "/") {
		search.focus();
	} else if (inField) {
		search.value = "";
		find("");
		search.blur();
	} else if (event.key === "Enter" && event.target.tagName !== "button") {
		zoom(cursor);
	} else if (event.key === "Escape") {
		zoom(root);
	} else {
		const next = neighbour(event.key);
		if (!next)
			return;
		moveTo(next);
	}
	event.preventDefault();
});
})();
