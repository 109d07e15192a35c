/*
 * Groups by a label, for example the ranks of a parallel job: a table of each group's time, then
 * each group's flat profile. Rows without the label form one more group.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/units.h"

static const char *name_of(const struct sprof_group *group)
{
	return group->name ? group->name : "(none)";
}

static bool has_hosts(const struct sprof_groups *groups)
{
	for (size_t i = 1; i < groups->count; i++) {
		const char *host = groups->items[i].host, *first = groups->items[0].host;

		if (host && first && strcmp(host, first) != 0)
			return true;
	}
	return false;
}

static void write_name(
	const struct sprof_text *text, size_t column, const struct sprof_group *group)
{
	SPROF_AUTO_FREE char *name = NULL;

	if (text->options.groups->of_frames || !group->host ||
		strcmp(group->host, name_of(group)) == 0 || !has_hosts(text->options.groups)) {
		sprof_text_end_with_name(text, column, name_of(group));
		return;
	}
	name = sprof_string_print("%s on %s", name_of(group), group->host);
	sprof_text_end_with_name(text, column, name);
}

static void write_figures(const struct sprof_text *text, const struct sprof_group *group,
	uint64_t whole, const char *label, struct sprof_row *row)
{
	enum sprof_weight weight = text->options.weight;
	const enum sprof_weight *columns;
	size_t count =
		sprof_profile_counts_time(text->profile) ? sprof_text_columns(text, &columns) : 0;
	uint64_t value = sprof_metrics_get(&group->sum, weight);
	struct sprof_figure first = count ? sprof_figure_time(sprof_times_wall(&group->sum.times))
					  : sprof_figure_value(text->profile, weight, value);

	const bool of_frames = text->options.groups->of_frames;

	if (of_frames)
		first = sprof_figure_value(text->profile, weight, value);
	sprof_row_percent(row, of_frames ? "self%" : "share%", 6, sprof_percent(value, whole));
	sprof_row_text(row, of_frames ? "self" : count ? "wall" : "value", 8, first.text);
	if (of_frames)
		sprof_text_value(text, row, "total", sprof_metrics_get(&group->total, weight));
	for (size_t i = 0; i < count; i++)
		sprof_row_time(row, sprof_weight_name(columns[i]), 8,
			sprof_times_get(&group->sum.times, columns[i]));
	if (!sprof_text_is_narrow(text)) {
		sprof_row_count(row, "samples", 8, group->sum.samples);
		sprof_row_count(row, "threads", 7, group->threads);
	}
	sprof_row_gap(row, 2, label);
}

static void write_table(const struct sprof_text *text, size_t shown)
{
	const struct sprof_groups *groups = text->options.groups;
	SPROF_AUTO_FREE char *label = sprof_clean_text(groups->label, NULL);
	uint64_t whole = 0;

	if (!label) {
		sprof_out_fail(text->out, ENOMEM);
		return;
	}
	for (size_t i = 0; i < groups->count; i++)
		whole += sprof_metrics_get(&groups->items[i].sum, text->options.weight);
	whole = sprof_text_whole(text, whole);
	sprof_out_printf(
		text->out, "\nby %s%s\n", label, groups->of_frames ? ", the split is of self" : "");
	write_figures(text, &(struct sprof_group){0}, whole, label,
		&(struct sprof_row){.out = text->out, .is_head = true});
	for (size_t i = 0; i < shown; i++) {
		struct sprof_row row = {.out = text->out};

		write_figures(text, &groups->items[i], whole, label, &row);
		write_name(text, row.length, &groups->items[i]);
	}
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
