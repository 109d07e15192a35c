/*
 * The places in the program that figures come from: for memory, where it allocates. The flat
 * profile lists the allocator's own functions first.
 */
#include <stdio.h>

#include "output/text/text.h"
#include "profile/views/sites.h"

enum { TOP = 10 };

static void write_row(const struct sprof_text *text, const struct sprof_site *site, uint64_t whole)
{
	const struct sprof_profile *profile = text->profile;
	const struct sprof_site_place place = sprof_site_place(site->file, site->line);
	char suffix[sizeof(place.text) + 2];
	struct sprof_row row = {.out = text->out};

	snprintf(suffix, sizeof(suffix), "%s%s", place.text[0] ? "  " : "", place.text);
	sprof_row_percent(&row, "", 5, sprof_percent(site->value, whole));
	sprof_text_value(text, &row, "", site->value);
	sprof_row_gap(&row, 2, "");
	sprof_text_end_with_function(
		text, row.length, profile->functions[site->function].name, suffix);
}

static void write_rows(const struct sprof_text *text, const struct sprof_sites *sites)
{
	const uint64_t whole = sprof_text_whole(text, sites->whole);
	size_t top = text->options.full ? sites->count : TOP;

	if (text->options.top && text->options.top < top)
		top = text->options.top;
	for (size_t i = 0; i < sites->count && i < top; i++) {
		const struct sprof_site *site = &sites->items[i];

		if (sprof_text_is_small(text, sprof_percent(site->value, whole)))
			break;
		write_row(text, site, whole);
	}
}

bool sprof_text_sites(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = text->options.weight, .thread = thread};
	struct sprof_sites sites;

	if (sprof_profile_counts_time(text->profile))
		return true;
	if (!sprof_sites_build(text->profile, &view, &sites, err))
		return false;
	if (sites.count) {
		sprof_text_title(text, "places in the program");
		write_rows(text, &sites);
	}
	sprof_sites_finish(&sites);
	return true;
}
