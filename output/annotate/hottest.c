/*
 * The hottest lines of an annotated function, and the functions that they call. Omits lines and
 * calls with less than a hundredth of the function's time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/annotate/annotate.h"
#include "output/units.h"

enum { LINES = 5, CALLS = 3, LEAST_PERCENT = 1 };

struct ranked {
	size_t index;
	uint64_t value, second;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->value != b->value)
		return a->value > b->value ? -1 : 1;
	if (a->second != b->second)
		return a->second > b->second ? -1 : 1;
	return (a->index > b->index) - (a->index < b->index);
}

static bool is_worth(const struct sprof_annotate *annotate, uint64_t value)
{
	return sprof_percent(value, sprof_annotate_value(annotate, &annotate->annotation.total)) >=
		LEAST_PERCENT;
}

/* " -> strcmp 12.3 ms, memcpy 4.5 ms, and 2 more". */
static bool write_calls(
	const struct sprof_annotate *annotate, const struct sprof_annotated_line *line)
{
	const struct sprof_annotated_call *calls = &annotate->annotation.calls[line->first_call];
	SPROF_AUTO_FREE struct ranked *ranked = calloc(line->call_count + 1, sizeof(*ranked));
	size_t shown = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < line->call_count; i++)
		ranked[i] = (struct ranked){
			.index = i, .value = sprof_annotate_value(annotate, &calls[i].total)};
	qsort(ranked, line->call_count, sizeof(*ranked), compare_ranked);
	for (; shown < CALLS && shown < line->call_count && is_worth(annotate, ranked[shown].value);
		shown++) {
		sprof_out_puts(annotate->out, shown ? ", " : " -> ");
		sprof_annotate_put_function(annotate,
			annotate->profile->functions[calls[ranked[shown].index].function].name,
			CALLS + 1);
		sprof_out_printf(annotate->out, " %s",
			sprof_figure_value(annotate->profile, annotate->weight, ranked[shown].value)
				.text);
	}
	if (shown && shown < line->call_count)
		sprof_out_printf(annotate->out, ", and %zu more", line->call_count - shown);
	return true;
}

static bool write_line(
	const struct sprof_annotate *annotate, const struct sprof_annotated_line *line)
{
	struct sprof_row row = {.out = annotate->out};

	sprof_annotate_put_values(annotate, &line->total, &line->self, &row);
	sprof_row_gap(&row, 2, "");
	sprof_annotate_put_clean(annotate, sprof_string_file_name(line->file));
	sprof_out_printf(annotate->out, ":%" PRIu32, line->line);
	if (!write_calls(annotate, line))
		return false;
	sprof_out_printf(annotate->out, "\n");
	return true;
}

bool sprof_annotate_write_hottest(const struct sprof_annotate *annotate)
{
	const struct sprof_annotation *annotation = &annotate->annotation;
	SPROF_AUTO_FREE struct ranked *ranked = calloc(annotation->line_count + 1, sizeof(*ranked));
	struct sprof_row head = {.out = annotate->out, .is_head = true};
	const struct sprof_metrics none = {0};
	size_t count = 0;

	if (!ranked)
		return false;
	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct sprof_annotated_line *line = &annotation->lines[i];
		const struct ranked one = {.index = i,
			.value = sprof_annotate_value(annotate, &line->total),
			.second = sprof_annotate_value(annotate, &line->self)};

		if (line->line && line->file && is_worth(annotate, one.value))
			ranked[count++] = one;
	}
	if (!count)
		return true;
	qsort(ranked, count, sizeof(*ranked), compare_ranked);
	sprof_out_puts(annotate->out, "\n");
	sprof_annotate_put_values(annotate, &none, &none, &head);
	sprof_row_gap(&head, 2, "hottest lines -> what they call");
	for (size_t i = 0; i < count && i < LINES; i++) {
		if (!write_line(annotate, &annotation->lines[ranked[i].index]))
			return false;
	}
	return true;
}
