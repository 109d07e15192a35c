/* The table of the flat profile's columns. output/ does the layout. */
#include "profile/views/columns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "profile/views/view.h"

enum { FIGURE = 8, PERCENT = 5 };

#define SPLIT(word, characters, kind) \
	{ \
		word, .form = SPROF_COLUMN_SPLIT, .width = (characters), .of_total = true, \
		      .weight = SPROF_WEIGHT_##kind \
	}
#define SELF_TIME(word, kind) \
	{ \
		word, .form = SPROF_COLUMN_TIME, .width = sizeof(word) - 1, \
		      .weight = SPROF_WEIGHT_##kind \
	}

static const struct sprof_column columns[] = {
	{"self%", .form = SPROF_COLUMN_SHARE, .width = PERCENT},
	{"self", .form = SPROF_COLUMN_VALUE, .width = FIGURE},
	{"total%", .form = SPROF_COLUMN_SHARE, .width = PERCENT + 1, .of_total = true},
	{"total", .form = SPROF_COLUMN_VALUE, .width = FIGURE, .of_total = true},
	SPLIT("user%", PERCENT, USER),
	SPLIT("sys%", PERCENT, SYS),
	SPLIT("runq%", PERCENT, RUNQ),
	SPLIT("wait%", PERCENT, WAIT),
	SPLIT("stolen%", PERCENT + 2, STOLEN),
	SPLIT("sleep%", PERCENT + 1, SLEEP),
	SPLIT("disk%", PERCENT, DISK),
	SPLIT("stopped%", PERCENT + 3, STOPPED),
	SELF_TIME("self-user", USER),
	SELF_TIME("self-sys", SYS),
	SELF_TIME("self-runq", RUNQ),
	SELF_TIME("self-wait", WAIT),
	SELF_TIME("self-stolen", STOLEN),
	{"samples", .form = SPROF_COLUMN_SAMPLES, .width = 7, .of_total = true},
	{"threads", "thr", .form = SPROF_COLUMN_THREADS, .width = 3},
	{"verdict", .form = SPROF_COLUMN_VERDICT, .width = 7},
	{"dso", .form = SPROF_COLUMN_OBJECT},
	{"function", .form = SPROF_COLUMN_FUNCTION},
	{0},
};

#undef SPLIT
#undef SELF_TIME

static bool is_named(const struct sprof_column *column, const char *name)
{
	size_t length = strlen(name);

	return strcmp(column->name, name) == 0 ||
		(column->form == SPROF_COLUMN_SPLIT && length + 1 == strlen(column->name) &&
			memcmp(column->name, name, length) == 0) ||
		(column->form == SPROF_COLUMN_FUNCTION &&
			(strcmp(name, "sym") == 0 || strcmp(name, "symbol") == 0));
}

const struct sprof_column *sprof_column_find(const char *name)
{
	for (const struct sprof_column *column = columns; column->name; column++) {
		if (is_named(column, name))
			return column;
	}
	return NULL;
}

const struct sprof_column *sprof_column_of(enum sprof_column_form form, enum sprof_weight weight)
{
	const struct sprof_column *column = columns;
	bool has_weight = form == SPROF_COLUMN_SPLIT || form == SPROF_COLUMN_TIME;

	while (column->form != form || (has_weight && column->weight != weight))
		column++;
	return column;
}

void sprof_column_list_add(struct sprof_column_list *list, const struct sprof_column *column)
{
	if (list->count < SPROF_COLUMNS_MAX)
		list->items[list->count++] = column;
}

bool sprof_column_list_has(const struct sprof_column_list *list, enum sprof_column_form form)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i]->form == form)
			return true;
	}
	return false;
}

static bool refuse(const char *name, struct sprof_error *err)
{
	static const char groups[] = "comm pid cpu file srcline address";
	char known[256] = "";
	size_t used = 0;

	sprof_error_set(err, SPROF_ERROR_USAGE, "%s is not a column of the flat profile", name);
	if (sprof_string_has_word(groups, name, strlen(name)))
		return sprof_error_hint(err, "sprof report --by %s groups by it", name);
	for (const struct sprof_column *column = columns; column->name; column++)
		used += (size_t)snprintf(
			known + used, sizeof(known) - used, "%s%s", used ? ", " : "", column->name);
	return sprof_error_hint(err, "the columns are %s", known);
}

bool sprof_column_list_parse(
	struct sprof_column_list *ret, const char *text, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *copy = strdup(text);
	struct sprof_column_list list = {0};
	char *rest = copy, *name;

	if (!copy)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, ","))) {
		const struct sprof_column *column = sprof_column_find(name);

		if (!column)
			return refuse(name[0] ? name : "an empty name", err);
		if (list.count == SPROF_COLUMNS_MAX)
			return sprof_error_set(err, SPROF_ERROR_USAGE, "too many columns");
		sprof_column_list_add(&list, column);
	}
	*ret = list;
	return true;
}

static double figure_of(const struct sprof_column_order *order, const struct sprof_column *column,
	const struct sprof_flat_row *row)
{
	const struct sprof_metrics *metrics = column->of_total ? &row->total : &row->self;
	enum sprof_column_form form = column->form;

	if (form == SPROF_COLUMN_SPLIT)
		return sprof_percent(sprof_times_get(&metrics->times, column->weight),
			sprof_times_wall(&metrics->times));
	if (form == SPROF_COLUMN_TIME)
		return (double)sprof_times_get(&metrics->times, column->weight);
	if (form == SPROF_COLUMN_SAMPLES)
		return (double)metrics->samples;
	if (form == SPROF_COLUMN_THREADS)
		return row->threads;
	return (double)sprof_metrics_get(metrics, order->weight);
}

static const char *text_of(const struct sprof_column_order *order,
	const struct sprof_column *column, const struct sprof_flat_row *row)
{
	if (column->form == SPROF_COLUMN_VERDICT)
		return sprof_verdict_name(sprof_verdict_of(&row->total.times, &row->waiting));
	if (column->form == SPROF_COLUMN_OBJECT)
		return order->objects[row->function];
	return order->profile->functions[row->function].name;
}

static int compare_texts(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : !a - !b;
}

int sprof_column_compare(const struct sprof_column_order *order, const struct sprof_flat_row *a,
	const struct sprof_flat_row *b)
{
	int result = 0;

	for (size_t i = 0; !result && i < order->keys->count; i++) {
		const struct sprof_column *key = order->keys->items[i];

		if (key->form >= SPROF_COLUMN_VERDICT) {
			result = compare_texts(text_of(order, key, a), text_of(order, key, b));
		} else {
			double x = figure_of(order, key, a), y = figure_of(order, key, b);

			result = (x < y) - (x > y);
		}
	}
	return result;
}
