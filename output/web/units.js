/*
 * Formats figures for people, with the same steps as output/units.c, so that the page and the text
 * report agree.
 */

const TIME_STEPS = [
	[9995, 1e3, 2, "us"],
	[999950, 1e3, 1, "us"],
	[9995000, 1e6, 2, "ms"],
	[999950000, 1e6, 1, "ms"],
	[9999500000, 1e9, 3, "s"],
	[99995000000, 1e9, 2, "s"],
	[999950000000, 1e9, 1, "s"],
	[Infinity, 1e9, 0, "s"],
];

function formatTime(ns) {
	const whole = Math.round(ns);
	if (whole < 1000)
		return whole ? `${whole} ns` : "0 s";
	const [, unit, decimals, name] = TIME_STEPS.find(([below]) => whole < below);
	return `${(whole / unit).toFixed(decimals)} ${name}`;
}

const grouping = new Intl.NumberFormat("en-US");

function formatCount(number) {
	return grouping.format(Math.round(number));
}

const BYTE_STEPS = [[1, "B"], [1024, "KiB"], [1024 ** 2, "MiB"], [1024 ** 3, "GiB"], [1024 ** 4, "TiB"]];

function formatBytes(bytes) {
	const [unit, name] = BYTE_STEPS.findLast(([size]) => bytes >= size) || BYTE_STEPS[0];
	return `${unit === 1 ? bytes : (bytes / unit).toFixed(2)} ${name}`;
}

/* What a profile of another tool counts: [name, unit]. The page shows one profile, so there is one. */
const valueKind = ["value", "count"];

function setValueKind(kind) {
	valueKind.splice(0, 2, ...kind);
}

function unitOf(weight) {
	return weight === "samples" ? "samples" : weight === "value" ? valueKind[1] : "nanoseconds";
}

function weightName(weight) {
	return weight === "value" ? valueKind[0] : weight;
}

function formatWeight(value, weight) {
	const format = {nanoseconds: formatTime, bytes: formatBytes}[unitOf(weight)] || formatCount;
	return format(value);
}

/* The figure to the last digit, for tooltips of cells. */
function formatExact(value, weight) {
	return `${formatCount(value)} ${unitOf(weight)}`;
}

function percentOf(part, whole) {
	return whole > 0 ? 100 * part / whole : 0;
}

function formatPercent(part, whole) {
	return `${percentOf(part, whole).toFixed(1)} %`;
}

function plural(count, one, many) {
	return `${formatCount(count)} ${count === 1 ? one : many || one + "s"}`;
}
