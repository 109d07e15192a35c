/*
 * The summary of a profile of something other than time, such as memory: the total, and the places
 * in the program that it comes from. Library functions appear only in the paths.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/summary/summary.h"
#include "output/units.h"
#include "profile/views/sites.h"

enum {
	SENTENCE = 3,           /* lines */
	FIGURES = 7 + 2 + 8 + 2 /* "100.0 %  1023 KiB  " */
};

/* Percent of the whole: the least for a row, and for being named in the sentence. */
static const double least_row = 0.5, least_named = 5;

/* "growth", "allocated per second". */
static char *kind_words(const struct sprof_summary *summary)
{
	char *words = sprof_clean_text(
		sprof_profile_weight_name(summary->profile, summary->view.weight), NULL);

	for (char *at = words; at && *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return words;
}

/* "./server -v: 1 process, 6 threads" */
static void put_title(struct sprof_summary *summary)
{
	const struct sprof_profile *profile = summary->profile;
	const char *command = profile->command ? profile->command : "unknown program";
	SPROF_AUTO_FREE char *clean = sprof_clean_text(command, NULL);
	SPROF_AUTO_FREE char *name =
		clean ? sprof_fit(clean, sprof_summary_room(summary) / 2) : NULL;
	SPROF_AUTO_FREE char *text = !name
		? NULL
		: sprof_string_print("%s: %zu process%s, %zu thread%s", name,
			  profile->process_count, profile->process_count == 1 ? "" : "es",
			  profile->thread_count, sprof_string_plural(profile->thread_count));

	sprof_summary_put_text(summary, "sprof", text, 1);
}

/* "server.c:16"; empty: not known. */
static char *place_of(const struct sprof_site *site)
{
	return sprof_clean_text(sprof_site_place(site->file, site->line).text, NULL);
}

/* ", 99 % of it in read_history (server.c:16)" */
static char *first_place(const struct sprof_summary *summary, const struct sprof_sites *sites)
{
	const struct sprof_site *first = sites->items;
	const double percent = sites->count ? sprof_percent(first->value, sites->whole) : 0;
	SPROF_AUTO_FREE char *name = NULL, *place = NULL;

	if (percent < least_named)
		return strdup(" in many places");
	name = sprof_fit_function(summary->profile->functions[first->function].name, true,
		sprof_summary_room(summary) / 2);
	place = place_of(first);
	if (!name || !place)
		return NULL;
	return sprof_string_print(", %.0f %% of it in %s%s%s%s", percent, name,
		place[0] ? " (" : "", place, place[0] ? ")" : "");
}

/* "at least 10 MiB", "about 10 MiB (+- 11 %)" */
static void format_sum(const struct sprof_summary *summary, uint64_t sum, char *buffer, size_t size)
{
	const struct sprof_kinds *kinds = &summary->profile->kinds;
	const struct sprof_figure figure =
		sprof_figure_value(summary->profile, summary->view.weight, sum);

	if (kinds->are_lower_bounds)
		snprintf(buffer, size, "at least %s", figure.text);
	else if (kinds->error_percent == UINT_MAX)
		snprintf(buffer, size, "about %s (too little was seen)", figure.text);
	else if (kinds->error_percent)
		snprintf(buffer, size, "about %s (+- %u %%)", figure.text, kinds->error_percent);
	else
		snprintf(buffer, size, "%s", figure.text);
}

static char *sentence(const struct sprof_summary *summary, const struct sprof_sites *sites)
{
	SPROF_AUTO_FREE char *kind = kind_words(summary), *first = first_place(summary, sites);
	char sum[64];

	if (!kind || !first)
		return NULL;
	format_sum(summary, sites->whole, sum, sizeof(sum));
	return sites->whole ? sprof_string_print("%s %s%s", sum, kind, first)
			    : sprof_string_print("no %s was seen", kind);
}

/* The place stays whole where there is room for both. */
static char *site_text(const struct sprof_summary *summary, const struct sprof_site *site)
{
	SPROF_AUTO_FREE char *place = place_of(site), *name = NULL;
	const size_t left = sprof_summary_room(summary) - FIGURES,
		     more = place ? sprof_fit_length(place) + 2 : 0;
	const bool has_place = more > 2 && more + left / 3 < left;

	if (!place)
		return NULL;
	name = sprof_fit_function(summary->profile->functions[site->function].name, false,
		has_place ? left - more : left);
	return name
		? sprof_string_print("%s%s%s", name, has_place ? "  " : "", has_place ? place : "")
		: NULL;
}

static void put_sites(struct sprof_summary *summary, const struct sprof_sites *sites, size_t rows)
{
	for (size_t i = 0; i < sites->count && i < rows; i++) {
		const struct sprof_site *site = &sites->items[i];
		const double percent = sprof_percent(site->value, sites->whole);
		SPROF_AUTO_FREE char *text = NULL;

		if (percent < least_row)
			break;
		text = site_text(summary, site);
		if (!text)
			sprof_out_fail(summary->out, ENOMEM);
		sprof_summary_put_label(summary, i ? "" : "places");
		sprof_out_printf(summary->out, "%5.1f %%  %8s  %s", percent,
			sprof_figure_value(summary->profile, summary->view.weight, site->value)
				.text,
			text ? text : "");
		sprof_summary_end_line(summary);
	}
}

bool sprof_summary_put_counts(struct sprof_summary *summary, struct sprof_error *err)
{
	const size_t next = summary->options.whole_report ? 1 : 0;
	SPROF_AUTO_FREE char *verdict = NULL;
	struct sprof_sites sites;

	summary->view = (struct sprof_view){
		.weight = summary->options.weight, .thread = SPROF_PROFILE_NONE};
	if (!sprof_sites_build(summary->profile, &summary->view, &sites, err))
		return false;
	summary->whole = sites.whole;
	put_title(summary);
	verdict = sentence(summary, &sites);
	sprof_summary_put_text(summary, "verdict", verdict, SENTENCE);
	if (!sites.whole) {
		sprof_sites_finish(&sites);
		return true;
	}
	sprof_summary_put_gap(summary);
	put_sites(summary, &sites, sprof_summary_rows_left(summary, 2, next));
	sprof_sites_finish(&sites);
	sprof_summary_put_gap(summary);
	if (!sprof_summary_put_paths(summary, sprof_summary_rows_left(summary, 1, next), err))
		return false;
	sprof_summary_put_gap(summary);
	sprof_summary_put_next(summary);
	return true;
}
