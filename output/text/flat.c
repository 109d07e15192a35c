/*
 * The flat profile: one row per function. self and total are in the requested weight. The split is
 * of the function's total wall time, because the verdict is based on it.
 */
#include "output/text/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/fit.h"
#include "output/units.h"
#include "profile/model/objects.h"
#include "profile/views/sites.h"

/* Characters of an object's name. */
enum { LEAST_OBJECT = 8, MOST_OBJECT = 20, MOST_OBJECT_NARROW = 12 };

struct table {
	const struct sprof_text *text;
	const struct sprof_flat *flat;
	struct sprof_column_list columns;
	const char **objects; /* by function; NULL: without a name */
	size_t object_width;
	uint64_t whole;
	bool explains; /* its terms, once in a report */
};

static double share_of(const struct table *table, const struct sprof_flat_row *row)
{
	return sprof_percent(
		sprof_metrics_get(&row->total, table->text->options.weight), table->whole);
}

/* The width of the longest name that is shown; 0: there is none. */
static size_t measure_objects(const struct table *table)
{
	const struct sprof_text *text = table->text;
	size_t longest = 0, most = sprof_text_is_narrow(text) ? MOST_OBJECT_NARROW : MOST_OBJECT;
	struct sprof_text_rows rows = {0};

	for (size_t i = 0; i < table->flat->count; i++) {
		const struct sprof_flat_row *row = &table->flat->rows[i];
		const char *object = table->objects[row->function];

		if (sprof_text_takes(text, &rows, share_of(table, row)) && object &&
			strlen(object) > longest)
			longest = strlen(object);
	}
	if (longest && longest < LEAST_OBJECT)
		longest = LEAST_OBJECT;
	return text->options.width && longest > most ? most : longest;
}

static void choose_columns(struct table *table, bool merged)
{
	struct sprof_column_list *list = &table->columns;
	bool narrow = sprof_text_is_narrow(table->text);
	const enum sprof_weight *split;
	const bool has_times = sprof_profile_counts_time(table->text->profile);
	size_t count = has_times ? sprof_text_columns(table->text, &split) : 0;

	sprof_column_list_add(list, sprof_column_find("self%"));
	sprof_column_list_add(list, sprof_column_find("self"));
	sprof_column_list_add(list, sprof_column_find("total"));
	for (size_t i = 0; i < count; i++)
		sprof_column_list_add(list, sprof_column_of(SPROF_COLUMN_SPLIT, split[i]));
	if (!narrow && has_times)
		sprof_column_list_add(list, sprof_column_find("samples"));
	if (!narrow && merged)
		sprof_column_list_add(list, sprof_column_find("threads"));
	if (has_times)
		sprof_column_list_add(list, sprof_column_find("verdict"));
	if (!narrow && table->object_width)
		sprof_column_list_add(list, sprof_column_find("dso"));
}

/* The function column is always last. */
static void take_columns(struct table *table)
{
	const struct sprof_column_list *asked = &table->text->options.columns;

	for (size_t i = 0; i < asked->count; i++) {
		if (asked->items[i]->form != SPROF_COLUMN_FUNCTION)
			sprof_column_list_add(&table->columns, asked->items[i]);
	}
	if (!table->object_width)
		table->object_width = LEAST_OBJECT;
}

static void write_object(
	const struct table *table, const char *title, uint32_t function, struct sprof_row *row)
{
	const char *object = table->objects[function];
	SPROF_AUTO_FREE char *clean = sprof_clean_text(object ? object : "-", NULL);
	SPROF_AUTO_FREE char *fitted = clean ? sprof_fit(clean, table->object_width) : NULL;

	if (fitted)
		sprof_row_text(row, title, -(int)table->object_width, fitted);
	else
		sprof_out_fail(row->out, ENOMEM);
}

static void write_cell(const struct table *table, const struct sprof_column *column,
	const struct sprof_flat_row *function, struct sprof_row *row)
{
	const struct sprof_metrics *metrics = column->of_total ? &function->total : &function->self;
	const char *title = column->title ? column->title : column->name;
	enum sprof_weight weight = table->text->options.weight;
	uint64_t value = sprof_metrics_get(metrics, weight);
	const uint64_t wall = sprof_times_wall(&metrics->times);
	int width = (int)column->width;

	switch (column->form) {
	case SPROF_COLUMN_SHARE:
		sprof_row_percent(row, title, width, sprof_percent(value, table->whole));
		break;
	case SPROF_COLUMN_VALUE:
		sprof_row_text(row, title, width,
			sprof_figure_value(table->text->profile, weight, value).text);
		break;
	case SPROF_COLUMN_SPLIT:
		if (wall)
			sprof_row_percent(row, title, width,
				sprof_percent(
					sprof_times_get(&metrics->times, column->weight), wall));
		else
			sprof_row_text(row, title, width, "-");
		break;
	case SPROF_COLUMN_TIME:
		sprof_row_time(row, title, width, sprof_times_get(&metrics->times, column->weight));
		break;
	case SPROF_COLUMN_SAMPLES:
		sprof_row_count(row, title, width, metrics->samples);
		break;
	case SPROF_COLUMN_THREADS:
		sprof_row_count(row, title, width, function->threads);
		break;
	case SPROF_COLUMN_VERDICT:
		sprof_row_text(row, title, -width,
			sprof_verdict_name(
				sprof_verdict_of(&function->total.times, &function->waiting)));
		break;
	case SPROF_COLUMN_OBJECT:
		write_object(table, title, function->function, row);
		break;
	case SPROF_COLUMN_FUNCTION: /* ends the line */
		break;
	}
}

/*
 * For generated code: how it gets names, with details in brackets. NULL: other code, or not known.
 */
static const char *remedy_of(
	const struct sprof_profile *profile, const struct sprof_profile_function *function)
{
	const char *help;

	if (!function->unresolved || !profile->modules || function->module == SPROF_PROFILE_NONE ||
		!sprof_module_is_generated(sprof_modules_get(profile->modules, function->module)))
		return NULL;
	help = sprof_profile_module_facts(profile, function->module)->gap_help;
	return help && strstr(help, " (") ? help : NULL;
}

/*
 * Appends where the function is defined, how its code gets names, or its object if there is no such
 * column. Not for counts: there the table of places has the relevant lines, and a second line
 * number would confuse.
 */
static void name_place(const struct table *table, const struct sprof_profile_function *function,
	char *place, size_t size)
{
	const struct sprof_profile *profile = table->text->profile;
	const char *object = table->objects[function - profile->functions];
	const char *remedy = remedy_of(profile, function);
	const struct sprof_site_place known = sprof_site_place(function->file, function->line);
	int length = 0;

	if (remedy)
		length = snprintf(
			place, size, "  try: %.*s", (int)(strstr(remedy, " (") - remedy), remedy);
	else if (known.text[0] && sprof_profile_counts_time(profile))
		length = snprintf(place, size, "  %s", known.text);
	else if (object && !function->unresolved &&
		!sprof_column_list_has(&table->columns, SPROF_COLUMN_OBJECT))
		length = snprintf(place, size, "  %s", object);
	if (length < 0 || (size_t)length >= size)
		place[0] = '\0';
}

/* Adds the function's place if it is known and leaves room for the name. */
static void write_function(
	const struct table *table, const struct sprof_profile_function *function, size_t column)
{
	const size_t width = table->text->options.width;
	char place[64] = "";

	name_place(table, function, place, sizeof(place));
	if (width && column + strlen(function->name) + strlen(place) > width)
		place[0] = '\0';
	sprof_text_end_with_function(table->text, column, function->name, place);
}

static void write_row(
	const struct table *table, const struct sprof_flat_row *function, bool is_head)
{
	struct sprof_row row = {.out = table->text->out, .is_head = is_head};

	for (size_t i = 0; i < table->columns.count; i++)
		write_cell(table, table->columns.items[i], function, &row);
	sprof_row_gap(&row, row.length ? 1 : 0, "function");
	if (!is_head)
		write_function(
			table, &table->text->profile->functions[function->function], row.length);
}

static bool is_starved(const struct sprof_flat_row *row)
{
	return sprof_verdict_of(&row->total.times, &row->waiting) == SPROF_VERDICT_STARVED;
}

static void write_rows(const struct table *table)
{
	const struct sprof_text *text = table->text;
	struct sprof_text_rows rows = {0};
	bool has_starved = false;

	for (size_t i = 0; i < table->flat->count; i++) {
		const struct sprof_flat_row *row = &table->flat->rows[i];

		if (!sprof_text_takes(text, &rows, share_of(table, row)))
			continue;
		write_row(table, row, false);
		has_starved |= is_starved(row);
	}
	if (has_starved && table->explains &&
		sprof_column_list_has(&table->columns, SPROF_COLUMN_VERDICT))
		sprof_out_puts(text->out, "(starved: only ready, without a CPU)\n");
	sprof_text_left_out(text, "function", rows.small, rows.beyond);
}

static bool write_flat(
	const struct sprof_text *text, const struct sprof_view *view, struct sprof_error *err)
{
	SPROF_AUTO_FREE const char **objects = sprof_objects_names(text->profile);
	struct sprof_flat flat;
	struct table table = {.text = text,
		.flat = &flat,
		.objects = objects,
		.explains = view->thread == SPROF_PROFILE_NONE && !view->groups};

	if (!objects)
		return sprof_error_no_memory(err);
	if (!sprof_flat_build(text->profile, view, &flat, err))
		return false;
	table.whole = sprof_text_whole(text, sprof_metrics_get(&flat.sum, text->options.weight));
	table.object_width = measure_objects(&table);
	if (text->options.columns.count)
		take_columns(&table);
	else
		choose_columns(&table, view->thread == SPROF_PROFILE_NONE);
	sprof_text_title_of(text, "flat profile", view, table.whole);
	write_row(&table, &(struct sprof_flat_row){0}, true);
	write_rows(&table);
	sprof_flat_finish(&flat);
	return true;
}

bool sprof_text_flat(const struct sprof_text *text, uint32_t thread, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = text->options.weight,
		.thread = thread,
		.sort = &text->options.sort,
	};

	return write_flat(text, &view, err);
}

bool sprof_text_flat_of_group(
	const struct sprof_text *text, uint32_t group, struct sprof_error *err)
{
	const struct sprof_view view = {
		.weight = text->options.weight,
		.thread = SPROF_PROFILE_NONE,
		.groups = text->options.groups->of_row,
		.group = group,
		.sort = &text->options.sort,
	};

	return write_flat(text, &view, err);
}
