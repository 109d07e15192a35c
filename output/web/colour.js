/*
 * Colours: the classes of time get theirs from the style sheet, modules from a row of hues. The
 * program's own module is the warmest, as in other flame graphs; sprof's placeholders are grey.
 */

/* Source that an interpreter runs has one hue, whatever the file: C stands out between it. */
const SCRIPT_HUE = 105;
const MODULE_HUES = [28, 205, 150, 265, 330, 85, 185, 5, 235, 305, 55, 120];

class Colours {
	constructor(data) {
		this.data = data;
		this.rank = rankModules(data);
		this.refresh();
	}

	/* Reads the style sheet again, after a change between light and dark. */
	refresh() {
		const style = getComputedStyle(document.documentElement);
		const read = (name) => style.getPropertyValue(`--${name}`).trim();
		this.dark = read("scheme") === "dark";
		this.text = read("frame-text");
		this.faint = read("faint");
		this.background = read("panel");
		this.grey = read("grey-frame");
		this.match = read("match");
		this.more = read("more");
		this.less = read("less");
		this.classes = {};
		for (const name of CLASSES)
			this.classes[name] = read(name);
		this.frames = {};
		for (const name of CLASSES)
			this.frames[name] = read(`${name}-frame`);
	}

	moduleHue(module) {
		if (isScript(this.data.moduleNames[module]))
			return SCRIPT_HUE;
		return MODULE_HUES[this.rank[module] % MODULE_HUES.length];
	}

	/* Names decide on small differences, so that neighbours differ, and a name keeps its colour. */
	ofFunction(fn) {
		const module = this.data.functions.module[fn];
		if (module < 0)
			return this.grey;
		const shade = nameShade(this.data.functions.name[fn]);
		return this.dark
			? `hsl(${this.moduleHue(module)} ${34 + shade * 10}% ${30 + shade * 9}%)`
			: `hsl(${this.moduleHue(module)} ${70 + shade * 20}% ${70 + shade * 12}%)`;
	}

	/* Red for more than before, blue for less; full colour at a tenth of all. */
	ofChange(change, whole) {
		const strength = Math.min(1, Math.sqrt(10 * Math.abs(change) / (whole || 1)));
		if (strength < 0.03)
			return this.grey;
		const colour = change > 0 ? this.more : this.less;
		return `color-mix(in srgb, ${colour} ${Math.round(20 + 80 * strength)}%, ${this.faint})`;
	}

	ofModule(module) {
		const hue = this.moduleHue(module);
		return this.dark ? `hsl(${hue} 40% 36%)` : `hsl(${hue} 80% 76%)`;
	}
}

/* Python's names of source: a file, "<string>", "<frozen importlib._bootstrap>". */
function isScript(name) {
	return name.startsWith("<") || name.endsWith(".py");
}

function nameShade(name) {
	let hash = 0;
	for (let i = 0; i < name.length && i < 64; i++)
		hash = (hash * 31 + name.charCodeAt(i)) | 0;
	return ((hash >>> 3) % 97) / 96;
}

/* The program's own module first, then by number of functions seen: hues in order of importance. */
function rankModules(data) {
	const counts = new Float64Array(data.modules.length);
	for (const module of data.functions.module) {
		if (module >= 0)
			counts[module]++;
	}
	const own = data.command === null ? "" : data.command.split(" ")[0].split("/").pop();
	const order = data.modules.map((_, module) => module).sort((a, b) =>
		(data.moduleNames[b] === own) - (data.moduleNames[a] === own) ||
		counts[b] - counts[a] || a - b);
	const rank = new Int32Array(order.length);
	order.forEach((module, place) => rank[module] = place);
	return rank;
}
