// Has the unmodified speedscope load the files whose names come on stdin, a line each, and prints for each a line
// with what its own export says it understood: [{name, unit, self: {function: weight}, total: {function: weight}}],
// one per profile. speedscope is a page: it runs in jsdom, with just enough of a browser to load and save. Each file
// gets a page of its own; what takes the time is to start Node.js and to compile the page's code, which is done once.
const fs = require("node:fs");
const path = require("node:path");
const readline = require("node:readline");
const vm = require("node:vm");

const modules = process.env.SPROF_NODE_MODULES;
const { JSDOM, VirtualConsole } = require(path.join(modules, "jsdom"));
const release = path.join(modules, "speedscope/dist/release");
const bundle = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name));
const LIMIT_MS = 60000;
const code = new vm.Script(fs.readFileSync(path.join(release, bundle), "utf8"));

let saved = null;
let alerted = null;

function fakeContext() {
	const answers = {
		getParameter: 8192, getShaderParameter: true, getProgramParameter: 0,
		getContextAttributes: {}, getExtension: null, getError: 0, isContextLost: false,
		getAttribLocation: 0, checkFramebufferStatus: 1, measureText: { width: 10 },
		getUniformLocation: {},
	};
	return new Proxy({}, {
		get: (target, key) => {
			if (key in target)
				return target[key];
			return typeof key === "string" && /^[A-Z0-9_]+$/.test(key) ? 1 : () => answers[key] ?? {};
		},
		set: (target, key, value) => { target[key] = value; return true; },
	});
}

function fakeBrowser(window) {
	const storage = new Map();

	window.HTMLCanvasElement.prototype.getContext = function () { return this.fake ||= fakeContext(); };
	window.CanvasRenderingContext2D = class {};
	window.Element.prototype.scrollIntoView = () => {};
	window.HTMLElement.prototype.click = () => {};
	Object.defineProperty(window, "localStorage", { configurable: true, value: {
		getItem: (key) => storage.get(key) ?? null,
		setItem: (key, value) => storage.set(key, String(value)),
		removeItem: (key) => storage.delete(key),
	} });
	window.matchMedia = () => ({ matches: false, addEventListener() {}, removeEventListener() {},
		addListener() {}, removeListener() {} });
	window.Blob = class { constructor(parts) { this.parts = parts; } };
	window.URL.createObjectURL = (blob) => { saved = blob.parts.join(""); return "blob:x"; };
	window.alert = (message) => { alerted = message; };
	Object.assign(window, { TextDecoder, TextEncoder, WebAssembly, Response, Request });
	window.fetch = async (what) => {
		const name = path.join(release, path.basename(String(what.url || what)));
		return new Response(fs.readFileSync(name), { headers: { "content-type": "application/wasm" } });
	};
}

// The export is a list of open and close events.
function tables(profile, frames) {
	const self = {};
	const total = {};
	const stack = [];
	let last = profile.startValue;

	for (const event of profile.events) {
		const names = stack.map((index) => frames[index].name);
		const passed = event.at - last;

		if (passed && names.length) {
			self[names.at(-1)] = (self[names.at(-1)] || 0) + passed;
			for (const name of new Set(names))
				total[name] = (total[name] || 0) + passed;
		}
		last = event.at;
		if (event.type === "O")
			stack.push(event.frame);
		else
			stack.pop();
	}
	return { name: profile.name, unit: profile.unit, self, total };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(condition) {
	const start = Date.now();

	while (!condition()) {
		if (Date.now() - start > LIMIT_MS)
			throw new Error("speedscope doesn't answer");
		await pause(5);
	}
}

async function start() {
	const dom = new JSDOM("<!DOCTYPE html><html><head></head><body></body></html>", {
		url: `file://${release}/index.html#localProfilePath=/nonexistent.js`,
		runScripts: "outside-only", pretendToBeVisual: true, virtualConsole: new VirtualConsole(),
		beforeParse: fakeBrowser,
	});

	code.runInContext(dom.getInternalVMContext());
	await until(() => dom.window.speedscope);
	return dom.window;
}

async function ask(file) {
	const window = await start();

	saved = alerted = null;
	window.speedscope.loadFileFromBase64(path.basename(file), fs.readFileSync(file).toString("base64"));
	await until(() => {
		window.dispatchEvent(new window.KeyboardEvent("keydown", { key: "s", ctrlKey: true }));
		return saved !== null || alerted !== null;
	});
	if (saved === null)
		throw new Error(`speedscope refused ${file}: ${alerted}`);
	const exported = JSON.parse(saved);
	window.close();
	return exported.profiles.map((p) => tables(p, exported.shared.frames));
}

async function main() {
	for await (const file of readline.createInterface({ input: process.stdin }))
		fs.writeSync(1, JSON.stringify(await ask(file)) + "\n");
	process.exit(0);
}

main().catch((error) => {
	console.error(error);
	process.exit(1);
});
