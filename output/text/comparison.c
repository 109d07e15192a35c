/*
 * The comparison on one screen: the cause, the total, and the functions that account for it. Times
 * are those of a run, or medians of several.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/comparison-words.h"
#include "output/text/text.h"
#include "output/units.h"
#include "profile/identity/identity.h"
#include "profile/views/sites.h"

enum {
	ROWS = 15, /* that a screen has room for */
	/*
	 * samples on a CPU; with that many, a change by a fifth shows in a function with half of
	 * them
	 */
	FEW = 1000,
};

struct screen {
	const struct sprof_text *text;
	const struct sprof_comparison *comparison;
};

static struct sprof_figure figure(const struct screen *screen, double value)
{
	return sprof_figure_value(
		screen->text->profile, screen->text->options.weight, (uint64_t)(fabs(value) + 0.5));
}

/* "; median of 5 runs before, 1.2 s to 1.3 s, and of 5 now, 1.4 s to 1.5 s". */
static void write_runs(const struct screen *screen)
{
	static const char *const when[] = {"before", "now"};
	const struct sprof_comparison *comparison = screen->comparison;

	for (int side = 0; side < SPROF_SIDES; side++)
		sprof_out_printf(screen->text->out, "%s of %zu run%s %s, %s to %s",
			side ? ", and" : "; median", comparison->runs[side],
			sprof_string_plural(comparison->runs[side]), when[side],
			figure(screen, comparison->whole[side].low).text,
			figure(screen, comparison->whole[side].high).text);
}

static bool has_several(const struct sprof_comparison *comparison)
{
	return comparison->runs[SPROF_SIDE_BASE] + comparison->runs[SPROF_SIDE_NEW] > SPROF_SIDES;
}

/* Suggests more samples if there were too few for the first line to name a function. */
static void write_samples(const struct screen *screen)
{
	const struct sprof_comparison *comparison = screen->comparison;

	for (size_t i = 0; i < comparison->count; i++) {
		if (comparison->rows[i].is_likely && comparison->rows[i].is_cause)
			return;
	}
	if (comparison->cpu_samples < FEW)
		sprof_out_printf(screen->text->out,
			"only %.0f samples on a CPU: longer runs or a higher --rate show smaller changes\n",
			comparison->cpu_samples);
}

static void write_whole(const struct screen *screen)
{
	const struct sprof_text *text = screen->text;
	const struct sprof_comparison *comparison = screen->comparison;

	sprof_out_printf(text->out, "in all, by %s: %s",
		sprof_profile_weight_name(text->profile, text->options.weight),
		sprof_change_words(text->profile, text->options.weight, comparison->whole).text);
	if (has_several(comparison))
		write_runs(screen);
	sprof_out_puts(text->out, "\n");
	if (!has_several(comparison))
		sprof_out_puts(text->out,
			"one run of each: how much runs vary without a change is not known; with several\n"
			"it is: sprof diff BEFORE... -- AFTER...\n");
	else if (comparison->are_few)
		sprof_out_puts(text->out,
			"so few runs can't show that a change is more than chance: 4 of each can\n");
	else
		sprof_out_printf(text->out, "%s\n",
			comparison->is_sure
				? "that is more than the runs of one side differ"
				: "the runs of one side differ as much: it may be chance");
	write_samples(screen);
}

static const char *module_path(const struct screen *screen, uint32_t function)
{
	const struct sprof_profile *profile = screen->text->profile;
	const uint32_t module = profile->functions[function].module;

	return module == SPROF_PROFILE_NONE ? ""
					    : sprof_modules_get(profile->modules, module)->path;
}

/* The last parts of a path, as many as there is room for. */
static struct sprof_site_place path_end(const char *path, size_t parts)
{
	const char *end = path + strlen(path), *at = end;
	struct sprof_site_place place = {""};

	for (; at > path && (size_t)(end - at) + 1 < sizeof(place.text); at--) {
		if (at[-1] == '/' && !parts--)
			break;
	}
	snprintf(place.text, sizeof(place.text), "%s", at);
	return place;
}

/*
 * What distinguishes functions of one name: file and line, or else as much of the module's path as
 * the others don't have; "".
 */
static struct sprof_site_place place_of(const struct screen *screen, uint32_t function)
{
	const struct sprof_profile_function *functions = screen->text->profile->functions;
	const struct sprof_profile_function *own = &functions[function];
	const char *path = module_path(screen, function);
	struct sprof_site_place place = sprof_site_place(own->file, own->line), others;
	bool has_namesake = false, is_alike = false;
	size_t common = 0;

	for (size_t i = 0; i < screen->comparison->count; i++) {
		const uint32_t other = screen->comparison->rows[i].function;
		size_t parts;

		if (other == function || other == SPROF_PROFILE_NONE ||
			strcmp(functions[other].name, own->name) != 0)
			continue;
		has_namesake = true;
		others = sprof_site_place(functions[other].file, functions[other].line);
		if (functions[other].module == own->module ||
			(place.text[0] && strcmp(others.text, place.text) != 0))
			continue;
		is_alike = true;
		parts = sprof_identity_common_parts(path, module_path(screen, other));
		common = parts > common ? parts : common;
	}
	if (!has_namesake)
		return (struct sprof_site_place){""};
	return is_alike ? path_end(path, common) : place;
}

static const char *presence_text(enum sprof_presence presence)
{
	static const char *const texts[] = {
		[SPROF_PRESENT_BOTH] = "",
		[SPROF_PRESENT_NEW] = " (new)",
		[SPROF_PRESENT_GONE] = " (gone)",
		[SPROF_PRESENT_INLINED] = " (inlined now)",
		[SPROF_PRESENT_NOT_INLINED] = " (no longer inlined)",
	};

	return texts[presence];
}

static void write_name(
	const struct screen *screen, const struct sprof_comparison_row *row, size_t column)
{
	const struct sprof_profile *profile = screen->text->profile;
	const struct sprof_profile_function *function;
	struct sprof_site_place place;
	char suffix[128];

	if (row->function == SPROF_PROFILE_NONE) {
		sprof_out_puts(screen->text->out,
			row->is_queue ? "(waiting for a CPU)\n" : "(idle: waiting for work)\n");
		return;
	}
	function = &profile->functions[row->function];
	place = place_of(screen, row->function);
	snprintf(suffix, sizeof(suffix), "%s%s%s", place.text[0] ? "  " : "", place.text,
		presence_text(row->presence));
	sprof_text_end_with_function(screen->text, column, function->name, suffix);
}

/* Returns the number of characters. */
static size_t write_figures(
	const struct screen *screen, const struct sprof_comparison_row *function, bool is_head)
{
	const double before = function->sides[SPROF_SIDE_BASE].median,
		     now = function->sides[SPROF_SIDE_NEW].median;
	struct sprof_row row = {.out = screen->text->out, .is_head = is_head};
	char change[48], factor[32] = "-";

	snprintf(change, sizeof(change), "%c%s", now < before ? '-' : '+',
		figure(screen, now - before).text);
	if (before > 0)
		snprintf(factor, sizeof(factor), "%.2f", now / before);
	sprof_row_text(&row, " ", 1, function->is_sure ? " " : "~");
	sprof_row_text(&row, "change", 11, change);
	sprof_row_text(&row, "before", 9, figure(screen, before).text);
	sprof_row_text(&row, "now", 9, figure(screen, now).text);
	sprof_row_text(&row, "x", 9, factor);
	sprof_row_gap(&row, 2, "function, with its libraries");
	return row.length;
}

static size_t rows_that_fit(const struct sprof_text *text)
{
	const size_t top = text->options.top;

	if (text->options.full)
		return SIZE_MAX;
	return top && top < ROWS ? top : ROWS;
}

/* Rows are sorted by change: the remaining ones have not changed. */
static size_t changed_rows(const struct sprof_comparison *comparison)
{
	size_t count = 0;

	while (count < comparison->count && sprof_comparison_change(&comparison->rows[count]) != 0)
		count++;
	return count;
}

static void write_rows(const struct screen *screen)
{
	const struct sprof_text *text = screen->text;
	const struct sprof_comparison *comparison = screen->comparison;
	const size_t count = text->options.full ? comparison->count : changed_rows(comparison);
	const size_t most = rows_that_fit(text);
	bool has_doubt = false;

	if (!count)
		return;
	sprof_out_puts(text->out, "\n");
	write_figures(screen, &(struct sprof_comparison_row){0}, true);
	for (size_t i = 0; i < count && i < most; i++) {
		write_name(screen, &comparison->rows[i],
			write_figures(screen, &comparison->rows[i], false));
		has_doubt |= !comparison->rows[i].is_sure;
	}
	if (count > most)
		sprof_out_printf(text->out, "  and %zu more that changed less: --full has all\n",
			count - most);
	if (has_doubt)
		sprof_out_puts(text->out, "~: it may be chance\n");
}

bool sprof_text_comparison(const struct sprof_text *text, struct sprof_error *err)
{
	struct sprof_comparison comparison;
	const struct screen screen = {text, &comparison};
	SPROF_AUTO_FREE char *sentence = NULL;

	if (!sprof_comparison_build(text->profile, text->options.base_threads, text->options.weight,
		    &comparison, err))
		return false;
	sentence = sprof_comparison_sentence(text->profile, text->options.weight, &comparison);
	if (sentence) {
		sprof_out_printf(text->out, "%s\n", sentence);
		write_whole(&screen);
		write_rows(&screen);
	}
	sprof_comparison_finish(&comparison);
	return sentence || sprof_error_no_memory(err);
}
