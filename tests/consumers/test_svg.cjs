/*
 * The flame graph that stands alone, in Chromium: widths and tooltips are the model's figures, it
 * zooms and searches by mouse and keyboard, and names stay text.
 */
"use strict";
const {assert, main} = require("./browser.cjs");

const open_svg = (open, kind, options = {}) => open(kind, {file: "flame.svg", ...options});

/* The frames that are drawn now: their tooltips, widths in px, and colours' classes. */
async function frames(page) {
	return page.evaluate(() => [...document.querySelectorAll("#frames g")]
		.filter((group) => group.style.display !== "none").map((group) => {
			const [name, figures] = group.querySelector("title").textContent.split("\n");
			const rect = group.querySelector("rect");
			return {name: name.replace(/ \(one\)$/, ""), figures, colour: rect.className.baseVal,
				width: Number(rect.getAttribute("width")), label: group.querySelector("text").textContent};
		}));
}

function frame(page, name) {
	return page.locator("#frames g", {has: page.locator(`xpath=.//*[local-name()="title" and ` +
		`starts-with(., "${name} ")]`)}).first();
}

async function widths_and_tooltips_are_the_figures(open) {
	const {page} = await open_svg(open, "worked");
	const shown = await frames(page);
	assert.deepEqual(shown.map(({name, figures}) => [name, figures]), [
		["all", "17.0 ms, 100.00 %; self 0 s"],
		["main", "17.0 ms, 100.00 %; self 1.00 ms"],
		["a", "16.0 ms, 94.12 %; self 2.00 ms"],
		["b", "12.0 ms, 70.59 %; self 4.00 ms"],
		["c", "8.00 ms, 47.06 %; self 8.00 ms"],
		["c", "2.00 ms, 11.76 %; self 2.00 ms"],
	]);
	for (const {width, figures} of shown)
		assert.ok(Math.abs(width / 12 - parseFloat(figures.split(", ")[1])) < 0.01, figures);
}

/* Frames below a quarter of a pixel are left out; the others are the model's to the last digit. */
async function totals_of(page) {
	const shown = await page.locator("#frames g").evaluateAll((groups) => groups.map((group) => ({
		name: group.querySelector("title").textContent.split("\n")[0],
		depth: Number(group.dataset.d), total: Number(group.dataset.t)})));
	const stack = [], totals = new Map();
	for (const {name, depth, total} of shown) {
		stack.length = depth;
		if (depth && !stack.includes(name))
			totals.set(name, (totals.get(name) || 0) + total);
		stack.push(name);
	}
	return {totals, whole: shown[0].total};
}

/* The one that all formats are asked of: hostile names, recursion, several processes. */
async function the_canonical_profile_is_the_model(open) {
	const {page, truth} = await open_svg(open, "canonical");
	const {totals, whole} = await totals_of(page);
	assert.equal(whole, truth.whole);
	const got = new Map([...totals].map(([name, total]) => [name.replace(/ \([^()]*\)$/, ""), total]));
	for (const {name, total} of truth.light.filter(({total: {samples}}) => samples))
		assert.equal(got.get(name) ?? got.get(name.replace(/ \([^()]*\)$/, "")), total.samples, name);
}

async function random_profiles_are_the_model(open) {
	for (let seed = 1; seed <= 20; seed++) {
		const {page, truth} = await open_svg(open, "random", {seed});
		const {totals, whole} = await totals_of(page);
		assert.equal(whole, truth.all.whole.samples);
		for (const {name, module, total} of truth.all.functions) {
			const got = totals.get(`${name} (${module})`) || 0;
			assert.ok(got <= total.samples && total.samples - got <= 0.0002 * whole * 300,
				`${seed} ${name}: ${got} of ${total.samples}`);
		}
	}
}

async function a_click_zooms_and_reset_goes_back(open) {
	const {page} = await open_svg(open, "worked");
	await frame(page, "b").click();
	const shown = await frames(page);
	assert.deepEqual(shown.map(({name}) => name), ["all", "main", "a", "b", "c"]);
	assert.equal(shown[3].width, 1200);
	assert.equal(Math.round(shown[4].width), 800);
	await page.locator("#reset").click();
	assert.equal((await frames(page)).length, 6);
}

async function search_counts_each_sample_once(open) {
	const {page} = await open_svg(open, "worked");
	await page.locator("#search").fill("a");
	assert.equal(await page.locator("#match").innerText(), "100.0 % matches");
	await page.locator("#search").fill("b");
	assert.equal(await page.locator("#match").innerText(), "70.6 % matches");
	await page.locator("#search").press("Escape");
	assert.equal(await page.locator("#match").innerText(), "");
}

async function it_works_from_the_keyboard(open) {
	const {page} = await open_svg(open, "worked");
	const cursor = () => page.evaluate(() =>
		document.querySelector("#frames g.cursor title").textContent.split(/[ \n]/)[0]);
	for (const key of ["ArrowUp", "ArrowUp", "ArrowUp"])
		await page.keyboard.press(key);
	assert.equal(await cursor(), "b");
	await page.keyboard.press("ArrowRight");
	assert.equal(await cursor(), "c");
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("Enter");
	assert.equal((await frames(page)).length, 5);
	await page.keyboard.press("Escape");
	assert.equal((await frames(page)).length, 6);
	await page.keyboard.press("/");
	await page.keyboard.type("c");
	assert.equal(await page.locator("#match").innerText(), "58.8 % matches");
}

async function names_stay_text(open) {
	const {page} = await open_svg(open, "hostile");
	assert.ok((await frames(page)).some(({name}) => name.startsWith("<script>window.hacked=1</script>")));
	assert.equal(await page.evaluate(() => window.hacked), undefined);
	assert.equal(await page.evaluate(() => document.querySelectorAll("script").length), 1);
	assert.equal(await page.evaluate(() => document.querySelectorAll("img, b").length), 0);
}

async function a_difference_is_red_and_blue(open) {
	const {page} = await open_svg(open, "difference");
	const shown = Object.fromEntries((await frames(page)).map((one) => [one.name, one]));
	assert.equal(shown.new.colour, "more");
	assert.equal(shown.slow.colour, "less");
	assert.equal(shown.slow.figures, "20.0 ms, 33.33 %; self 20.0 ms; before 50.0 ms, 76.92 %; self 50.0 ms");
	assert.equal(shown.gone, undefined);
	assert.equal(shown.same.colour, "none");
	assert.ok(Math.abs(shown.new.width - 600) < 0.01);
}

async function a_difference_of_unlike_weights_is_scaled(open) {
	const {page} = await open_svg(open, "normalised");
	const shown = Object.fromEntries((await frames(page)).map((one) => [one.name, one.colour]));
	assert.deepEqual([shown.main, shown.same, shown.slow], ["none", "more", "less"]);
}

async function light_and_dark_differ(open) {
	const colours = [];
	for (const scheme of ["light", "dark"]) {
		const {page} = await open_svg(open, "worked", {scheme});
		colours.push(await page.evaluate(() => getComputedStyle(document.querySelector("rect.page")).fill));
	}
	assert.deepEqual(colours, ["rgb(255, 255, 255)", "rgb(17, 21, 27)"]);
}

main({
	widths_and_tooltips_are_the_figures,
	the_canonical_profile_is_the_model,
	random_profiles_are_the_model,
	a_click_zooms_and_reset_goes_back,
	search_counts_each_sample_once,
	it_works_from_the_keyboard,
	names_stay_text,
	a_difference_is_red_and_blue,
	a_difference_of_unlike_weights_is_scaled,
	light_and_dark_differ,
});
