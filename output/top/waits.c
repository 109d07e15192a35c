/* What the threads of sprof top wait for, and which threads hold them up. */
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "output/top/views.h"
#include "output/wait-words.h"
#include "profile/views/waits.h"

enum { WAIT, THREADS, KIND, HOLDER, WHAT, COLUMNS };

/*
 * An order that was chosen keeps its column, so all are always there. Without holders theirs is
 * small.
 */
static const struct sprof_top_column columns[] = {
	[WAIT] = {"WAIT%", SPROF_TOP_PERCENT, 0, 0},
	[THREADS] = {"THREADS", SPROF_TOP_COUNT, 0, 2},
	[KIND] = {"KIND", SPROF_TOP_TEXT, 6, 1},
	[HOLDER] = {"HELD BY", SPROF_TOP_TEXT, 7, 3},
	[WHAT] = {"WAITS FOR", SPROF_TOP_TEXT, 0, 0},
};

static const struct sprof_top_column columns_with_holder[] = {
	[WAIT] = {"WAIT%", SPROF_TOP_PERCENT, 0, 0},
	[THREADS] = {"THREADS", SPROF_TOP_COUNT, 0, 2},
	[KIND] = {"KIND", SPROF_TOP_TEXT, 6, 1},
	[HOLDER] = {"HELD BY", SPROF_TOP_TEXT, 24, 3},
	[WHAT] = {"WAITS FOR", SPROF_TOP_TEXT, 0, 0},
};

static void set_columns(const struct sprof_waits_table *waits, struct sprof_top_table *table)
{
	bool has_holder = false;

	for (size_t i = 0; i < waits->count; i++)
		has_holder |= waits->rows[i].holder != NULL;
	table->columns = has_holder ? columns_with_holder : columns;
	table->column_count = COLUMNS;
}

/* Shorter than a report's words: it has a column. A thread that is waited for holds its own end. */
static const char *holder_text(const struct sprof_waits_row *waits, struct sprof_top_table *table)
{
	if (!waits->holder)
		return "";
	return sprof_top_table_text(table, "%s%s%s%s", waits->is_join ? "end of " : "",
		waits->holder, waits->holder_function ? " in " : "",
		waits->holder_function ? waits->holder_function : "");
}

static bool fill(const struct sprof_top_shown *shown, const struct sprof_waits_row *waits,
	struct sprof_top_table *table)
{
	SPROF_AUTO_FREE char *words = sprof_wait_words(shown->profile, waits, 0);
	struct sprof_top_row *row = words ? sprof_top_table_add(table) : NULL;

	if (!row)
		return false;
	row->id = sprof_hash_bytes(words, strlen(words), SPROF_HASH_BASIS);
	row->cells[WAIT].number = sprof_top_percent(shown, waits->ns);
	row->cells[THREADS].number = waits->threads;
	row->cells[KIND].text = sprof_wait_kind_name(waits->kind);
	row->cells[HOLDER].text = holder_text(waits, table);
	row->cells[WHAT].text = sprof_top_table_text(table, "%s", words);
	return true;
}

bool sprof_top_waits(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	struct sprof_waits_table waits;
	bool ok = true;

	if (!sprof_waits_table_build(shown->profile, &view, &waits, err))
		return false;
	set_columns(&waits, table);
	for (size_t i = 0; ok && i < waits.count; i++)
		ok = fill(shown, &waits.rows[i], table);
	sprof_waits_table_finish(&waits);
	return (ok && !table->out_of_memory) || sprof_error_no_memory(err);
}
