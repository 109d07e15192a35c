/*
 * What the tests in a browser share: profiles made by web-profiles, a headless Chromium, and a list
 * of tests of which each gets a page of its own. Skips with 77 and a reason when this machine lacks
 * Chromium or playwright-core (npm; found through NODE_PATH, in SPROF_NODE_MODULES or where the build put it).
 */
"use strict";
const assert = require("node:assert/strict");
const {execFileSync} = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const SKIPPED = process.env.SPROF_TESTS_MUST_RUN === "1" ? 1 : 77;
const CHROMIUM = process.env.SPROF_CHROMIUM || "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
	"--disable-background-networking", "--disable-component-update", "--disable-sync"];
const WINDOW = {width: 1400, height: 1000};

function skip(reason) {
	console.log(`skipped: ${reason}`);
	process.exit(SKIPPED);
}

function playwright() {
	const folder = process.env.SPROF_NODE_MODULES || process.env.SPROF_BUILT_NODE_MODULES;
	for (const name of ["playwright-core", folder && path.join(folder, "playwright-core")]) {
		try {
			return require(name);
		} catch {
			continue;
		}
	}
	return skip("npm's playwright-core is not installed");
}

/* A folder with page.html, flame.svg and truth.json of that kind of profile. */
function makeProfile(scratch, kind, seed = 1) {
	const folder = path.join(scratch, `${kind}-${seed}`);
	if (!fs.existsSync(folder)) {
		fs.mkdirSync(folder);
		if (kind === "canonical")
			execFileSync("python3", [path.join(__dirname, "canonical.py"), folder]);
		else
			execFileSync(process.env.SPROF_WEB_PROFILES, [kind, folder, String(seed)]);
	}
	return folder;
}

function readTruth(folder) {
	return JSON.parse(fs.readFileSync(path.join(folder, "truth.json"), "utf8"));
}

/* Skips here, before anything was made that would have to be removed again. */
function needBrowser() {
	playwright();
	if (!fs.existsSync(CHROMIUM))
		skip(`${CHROMIUM} is not installed`);
	if (!process.env.SPROF_WEB_PROFILES)
		skip("SPROF_WEB_PROFILES names no program");
}

/* A context that keeps nothing, and says what went wrong or was asked of a network. */
async function openBrowser(scratch, options = {}) {
	const {chromium} = playwright();
	const data = fs.mkdtempSync(path.join(scratch, "browser-"));
	return chromium.launchPersistentContext(data, {
		executablePath: CHROMIUM, headless: true, args: FLAGS, viewport: WINDOW, ...options});
}

/* A file in a new tab. Whatever the page complains of or fetches is in page.complaints. */
async function openFile(browser, file) {
	const page = await browser.newPage();
	page.complaints = [];
	page.on("console", (message) => page.complaints.push(message.text()));
	page.on("pageerror", (error) => page.complaints.push(String(error.stack)));
	page.on("dialog", (dialog) => {
		page.complaints.push(`dialog: ${dialog.message()}`);
		dialog.dismiss();
	});
	page.on("request", (request) => {
		if (!request.url().startsWith("file://"))
			page.complaints.push(`request: ${request.url()}`);
	});
	await page.goto(`file://${file}`);
	return page;
}

/* The panel of the chosen function follows a frame after the choice. */
async function settled(page) {
	await page.evaluate(() => new Promise((done) =>
		requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
}

/* The page of a run of the command, at once or by way of another format; data is the block in it. */
function recordPage(scratch, command, options, by) {
	const folder = fs.mkdtempSync(path.join(scratch, "run-")), file = path.join(folder, "page.html");
	const saved = by ? path.join(folder, `saved.${by}`) : file;
	const sprof = (...words) => execFileSync(process.env.SPROF, words, {stdio: "pipe"});
	sprof("run", "--rate", "500", ...options, "-o", saved, "--", ...command);
	if (by)
		sprof("report", saved, "-o", file);
	const [, text] = fs.readFileSync(file, "utf8").match(/id="data">([^]*?)<\/script>/);
	return {file, data: JSON.parse(text)};
}

async function runOne(browser, scratch, [name, test]) {
	const pages = [];
	const open = async (kind, {seed, file = "page.html", edit, scheme = "light"} = {}) => {
		const folder = makeProfile(scratch, kind, seed);
		let target = path.join(folder, file);
		if (edit) {
			target = path.join(folder, `${name}-${file}`);
			fs.writeFileSync(target, edit(fs.readFileSync(path.join(folder, file), "utf8")));
		}
		const page = await openFile(browser, target);
		await page.emulateMedia({colorScheme: scheme});
		pages.push(page);
		return {page, truth: readTruth(folder)};
	};
	open.run = async (command, options = [], by = null) => {
		const {file, data} = recordPage(scratch, command, options, by);
		const page = await openFile(browser, file);
		pages.push(page);
		return {page, data};
	};
	try {
		await test(open);
		for (const page of pages)
			assert.deepEqual(page.complaints, [], "the page complains");
		console.log(`ok ${name}`);
		return true;
	} catch (error) {
		console.log(`not ok ${name}\n${error.stack}`);
		return false;
	} finally {
		for (const page of pages)
			await page.close();
	}
}

/* Runs all tests, or those named on the command line. A test is an async function of open() and open.run(). */
async function main(tests) {
	needBrowser();
	const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "sprof-browser-"));
	const wanted = Object.entries(tests).filter(([name]) =>
		process.argv.length < 3 || process.argv.includes(name));
	let failed = 0, browser;
	try {
		browser = await openBrowser(scratch);
		for (const test of wanted)
			failed += await runOne(browser, scratch, test) ? 0 : 1;
	} finally {
		await browser?.close();
		fs.rmSync(scratch, {recursive: true, force: true, maxRetries: 5});
	}
	process.exitCode = failed ? 1 : 0;
}

module.exports = {assert, main, needBrowser, openBrowser, openFile, settled};
