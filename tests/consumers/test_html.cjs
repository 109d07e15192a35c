/*
 * The page in Chromium: what it shows is what the model says, whatever is chosen, and nothing from
 * the target ever becomes markup or script. Only what a user can see and do is used; figures come
 * from the cells' data-value, which has all digits.
 */
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const {assert, main, settled} = require("./browser.cjs");

const WEIGHTS = ["wall", "user", "sys", "runq", "wait", "samples"];
const ROW = 19; /* px */

/* Reading the page. */

async function showAllRows(page, table) {
	while (await page.locator(`${table} .more`).count())
		await page.locator(`${table} .more`).click();
}

/* The rows of a table: {column key: data-value or text}; a function's name has its module below it. */
async function readTable(page, table) {
	await showAllRows(page, table);
	return page.locator(`${table} tbody tr`).evaluateAll((rows) => rows.map((row) => {
		const read = Object.fromEntries([...row.cells].map((cell) => {
			const figure = cell.querySelector("[data-value]");
			const name = cell.querySelector(".name");
			const module = name && cell.querySelector(".module");
			if (module)
				return [cell.dataset.key, `${name.textContent}\n${module.textContent}`];
			return [cell.dataset.key, figure ? Number(figure.dataset.value)
				: (name || cell).textContent];
		}));
		const module = row.querySelector("td[data-key=dso] .module");
		if (module)
			read.name += `\n${module.textContent}`;
		return read;
	}));
}

async function chooseWeight(page, weight) {
	await page.locator(`#weights button[data-value=${weight}]`).click();
}

function keyOf({name, module}) {
	return `${name}\n${module}`;
}

/* The flat table against the model's; the page doesn't list functions without any weight. */
function compareFlat(rows, flat, weight, where) {
	const expected = flat.functions.filter(({total}) => total.wall || total.samples)
		.map((row) => `${keyOf(row)} self ${row.self[weight]} total ${row.total[weight]} samples ` +
			`${row.total.samples} threads ${row.threads} ${row.verdict}`);
	const shown = rows.map((row) => `${row.name} self ${row.self} total ${row.total} samples ` +
		`${row.samples} threads ${row.threads} ${row.verdict}`);
	assert.deepEqual(shown.sort(), expected.sort(), where);
}

/* Moves the mouse to a place in a graph: a share of its width, and a row. */
async function pointAt(page, graph, share, row) {
	const box = await page.locator(`${graph} canvas`).boundingBox();
	const x = box.x + share * box.width, y = box.y + row * ROW + ROW / 2;
	await page.mouse.move(x, y);
	return {x, y};
}

async function clickAt(page, graph, share, row) {
	const {x, y} = await pointAt(page, graph, share, row);
	await page.mouse.click(x, y);
}

async function tooltip(page) {
	return page.locator("#tooltip").innerText();
}

async function selection(page) {
	return page.locator("#selection").innerText();
}

/* The page with something changed in its data. */
function withData(change) {
	return (text) => text.replace(/(id="data">)([^]*?)(<\/script>)/, (_, head, data, tail) => {
		const raw = JSON.parse(data);
		change(raw);
		return head + JSON.stringify(raw).replace(/</g, "\\u003c") + tail;
	});
}

/* A packed table, as output/html/html.h has it. */
function pack(numbers) {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	return numbers.map((number) => {
		let text = "", rest = number;
		for (; rest > 31; rest = Math.floor(rest / 32))
			text += letters[32 + rest % 32];
		return text + letters[rest];
	}).join("");
}

async function rgb(page, selector, property) {
	const text = await page.locator(selector).first().evaluate((node, name) =>
		getComputedStyle(node)[name], property);
	return text.match(/[\d.]+/g).slice(0, 3).map(Number);
}

function luminance(colour) {
	const [r, g, b] = colour.map((value) => {
		const share = value / 255;
		return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, two) {
	const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

/* The tests. */

async function figures_equal_the_model(open) {
	const kinds = [["worked"], ["mixed"], ...[...Array(6).keys()].map((seed) => ["random", seed])];
	for (const [kind, seed] of kinds) {
		const {page, truth} = await open(kind, {seed});
		const steals = seed % 2 ? ["stolen"] : [];
		assert.equal(await page.locator("#weights [data-value=stolen]").count(), steals.length, `${kind} ${seed}`);
		for (const weight of [...WEIGHTS, ...steals]) {
			await chooseWeight(page, weight);
			compareFlat(await readTable(page, "#flat"), truth.all, weight, `${kind} ${seed} ${weight}`);
		}
	}
}

/* The one that all formats are asked of: hostile names, two processes, weights beyond 2^53. */
async function the_canonical_profile_is_the_model(open) {
	const {page, truth} = await open("canonical");
	for (const weight of WEIGHTS) {
		await chooseWeight(page, weight);
		const rows = new Map((await readTable(page, "#flat")).map((row) => [row.name.split("\n")[0], row]));
		assert.equal(rows.size, truth.functions.length);
		for (const {name, self, total} of truth.functions) {
			const row = rows.get(name);
			assert.ok(row, name);
			assert.deepEqual([row.self, row.total], [self[weight], total[weight]], `${name} ${weight}`);
		}
	}
}

async function each_thread_equals_the_model(open) {
	const {page, truth} = await open("mixed");
	for (const {tid, flat} of truth.threads) {
		await page.locator(`.thread[data-tid="${tid}"] .thread-name`).click();
		assert.match(await selection(page), /1 of 5 threads/);
		compareFlat(await readTable(page, "#flat"), flat, "wall", `thread ${tid}`);
	}
	await page.locator("#all-threads").click();
	compareFlat(await readTable(page, "#flat"), truth.all, "wall", "all threads");
}

async function a_thread_can_be_left_out(open) {
	const {page, truth} = await open("mixed");
	await page.locator('.thread[data-tid="200"] input').uncheck();
	await chooseWeight(page, "samples");
	const [out] = truth.threads.filter(({tid}) => tid === 200);
	const left = truth.all.whole.samples - out.flat.whole.samples;
	assert.match(await selection(page), new RegExp(`^${left} samples · 4 of 5 threads$`));
}

async function the_worked_example_can_be_read_and_zoomed(open) {
	const {page} = await open("worked");
	await chooseWeight(page, "samples");
	await pointAt(page, "#graph", 0.5, 2);
	assert.match(await tooltip(page), /^a\n[^]*16 samples, 94\.1 % of all; self 2/);
	await pointAt(page, "#graph", 0.3, 4);
	assert.match(await tooltip(page), /^c\n[^]*8 samples, 47\.1 % of all; self 8/);
	await clickAt(page, "#graph", 0.3, 3);
	assert.equal(await page.locator("#path").innerText(), "all › main › a › b");
	assert.equal(await selection(page), "12 samples · 70.6 %");
	await pointAt(page, "#graph", 0.6, 4); /* c is 8 of 12 now */
	assert.match(await tooltip(page), /^c\n/);
	await page.keyboard.press("g");
	await page.keyboard.press("Escape");
	assert.equal(await page.locator("#path").innerText(), "all › main › a");
	await page.locator("#path button", {hasText: "all"}).click();
	assert.equal(await selection(page), "17 samples");
}

async function zoom_survives_a_change_of_weight(open) {
	const {page} = await open("worked");
	await clickAt(page, "#graph", 0.3, 3);
	await chooseWeight(page, "user");
	assert.equal(await page.locator("#path").innerText(), "all › main › a › b");
	assert.equal(await selection(page), "12.0 ms user · 70.6 %");
	await chooseWeight(page, "sys");
	assert.equal(await page.locator("#empty").innerText(), "No sys time here.");
}

async function inverted_starts_at_the_innermost_functions(open) {
	const {page} = await open("worked");
	await chooseWeight(page, "samples");
	await page.locator("#views button", {hasText: "inverted"}).click();
	await pointAt(page, "#graph", 0.3, 1);
	assert.match(await tooltip(page), /^c\n[^]*10 samples, 58\.8 % of all/);
	await pointAt(page, "#graph", 0.3, 2);
	assert.match(await tooltip(page), /^b\n[^]*8 samples, 47\.1 % of all/);
	await pointAt(page, "#graph", 9 / 17, 2);
	assert.match(await tooltip(page), /^a\n[^]*2 samples, 11\.8 % of all/);
	await pointAt(page, "#graph", 12 / 17, 1);
	assert.match(await tooltip(page), /^b\n[^]*4 samples, 23\.5 % of all/);
	await page.keyboard.press("i");
	await pointAt(page, "#graph", 0.3, 1);
	assert.match(await tooltip(page), /^main\n/);
}

async function search_counts_each_sample_once(open) {
	const {page, truth} = await open("mixed");
	const weigh = async (text) => {
		await page.locator("#search").fill(text);
		return Number(await page.locator("#match").getAttribute("data-value"));
	};
	await chooseWeight(page, "user");
	const total = (name) => truth.all.functions.filter((row) => row.name === name)
		.reduce((sum, row) => sum + row.total.user, 0);
	assert.equal(await weigh("/^f$/"), total("f"));
	assert.equal(await weigh("LEAF"), total("leaf"));
	assert.equal(await weigh("/^(f|leaf)$/"), total("leaf"));
	assert.equal(await weigh("@libc"), 11e6);
	assert.equal(await weigh("@/^.lib.*so/"), 11e6);
	assert.equal(await weigh("@nowhere"), 0);
	await weigh("@");
	assert.equal(await page.locator("#match").innerText(), "");
	await weigh("/^(f|leaf)$/");
	await chooseWeight(page, "sys");
	assert.equal(Number(await page.locator("#match").getAttribute("data-value")), 4);
	assert.deepEqual((await readTable(page, "#flat")).map((row) => row.name.split("\n")[0]).sort(),
		["f", "leaf"].sort());
	await page.locator("#search").fill("/(/");
	assert.equal(await page.locator("#match").innerText(), "not a regular expression");
	await page.locator("#search").press("Escape");
	assert.equal(await page.locator("#match").innerText(), "");
}

async function every_column_sorts_both_ways(open) {
	const {page} = await open("mixed");
	for (const key of ["self", "total", "samples", "threads", "share", "name", "verdict"]) {
		const head = page.locator(`#flat th button[data-key=${key}]`);
		const read = async () => (await readTable(page, "#flat")).map((row) =>
			["name", "verdict"].includes(key) ? row[key].split("\n")[0] : Number(row[key]));
		const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
		await head.click();
		const once = await read();
		await head.click();
		const twice = await read();
		const up = once.slice().sort(compare);
		assert.ok([once, twice].some((list) => String(list) === String(up)), `${key} upwards`);
		assert.ok([once, twice].some((list) => String(list) === String(up.slice().reverse())),
			`${key} downwards`);
		assert.ok(await page.locator(`#flat th[aria-sort] button[data-key=${key}]`).count());
	}
}

async function the_chosen_function_has_callers_callees_and_lines(open) {
	const {page} = await open("mixed");
	await chooseWeight(page, "samples");
	await page.locator("#flat tbody tr", {hasText: "leaf"}).first().click();
	await settled(page);
	assert.equal(await page.locator("#function-name").innerText(), "leaf");
	const callers = (await readTable(page, "#callers")).map(({name, total}) => [name.split("\n")[0], total]);
	assert.deepEqual(callers, [["f", 77], ["inner", 11]]);
	assert.deepEqual((await readTable(page, "#lines")).map(({line, self, total}) => [line, self, total]),
		[["33", 81, 81], ["34", 7, 7]]);
	await page.locator("#flat tbody tr").filter({has: page.getByText("f", {exact: true})}).click();
	await settled(page);
	/* Recursion: all 77 below the outermost f, which main called; lines count a sample once. */
	assert.deepEqual((await readTable(page, "#callers")).map(({name, total}) => [name.split("\n")[0], total]),
		[["main", 77]]);
	assert.deepEqual((await readTable(page, "#callees")).map(({name, total}) => [name.split("\n")[0], total]),
		[["f", 77]]);
	assert.deepEqual((await readTable(page, "#lines")).map(({line, total}) => [line, total]),
		[["20", 77], ["21", 77]]);
	assert.match(await page.locator("#function-place").innerText(), /src\/one\.c:10/);
}

async function waits_are_grouped_by_what_they_wait_for(open) {
	const {page} = await open("mixed");
	const rows = (await readTable(page, "#waits")).map((row) =>
		[row.object, row.wait, row.threads, row.holder, row.name.split("\n")[0]]);
	assert.deepEqual(rows, [
		["futex mutex cache_lock", 60000000, "1", "writer (102)", "get"],
		["futex mutex cache_lock", 30000000, "1", "writer (102)", "main"],
		["read pipe:[4711]", 10000000, "1", "", "get"],
	]);
	assert.deepEqual((await readTable(page, "#holders")).map((row) => [row.holder, row.waiter, row.wait]),
		[["writer (102)", "reader (103)", 60000000], ["writer (102)", "other (200)", 30000000]]);
}

async function parts_without_data_are_hidden(open) {
	const {page} = await open("worked");
	for (const part of ["#waits-panel", "#sides", "#lines-part", "#idle"])
		assert.equal(await page.locator(part).isVisible(), false, part);
	for (const kind of ["foreign", "difference"]) {
		const {page: other} = await open(kind);
		assert.equal(await other.locator("#timeline-panel").isVisible(), false, kind);
	}
}

/* A file without times of samples: the page says so, and what to do about it. */
async function a_missing_timeline_is_explained(open) {
	const {page} = await open("worked");
	assert.match(await page.locator("#timeline-panel").innerText(), /no times of its samples: .*--time-slices 100ms .*-o page\.html/);
	assert.equal(await page.locator("#timeline canvas").count(), 0);
}

/* The wait is in the program's own function, not in the kernel's or libc's. */
async function waits_are_in_own_functions(open) {
	const {page} = await open("idle");
	const rows = (await readTable(page, "#waits")).map((row) => [row.object, row.name.split("\n")[0]]);
	assert.deepEqual(rows.find(([object]) => object.startsWith("futex")), ["futex mutex cache_lock", "work"]);
	assert.deepEqual(rows.filter(([object]) => object.startsWith("accept4")).map(([, name]) => name).sort(),
		[0, 1, 2, 3, 4, 5].map((i) => `serve_${i}`));
	assert.match(await page.locator(".card.wait .most").innerText(), /\sin\swork$/);
}

/* What idle threads do is one narrow block, and no row of the table, until it is asked for. */
async function idle_threads_are_folded(open) {
	const {page, truth} = await open("idle");
	const names = async () => (await readTable(page, "#flat")).map((row) => row.name.split("\n")[0]).sort();
	await pointAt(page, "#graph", 0.95, 1);
	assert.match(await tooltip(page), /^\[idle\]\n[^]*600\.0 ms wall, 85\.7 % of all[^]*narrower than its share/);
	await pointAt(page, "#graph", 0.85, 1);
	assert.match(await tooltip(page), /^main\n[^]*100\.0 ms wall, 14\.3 % of all/);
	assert.deepEqual(await names(), ["[futex]", "lock", "main", "work"]);
	/* All shares are of the rest, as in the summary. */
	assert.equal(await page.locator("#flat-whole").innerText(), "\u00b7 shares are of 100.0 ms; idle 600.0 ms");
	assert.ok((await readTable(page, "#flat")).some((row) => row.name.startsWith("work\n") && row.share > 14.3), "work");
	assert.equal(await page.locator("#function-name").innerText(), "work");
	await page.locator("#waits tbody tr", {hasText: "serve_0"}).click();
	assert.equal(await page.locator("#function-figures").innerText(),
		"Not in this selection, or only in idle threads (w shows them).");
	await page.keyboard.press("w");
	assert.match(await page.locator("#function-figures").innerText(), /^self /);
	compareFlat(await readTable(page, "#flat"), truth.all, "wall", "shown");
	assert.equal(await page.locator("#flat-whole").innerText(), "\u00b7 shares are of 700.0 ms, with idle time");
	await pointAt(page, "#graph", 0.5, 1);
	assert.match(await tooltip(page), /^start\n[^]*600\.0 ms wall/);
	await page.locator("#idle button", {hasText: "folded"}).click();
	assert.ok(!(await names()).includes("serve_0"));
}

/* A deep stack of hardly any time leaves no white hole beside it: its end is seen by scrolling. */
async function a_thin_stack_makes_no_hole(open) {
	const {page} = await open("idle");
	assert.deepEqual(await page.evaluate(() => {
		const {graph} = window.sprof, thin = {width: 0.005 * graph.width}, wide = {width: graph.width};
		return [[[wide], [wide, thin], [thin]], [[wide], [thin, thin], [thin, thin], [thin]], [[wide]], []].map((rows) => {
			graph.rows = rows;
			return graph.countWideRows();
		});
	}), [2, 3, 1, 1]);
}

/* A colour on the canvas of the graph: at a share of its width, in a row. */
async function colourAt(page, share, row) {
	return page.locator("#graph canvas").evaluate((canvas, [at, y]) => {
		const copy = document.createElement("canvas"), context = copy.getContext("2d");
		copy.width = canvas.width;
		copy.height = canvas.height;
		context.drawImage(canvas, 0, 0);
		return [...context.getImageData(Math.round(at * copy.width), y, 1, 1).data].slice(0, 3);
	}, [share, row * ROW + 3]);
}

async function styleColour(page, name) {
	return page.evaluate((variable) => {
		const hex = getComputedStyle(document.documentElement).getPropertyValue(variable).trim();
		return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
	}, name);
}

/* 60 % of main are user time: all of it in the view of that, and that much of it in the view of wall time. */
async function colours_are_those_of_the_weight(open) {
	const {page} = await open("idle");
	const shares = [0.05, 0.5, 0.85];
	const read = () => Promise.all(shares.map((share) => colourAt(page, share, 1)));
	const [user, wait] = [await styleColour(page, "--user-frame"), await styleColour(page, "--wait-frame")];
	assert.deepEqual(await read(), [user, user, wait]);
	await chooseWeight(page, "user");
	assert.deepEqual(await read(), [user, user, user]);
	assert.equal(await page.locator("#legend").innerText(), "User code");
	await chooseWeight(page, "wait");
	assert.deepEqual(await read(), [wait, wait, wait]);
}

const LONG = "std::vector<std::pair<std::string, unsigned long>>::emplace_back".padEnd(400, "<T>");

/* At any width: nothing is wider than the window, and what is cut of a name is in its title. */
async function names_have_room_or_a_title(open) {
	const edit = withData((raw) => {
		raw.strings[raw.strings.indexOf("get")] = LONG;
		raw.strings[raw.strings.indexOf("mutex cache_lock")] = `mutex ${LONG}`;
	});
	const {page} = await open("mixed", {edit});
	for (const [width, room] of [[1920, 40], [1400, 30], [390, 16]]) {
		await page.setViewportSize({width, height: 900});
		await settled(page);
		const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
		assert.ok(sizes[0] <= sizes[1], `${sizes} at ${width}`);
		const cells = await page.locator("#flat td.text, #waits td.text").evaluateAll((nodes) =>
			nodes.filter((node) => node.clientWidth && node.querySelector(".name")).map((node) => {
				const name = node.querySelector(".name");
				return {key: node.dataset.key, text: name.textContent, title: name.title, isCut: node.scrollWidth > node.clientWidth,
					width: node.clientWidth, table: node.closest(".table").id};
			}));
		assert.ok(cells.some(({isCut, text}) => isCut && text.includes(LONG)));
		for (const cell of cells.filter(({isCut}) => isCut))
			assert.ok(cell.title.includes(cell.text) && cell.text, JSON.stringify(cell));
		for (const {width: px} of cells.filter(({key, table}) => key === "name" && table === "flat"))
			assert.ok(px >= 7.3 * room, `${px} px at ${width}`);
		for (const table of ["#flat", "#waits"])
			assert.ok(await page.locator(table).evaluate((box) => box.scrollWidth <= box.clientWidth + 1), `${table} at ${width}`);
	}
}

/* However many processes: their list is as tall as the words beside it, which leave no room empty. */
async function many_processes_leave_no_hole(open) {
	const edit = withData((raw) => {
		for (let i = 0; i < 14; i++) {
			raw.processes.push(1000 + i, raw.processes[1], -1, -1);
			raw.threads.push(raw.processes.length / 4 - 1, 1000 + i, raw.threads[2]);
			raw.rows.push(raw.rows[0]);
		}
	});
	const {page} = await open("worked", {edit});
	await page.locator("#more-threads").click();
	const [verdict, threads, last] = await Promise.all(["#verdict", "#threads-panel", "#quality"].map((id) =>
		page.locator(id).boundingBox()));
	assert.equal(Math.round(verdict.height), Math.round(threads.height));
	const hole = verdict.y + verdict.height - last.y - last.height;
	assert.ok(hole < 80, `${hole} px`);
}

/* Drags over the timeline, from one share of it to another; returns the span that it then marks. */
async function dragSpan(page, from, to) {
	await page.locator("#timeline").scrollIntoViewIfNeeded();
	const box = await page.locator("#timeline canvas").boundingBox();
	const at = (share) => box.x + 150 + share * (box.width - 150);
	await page.mouse.move(at(from), box.y + 8);
	await page.mouse.down();
	await page.mouse.move(at(to), box.y + 8, {steps: 4});
	await page.mouse.up();
	return page.locator(".timeline-span").evaluate(({dataset}) =>
		({from: Number(dataset.from), to: Number(dataset.to)}));
}

/* What the samples of a span say, each with its part of its row: a flat table as truth.json has them. */
function flatOfSpan(truth, span, tids) {
	const counts = new Map(), flat = new Map();
	for (const [time, row] of truth.samples) {
		if (time >= span.from && time < span.to && tids.includes(truth.rows[row].tid))
			counts.set(row, (counts.get(row) || 0) + 1);
	}
	for (const [row, count] of counts) {
		const {functions, times, samples, tid} = truth.rows[row];
		const part = (ns) => Math.round(ns * count / samples);
		const sums = {user: part(times.user), sys: part(times.sys), runq: part(times.runq),
			wait: part(times.wait), samples: count};
		sums.wall = sums.user + sums.sys + sums.runq + sums.wait;
		for (const name of new Set(functions)) {
			const entry = flat.get(name) || {self: {}, total: {}, threads: new Set()};
			flat.set(name, entry);
			entry.threads.add(tid);
			for (const weight of WEIGHTS) {
				entry.total[weight] = (entry.total[weight] || 0) + sums[weight];
				entry.self[weight] = (entry.self[weight] || 0) +
					(name === functions.at(-1) ? sums[weight] : 0);
			}
		}
	}
	return flat;
}

async function compareSpan(page, truth, span, tids) {
	const flat = flatOfSpan(truth, span, tids);
	for (const weight of WEIGHTS) {
		await chooseWeight(page, weight);
		const shown = (await readTable(page, "#flat")).map((row) => [row.name.split("\n")[0], row.self,
			row.total, row.samples, Number(row.threads)]);
		const expected = [...flat].map(([name, {self, total, threads}]) =>
			[name, self[weight], total[weight], total.samples, threads.size]);
		assert.deepEqual(shown.sort(), expected.sort(), `${weight} of ${JSON.stringify(span)} ${tids}`);
	}
}

async function a_timeline_selects_a_span(open) {
	for (const seed of [1, 2]) {
		const {page, truth} = await open("timeline", {seed});
		const tids = truth.threads.map(({tid}) => tid);
		assert.equal(await page.locator("#timeline-panel").isVisible(), true);
		for (const [from, to] of [[0.77, 0.4], [0.5, 0.55]]) {
			const span = await dragSpan(page, from, to);
			assert.ok(Math.abs(span.from / 2e9 - Math.min(from, to)) < 0.01, JSON.stringify(span));
			assert.match(await selection(page), / to .* by samples$/);
			await compareSpan(page, truth, span, tids);
		}
		await chooseWeight(page, "wall");
		await dragSpan(page, 0, 1);
		assert.match(await selection(page), /by samples/);
		compareFlat(await readTable(page, "#flat"), truth.all, "wall", "the whole run, selected");
	}
}

async function a_span_and_threads_go_together(open) {
	const {page, truth} = await open("timeline");
	const span = await dragSpan(page, 0.2, 0.6);
	const box = await page.locator("#timeline canvas").boundingBox();
	await page.mouse.click(box.x + 400, box.y + 19 + 8);
	assert.match(await selection(page), /1 of 3 threads/);
	await compareSpan(page, truth, span, [truth.threads[1].tid]);
	await page.locator("#timeline canvas").focus();
	await page.keyboard.press("Escape");
	assert.doesNotMatch(await selection(page), /by samples/);
	compareFlat(await readTable(page, "#flat"), truth.threads[1].flat, "samples", "thread, whole run");
	await page.locator("#all-threads").click();
	await page.locator("#timeline canvas").focus();
	await page.keyboard.press("ArrowRight");
	const moved = await page.locator(".timeline-span").evaluate(({dataset}) =>
		({from: Number(dataset.from), to: Number(dataset.to)}));
	assert.ok(moved.to > moved.from);
	await compareSpan(page, truth, moved, truth.threads.map(({tid}) => tid));
	await page.locator("#all-time").click();
	await chooseWeight(page, "wall");
	compareFlat(await readTable(page, "#flat"), truth.all, "wall", "all again");
}

/* A timeline that was cut says so; what is not on it is in no span. */
async function a_cut_timeline_says_so(open) {
	const {page, data} = await open.run(["sh", "-c",
		"i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; sleep 0.1"], ["--timeline-max", "5"]);
	assert.match(await page.locator("#timeline-hint").innerText(), /^it ends after .* more changes than the timeline keeps$/);
	await chooseWeight(page, "samples");
	const whole = Number((await selection(page)).split(" ")[0].replace(/,/g, ""));
	await dragSpan(page, 0, 1);
	const part = Number((await selection(page)).split(" ")[0].replace(/,/g, ""));
	assert.ok(part > 0 && part < whole && data.timeline.cut > 0, `${part} of ${whole}`);
}

/* The graph, the sandwich and the waits too: all of them are of one model. */
/* Of many threads those that did the most have rows, the others one per process; all can be asked for. */
async function many_threads_are_folded(open) {
	const copies = 50, edit = withData((raw) => {
		const busiest = raw.rows.reduce((a, b) => b.length > a.length ? b : a);
		const line = raw.timeline.threads[raw.rows.indexOf(busiest)];
		const [process] = raw.threads;
		for (let i = 0; i < copies; i++) {
			raw.threads.push(process, 10000 + i, raw.threads[2]);
			raw.rows.push(i ? pack([]) : busiest);
			raw.timeline.threads.push(i ? pack([]) : line);
		}
	});
	const {page} = await open("timeline", {edit});
	const height = () => page.locator("#timeline canvas").evaluate((canvas) => canvas.clientHeight);
	const shown = () => page.locator("#threads .thread:visible").count();
	const few = await height();
	assert.ok(few <= 340 && await page.locator("#timeline").evaluate((box) => box.scrollHeight <= box.clientHeight + 1));
	assert.equal(await shown(), 12);
	assert.equal(await page.locator("#threads [data-tid='10000']").isVisible(), true);
	await page.locator("#more-threads").click();
	assert.equal(await shown(), copies + 3);
	await page.locator("#all-rows").click();
	assert.ok(await height() > 2 * few);
	/* The last row of the folded timeline stands for all that is in none. */
	await page.locator("#all-rows").click();
	await page.locator("#timeline canvas").click({position: {x: 300, y: few - 18 - 10}});
	assert.match(await selection(page), /(3[0-9]|4[0-9]) of 53 threads/);
}

async function everything_follows_the_span(open) {
	const {page, truth} = await open("timeline");
	const whole = (await readTable(page, "#waits")).reduce((sum, row) => sum + row.wait, 0);
	const span = await dragSpan(page, 0.25, 0.5);
	const waited = (from, to) => {
		const counts = new Map();
		for (const [time, row] of truth.samples) {
			if (time >= from && time < to && truth.rows[row].object)
				counts.set(row, (counts.get(row) || 0) + 1);
		}
		return [...counts].reduce((sum, [row, count]) =>
			sum + Math.round(truth.rows[row].times.wait * count / truth.rows[row].samples), 0);
	};
	assert.equal(whole, waited(0, Infinity));
	const shown = (await readTable(page, "#waits")).reduce((sum, row) => sum + row.wait, 0);
	assert.equal(shown, waited(span.from, span.to));
	assert.ok(shown > 0 && shown < whole);
	const flat = flatOfSpan(truth, span, truth.threads.map(({tid}) => tid));
	await chooseWeight(page, "samples");
	await pointAt(page, "#graph", 0.5, 0);
	const count = truth.samples.filter(([time]) => time >= span.from && time < span.to).length;
	assert.match(await selection(page), new RegExp(`^${count.toLocaleString("en-US")} samples`));
	await page.locator("#flat tbody tr").first().click();
	await settled(page);
	const name = await page.locator("#function-name").innerText();
	assert.match(await page.locator("#function-figures").innerText(),
		new RegExp(`^self ${flat.get(name).self.samples.toLocaleString("en-US")} `));
}

/* A program of this test, sampled by sprof itself: the whole of its timeline is all of it. */
async function a_real_run_has_its_timeline(open) {
	const {page, data} = await open.run(["sh", "-c",
		"i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; sleep 3"]);
	const duration = data.quality.duration_ns;
	await chooseWeight(page, "samples");
	const all = await readTable(page, "#flat");
	await dragSpan(page, 0, 1);
	const same = (await readTable(page, "#flat")).map((row) => `${row.name} ${row.self} ${row.total}`);
	assert.deepEqual(same.sort(), all.filter((row) => row.total).map((row) =>
		`${row.name} ${row.self} ${row.total}`).sort());
	/* It sleeps at the end: a part of that is blocked time and nothing else, and as long as it is. */
	await chooseWeight(page, "wall");
	const span = await dragSpan(page, 0.7, 0.8);
	assert.ok(span.to < 1.1 * duration, `${span.to} of ${duration}`);
	const percent = Number((await page.locator(".card.wait .share").innerText()).split(" ")[0]);
	assert.ok(percent > 99, percent);
}

/* Those of a slice begin together, and have the whole of its time together. */
async function runs_without_length_count() {
	const model = fs.readFileSync(path.join(__dirname, "../../output/web/model.js"), "utf8");
	const firstRunAfter = new Function("CLASSES", `${model}\nreturn firstRunAfter;`)([]);
	const runs = {count: 4, start: [0, 0, 20, 20], length: [0, 20, 0, 20]};
	assert.deepEqual([0, 1, 20, 40].map((time) => firstRunAfter(runs, time)), [0, 1, 2, 4]);
}

/* What was saved with --time-slices: the same page, but for times that are those of slices. */
async function a_report_of_slices_has_a_timeline(open) {
	const {page, data} = await open.run(["sh", "-c",
		"i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; sleep 3"], ["--time-slices", "20ms"], "pb.gz");
	assert.equal(data.timeline.unit, 1000);
	await chooseWeight(page, "samples");
	const all = await selection(page);
	await dragSpan(page, 0, 1);
	assert.ok((await selection(page)).startsWith(`${all} · 0 s to`), `${await selection(page)} of ${all}`);
	await chooseWeight(page, "wall");
	await dragSpan(page, 0.8, 0.9);
	assert.ok(Number((await page.locator(".card.wait .share").innerText()).split(" ")[0]) > 99);
}

async function names_stay_text(open) {
	const {page, truth} = await open("hostile");
	const shown = (await readTable(page, "#flat")).map((row) => row.name).sort();
	assert.deepEqual(shown, truth.all.functions.map(keyOf).sort());
	assert.ok(shown.some((name) => name.startsWith("<script>window.hacked=1</script>\n")));
	for (const row of await page.locator("#flat tbody tr").all()) {
		await row.click();
		await row.hover();
	}
	for (let row = 1; row < 6; row++)
		await pointAt(page, "#graph", 0.1, row);
	await page.locator("#search").fill("<script>");
	await page.locator("#colours button", {hasText: "module"}).click();
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.evaluate(() => document.scripts.length), 2);
	assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, b, a[href]").length), 0);
	assert.match(await page.title(), /^\.\/x "<script>window\.hacked=4<\/script>" - sprof$/);
	assert.equal(await page.locator(".thread-name").innerText(), "<b>thread</b>?");
}

async function it_runs_nothing_but_its_own_script(open) {
	const edit = (text) => text.replace("</body>", "<script>window.hacked=1</script>" +
		"<img src='https://example.invalid/x.png' onerror='window.hacked=2'></body>");
	const {page} = await open("worked", {edit});
	await page.locator("#flat tbody tr").first().click();
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	/* The browser tells of the request, too, which it did not send. */
	const refused = page.complaints.splice(0).filter((text) => !text.startsWith("request: "));
	assert.equal(refused.length, 3, refused);
	for (const text of refused)
		assert.match(text, /violates the following Content Security Policy/);
}

async function all_of_it_works_from_the_keyboard(open) {
	const {page} = await open("mixed");
	const press = async (...keys) => {
		for (const key of keys)
			await page.keyboard.press(key);
	};
	const pressed = (group) => page.locator(`#${group} [aria-pressed=true]`).getAttribute("data-value");
	await press("2");
	assert.equal(await pressed("weights"), "user");
	await press("i");
	assert.equal(await pressed("views"), "callers");
	await press("i", "c", "f", "1");
	assert.equal(await pressed("colours"), "module");
	assert.equal(await pressed("layouts"), "flame");
	await press("f", "/");
	await page.keyboard.type("leaf");
	assert.match(await page.locator("#match").innerText(), /% matches/);
	await press("Escape", "Tab");
	await page.locator("#search").evaluate((field) => field.blur());
	await press("t", "ArrowDown", "Enter");
	await settled(page);
	const second = await page.locator("#flat tbody tr").nth(1).locator(".name").first().innerText();
	assert.equal(await page.locator("#function-name").innerText(), second);
	await press("6", "g", "ArrowDown");
	assert.match(await tooltip(page), /^main\n[^]*samples/);
	await press("ArrowRight");
	assert.doesNotMatch(await tooltip(page), /\/opt\/app\/two/);
	await press("Enter");
	const zoomed = await page.locator("#path").innerText();
	assert.match(zoomed, /^all › /);
	await press("Home", "Enter", "?");
	assert.equal(await page.locator("#path").innerText(), "all");
	assert.equal(await page.locator("#keys").isVisible(), true);
	await press("?");
	assert.equal(await page.locator("#keys").isVisible(), false);
}

/* Every control that can be clicked can be reached by Tab, and shows that it was. */
async function tab_reaches_every_part(open) {
	const {page} = await open("mixed");
	await page.locator("#flat tbody tr", {hasText: "inner"}).first().click();
	await settled(page);
	const seen = new Set();
	for (let i = 0; i < 120; i++) {
		await page.keyboard.press("Tab");
		const where = await page.evaluate(() => {
			const node = document.activeElement;
			const outlined = getComputedStyle(node).outlineStyle !== "none" ||
				Boolean(node.closest(".graph"));
			return [node.closest("[id]")?.id || node.tagName, outlined];
		});
		assert.ok(where[1] || where[0] === "BODY", `focus can't be seen at ${where[0]}`);
		seen.add(where[0]);
	}
	for (const id of ["theme", "help", "cards", "quality", "threads", "weights", "views", "colours",
		"layouts", "search", "graph", "flat", "callers-graph", "callers", "callees-graph", "lines"])
		assert.ok(seen.has(id), `Tab never came to ${id}: ${[...seen]}`);
}

async function light_and_dark_can_both_be_read(open) {
	const backgrounds = [];
	for (const scheme of ["light", "dark"]) {
		const {page} = await open("mixed", {scheme});
		backgrounds.push(luminance(await rgb(page, "body", "backgroundColor")));
		const panel = await rgb(page, ".panel", "backgroundColor");
		for (const selector of ["#headline", "#facts", "td", ".hint", ".module", "th button", ".link"]) {
			const ratio = contrast(await rgb(page, selector, "color"), panel);
			assert.ok(ratio >= 4.5, `${scheme} ${selector}: contrast ${ratio.toFixed(2)}`);
		}
	}
	assert.ok(backgrounds[0] > 0.7 && backgrounds[1] < 0.1, backgrounds);
	const {page} = await open("mixed", {scheme: "light"});
	await page.locator("#theme").click();
	await page.locator("#theme").click();
	assert.equal(await page.locator("#theme").innerText(), "Theme: dark");
	assert.ok(luminance(await rgb(page, "body", "backgroundColor")) < 0.1);
}

async function a_difference_shows_what_changed(open) {
	const {page} = await open("difference");
	const read = async () => Object.fromEntries((await readTable(page, "#flat")).map((row) =>
		[row.name.split("\n")[0], [row.self, row.before, row.change]]));
	const rows = await read();
	assert.deepEqual(rows.slow, [20000000, 50000000, -30000000]);
	assert.deepEqual(rows.new, [30000000, 0, 30000000]);
	assert.deepEqual(rows.gone, [0, 5000000, -5000000]);
	assert.deepEqual(rows.same, [10000000, 10000000, 0]);
	const sentence = await page.locator("#headline").innerText();
	assert.match(sentence, /faster|slower|less|more/);
	assert.ok((await page.title()).startsWith(`${sentence} - `), await page.title());
	/* Both sides: what stayed, grew and shrank is 20 + 30 + 10 + 5 + 30 of slow, same, gone and new. */
	assert.match(await selection(page), /^95\.0 ms/);
	await pointAt(page, "#graph", 0.1, 2);
	assert.match(await tooltip(page), /^slow\n[^]*before 50\.0 ms, less by 30\.0 ms/);
	await page.locator("#sides button", {hasText: "now"}).click();
	assert.match(await selection(page), /^60\.0 ms/);
	await pointAt(page, "#graph", 0.1, 2);
	assert.match(await tooltip(page), /^new\n[^]*before 0 s, more by 30\.0 ms/);
	await page.locator("#sides button", {hasText: "before"}).click();
	await pointAt(page, "#graph", 0.1, 2);
	assert.match(await tooltip(page), /^slow\n[^]*before 50\.0 ms, less by 30\.0 ms/);
}

async function a_difference_of_unlike_weights_is_scaled(open) {
	const {page} = await open("normalised");
	const rows = Object.fromEntries((await readTable(page, "#flat")).map((row) =>
		[row.name.split("\n")[0], row]));
	for (const [name, change] of [["slow", 20 - 50 * 60 / 65], ["same", 10 - 10 * 60 / 65], ["new", 30]])
		assert.ok(Math.abs(rows[name].change / 1e6 - change) < 1e-6, `${name} ${rows[name].change}`);
	assert.match(await page.locator("#legend").innerText(), /before counts 0\.92 times/);
}

async function another_tools_weight_has_its_name_and_unit(open) {
	const {page, truth} = await open("foreign");
	assert.equal(await page.locator("#weights").innerText(), "alloc_space");
	assert.equal(await selection(page), "6.00 KiB alloc_space");
	const rows = await readTable(page, "#flat");
	assert.equal(rows.find((row) => row.name.startsWith("alloc")).total, 3072);
	assert.deepEqual(rows.map((row) => row.self).sort(), truth.all.functions.map((row) => row.self.value).sort());
	assert.equal(await page.locator("#quality").isVisible(), true);
}

async function a_very_deep_stack_is_shown(open) {
	const depth = 20000;
	const edit = withData((raw) => {
		raw.nodes = pack([1, 0].concat(...Array.from({length: depth - 1}, () => [1, 1])));
		raw.rows = [pack([depth, 0, 0, 7, 7e6, 0, 0, 0, 0])];
	});
	const {page} = await open("worked", {edit});
	await chooseWeight(page, "samples");
	const rows = (await readTable(page, "#flat")).map((row) => [row.name.split("\n")[0], row.self, row.total]);
	assert.deepEqual(rows, [["a", 7, 7], ["main", 0, 7]]);
	await page.locator("#graph").evaluate((box) => box.scrollTo(0, box.scrollHeight));
	await pointAt(page, "#graph", 0.5, 5);
	assert.match(await tooltip(page), /^a\n[^]*7 samples, 100\.0 %/);
	await clickAt(page, "#graph", 0.5, 6);
	assert.match(await page.locator("#path").innerText(), /^all › … › a › a › a › a$/);
}

async function a_large_profile_zooms_at_once(open) {
	const {page, truth} = await open("large");
	await chooseWeight(page, "samples");
	assert.equal(truth.all.whole.samples, 1000000);
	assert.equal(await selection(page), "1,000,000 samples");
	await page.locator("#search").fill("stage_41_");
	const [row] = truth.all.functions.filter(({name}) => name.includes("stage_41_"));
	assert.equal(Number(await page.locator("#match").getAttribute("data-value")), row?.total.samples || 0);
	await clickAt(page, "#graph", 0.2, 6);
	assert.match(await page.locator("#path").innerText(), /^all › /);
}

main({
	figures_equal_the_model,
	the_canonical_profile_is_the_model,
	each_thread_equals_the_model,
	a_thread_can_be_left_out,
	the_worked_example_can_be_read_and_zoomed,
	zoom_survives_a_change_of_weight,
	inverted_starts_at_the_innermost_functions,
	search_counts_each_sample_once,
	every_column_sorts_both_ways,
	the_chosen_function_has_callers_callees_and_lines,
	waits_are_grouped_by_what_they_wait_for,
	parts_without_data_are_hidden,
	a_missing_timeline_is_explained,
	waits_are_in_own_functions,
	idle_threads_are_folded,
	a_thin_stack_makes_no_hole,
	colours_are_those_of_the_weight,
	names_have_room_or_a_title,
	many_processes_leave_no_hole,
	a_timeline_selects_a_span,
	a_span_and_threads_go_together,
	many_threads_are_folded,
	everything_follows_the_span,
	a_real_run_has_its_timeline,
	a_cut_timeline_says_so,
	runs_without_length_count,
	a_report_of_slices_has_a_timeline,
	names_stay_text,
	it_runs_nothing_but_its_own_script,
	all_of_it_works_from_the_keyboard,
	tab_reaches_every_part,
	light_and_dark_can_both_be_read,
	a_difference_shows_what_changed,
	a_difference_of_unlike_weights_is_scaled,
	another_tools_weight_has_its_name_and_unit,
	a_very_deep_stack_is_shown,
	a_large_profile_zooms_at_once,
});
