/*
 * Elements. Text enters the document only through textContent: names come from the profiled
 * program and may contain anything.
 */

function byId(id) {
	return document.getElementById(id);
}

/* element("td", {class: "name", title: "..."}, "text" or elements...) */
function element(tag, attributes, ...content) {
	const node = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes || {})) {
		if (value !== null && value !== undefined && value !== false)
			node.setAttribute(name, value === true ? "" : value);
	}
	for (const item of content)
		node.append(item instanceof Node ? item : document.createTextNode(String(item)));
	return node;
}

function fill(parent, ...content) {
	parent.replaceChildren(...content);
}

function button(attributes, text, onClick) {
	const node = element("button", {type: "button", ...attributes}, text);
	node.addEventListener("click", onClick);
	return node;
}

/* A name of the program, whole where it is pointed at; isolated, so that right-to-left letters move nothing else. */
function nameOf(text, attributes) {
	return element("bdi", {class: "name", dir: "ltr", title: text, ...attributes}, text);
}

/* A bar of the classes of time, in proportion. */
function classBar(metrics, attributes) {
	const bar = element("span", {class: "bar", ...attributes});
	for (const name of CLASSES) {
		const share = percentOf(metrics[name], metrics.wall);
		if (share <= 0)
			continue;
		const part = element("span", {class: name,
			title: `${CLASS_NAMES[name]}: ${formatTime(metrics[name])}, ${share.toFixed(1)} %`});
		part.style.flexGrow = share;
		bar.append(part);
	}
	return bar;
}

/* Buttons of which one is pressed: [[value, label, tooltip], ...]. Returns how to press one. */
function buttonGroup(parent, choices, onChoose) {
	const buttons = new Map();
	for (const [value, label, title] of choices) {
		const node = button({"data-value": value, title}, label, () => onChoose(value));
		buttons.set(value, node);
		parent.append(node);
	}
	return (chosen) => {
		for (const [value, node] of buttons)
			node.setAttribute("aria-pressed", value === chosen);
	};
}

/* Fits a canvas to its place in device pixels; returns its context, scaled to CSS pixels. */
function fitCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.width = `${width}px`;
	canvas.style.height = `${height}px`;
	const context = canvas.getContext("2d", {alpha: true});
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}
