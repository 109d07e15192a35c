/*
 * The difference of two profiles as a table: one row per function, by change of self, largest
 * first. Shares are of each profile's whole. The change is in percentage points or, in an absolute
 * comparison, in the weight.
 */
#include "output/text/text.h"

#include <stdio.h>

#include "output/units.h"
#include "profile/compare/diff.h"

struct table {
	const struct sprof_text *text;
	const struct sprof_diff *diff;
};

static struct sprof_figure figure(const struct table *table, uint64_t value)
{
	return sprof_figure_value(table->text->profile, table->text->options.weight, value);
}

/* "+1.20 ms" or "+12.3%": the change. */
static void write_change(const struct table *table, const char *title, int width,
	const uint64_t sides[SPROF_SIDES], struct sprof_row *row)
{
	double change = sprof_diff_of(table->diff, sides), points;
	uint64_t whole = table->diff->whole[SPROF_SIDE_NEW];
	char text[48];

	points = whole
		? 100 * change / (double)whole
		: -sprof_percent(sides[SPROF_SIDE_BASE], table->diff->whole[SPROF_SIDE_BASE]);
	/* Avoids "-0.0%". */
	if (points > -0.05 && points < 0.05)
		points = 0;
	if (!table->text->options.absolute)
		snprintf(text, sizeof(text), "%+.1f%%", points);
	else
		snprintf(text, sizeof(text), "%c%s", change < 0 ? '-' : '+',
			figure(table, (uint64_t)(change < 0 ? -change : change)).text);
	sprof_row_text(row, title, width, text);
}

static void write_shares(
	const struct table *table, const uint64_t sides[SPROF_SIDES], struct sprof_row *row)
{
	for (int i = 0; i < SPROF_SIDES; i++)
		sprof_row_percent(row, i ? "now%" : "before", 6,
			sprof_percent(sides[i], table->diff->whole[i]));
}

static void write_figures(
	const struct table *table, const struct sprof_diff_row *change, struct sprof_row *row)
{
	write_change(table, "self", 10, change->self, row);
	for (int i = 0; i < SPROF_SIDES; i++)
		sprof_row_text(row, i ? "now" : "before", 8, figure(table, change->self[i]).text);
	write_shares(table, change->self, row);
	write_change(table, "total", 9, change->total, row);
	write_shares(table, change->total, row);
	sprof_row_gap(row, 2, "function");
}

static void write_row(const struct table *table, const struct sprof_diff_row *change)
{
	struct sprof_row row = {.out = table->text->out};

	write_figures(table, change, &row);
	sprof_text_end_with_function(table->text, row.length,
		table->text->profile->functions[change->function].name, "");
}

/* The larger share of a function in either profile. */
static double largest_share(const struct sprof_diff *diff, const struct sprof_diff_row *row)
{
	double before = sprof_percent(row->total[SPROF_SIDE_BASE], diff->whole[SPROF_SIDE_BASE]);
	double now = sprof_percent(row->total[SPROF_SIDE_NEW], diff->whole[SPROF_SIDE_NEW]);

	return before > now ? before : now;
}

static void write_rows(const struct table *table)
{
	const struct sprof_text *text = table->text;
	struct sprof_text_rows rows = {0};

	for (size_t i = 0; i < table->diff->count; i++) {
		const struct sprof_diff_row *row = &table->diff->rows[i];

		if (sprof_text_takes(text, &rows, largest_share(table->diff, row)))
			write_row(table, row);
	}
	sprof_text_left_out(text, "function", rows.small, rows.beyond);
}

bool sprof_text_diff(const struct sprof_text *text, struct sprof_error *err)
{
	struct sprof_diff diff;
	const struct table table = {.text = text, .diff = &diff};

	if (!sprof_diff_build(text->profile, text->options.base_threads, text->options.weight,
		    text->options.absolute, &diff, err))
		return false;
	sprof_out_printf(text->out, "difference, by %s, %s: %s before, ",
		sprof_profile_weight_name(text->profile, text->options.weight),
		text->options.absolute ? "absolute" : "normalised",
		figure(&table, diff.whole[SPROF_SIDE_BASE]).text);
	sprof_out_printf(text->out, "%s now\n", figure(&table, diff.whole[SPROF_SIDE_NEW]).text);
	write_figures(&table, &(struct sprof_diff_row){0},
		&(struct sprof_row){.out = text->out, .is_head = true});
	write_rows(&table);
	sprof_diff_finish(&diff);
	return true;
}
