/*
 * Groups by a label, for example the ranks of a parallel job: a table of each group's time, then
 * each group's flat profile. Rows without the label form one more group.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/units.h"

/* The width of a row before the name, without the columns of times. */
enum { INDENT = 6 + 9 + 2, COUNTS = 9 + 8, COLUMN = 9, VALUE = 9 };

static const char *name_of(const struct sprof_group *group)
{
	return group->name ? group->name : "(none)";
}

static size_t columns_of(const struct sprof_text *text, const enum sprof_weight **ret)
{
	return sprof_profile_counts_time(text->profile) ? sprof_text_columns(text, ret) : 0;
}

/* Whether the groups are from several hosts. */
static bool has_hosts(const struct sprof_groups *groups)
{
	for (size_t i = 1; i < groups->count; i++) {
		const char *host = groups->items[i].host, *first = groups->items[0].host;

		if (host && first && strcmp(host, first) != 0)
			return true;
	}
	return false;
}

static void write_head(const struct sprof_text *text)
{
	const enum sprof_weight *columns;
	size_t count = columns_of(text, &columns);
	SPROF_AUTO_FREE char *label = sprof_clean_text(text->options.groups->label, NULL);

	if (!label) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	if (text->options.groups->of_frames)
		sprof_out_printf(text->out, "\nby %s, the split is of self\n self%% %8s %8s", label,
			"self", "total");
	else
		sprof_out_printf(
			text->out, "\nby %s\nshare%% %8s", label, count ? "wall" : "value");
	for (size_t i = 0; i < count; i++)
		sprof_out_printf(text->out, " %8s", sprof_weight_name(columns[i]));
	if (!sprof_text_is_narrow(text))
		sprof_out_printf(text->out, " %8s %7s", "samples", "threads");
	sprof_out_printf(text->out, "  %s\n", label);
}

static void write_name(
	const struct sprof_text *text, size_t column, const struct sprof_group *group)
{
	SPROF_AUTO_FREE char *name = NULL;

	if (text->options.groups->of_frames || !group->host ||
		strcmp(group->host, name_of(group)) == 0 || !has_hosts(text->options.groups)) {
		sprof_text_end_with_name(text, column, name_of(group));
	} else if (asprintf(&name, "%s on %s", name_of(group), group->host) >= 0) {
		sprof_text_end_with_name(text, column, name);
	} else {
		name = NULL;
		sprof_out_fail(text->out, ENOMEM);
	}
}

static void write_row(
	const struct sprof_text *text, const struct sprof_group *group, uint64_t whole)
{
	enum sprof_weight weight = text->options.weight;
	const enum sprof_weight *columns;
	size_t count = columns_of(text, &columns);
	uint64_t value = sprof_metrics_get(&group->sum, weight);
	struct sprof_figure first = count ? sprof_figure_time(sprof_times_wall(&group->sum.times))
					  : sprof_figure_value(text->profile, weight, value);

	const bool of_frames = text->options.groups->of_frames;

	if (of_frames)
		first = sprof_figure_value(text->profile, weight, value);
	sprof_out_printf(text->out, "%6.1f %8s", sprof_percent(value, whole), first.text);
	if (of_frames)
		sprof_out_printf(text->out, " %8s",
			sprof_figure_value(
				text->profile, weight, sprof_metrics_get(&group->total, weight))
				.text);
	for (size_t i = 0; i < count; i++)
		sprof_out_printf(text->out, " %8s",
			sprof_figure_time(sprof_times_get(&group->sum.times, columns[i])).text);
	if (!sprof_text_is_narrow(text))
		sprof_out_printf(
			text->out, " %8" PRIu64 " %7" PRIu32, group->sum.samples, group->threads);
	sprof_out_puts(text->out, "  ");
	write_name(text,
		INDENT + COLUMN * count + (of_frames ? VALUE : 0) +
			(sprof_text_is_narrow(text) ? 0 : COUNTS),
		group);
}

static void write_table(const struct sprof_text *text, size_t shown)
{
	const struct sprof_groups *groups = text->options.groups;
	uint64_t whole = 0;

	for (size_t i = 0; i < groups->count; i++)
		whole += sprof_metrics_get(&groups->items[i].sum, text->options.weight);
	whole = sprof_text_whole(text, whole);
	write_head(text);
	for (size_t i = 0; i < shown; i++)
		write_row(text, &groups->items[i], whole);
	sprof_text_left_out(text, "value", 0, groups->count - shown);
}

static bool write_flat(const struct sprof_text *text, uint32_t group, struct sprof_error *err)
{
	const struct sprof_groups *groups = text->options.groups;
	SPROF_AUTO_FREE char *label = sprof_clean_text(groups->label, NULL);
	SPROF_AUTO_FREE char *name = sprof_clean_text(name_of(&groups->items[group]), NULL);

	if (!label || !name)
		return sprof_error_no_memory(err);
	sprof_out_printf(text->out, "\n== %s %s ==\n", label, name);
	return sprof_text_flat_of_group(text, group, err);
}

bool sprof_text_groups(const struct sprof_text *text, struct sprof_error *err)
{
	const struct sprof_groups *groups = text->options.groups;
	size_t top = text->options.top;
	size_t shown = top && top < groups->count ? top : groups->count;

	write_table(text, shown);
	if (groups->of_frames)
		return true;
	for (uint32_t i = 0; i < shown; i++) {
		if (!write_flat(text, i, err))
			return false;
	}
	return true;
}
