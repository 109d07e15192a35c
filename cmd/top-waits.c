/*
 * What the threads of sprof top wait for, and who holds them up.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "cmd/top-views.h"
#include "output/wait-words.h"
#include "profile/waits.h"

enum { WAIT, THREADS, KIND, WHAT };

static const struct sprof_top_column columns[] = {
	[WAIT] = {"WAIT%", SPROF_TOP_PERCENT, 0, 0},
	[THREADS] = {"THREADS", SPROF_TOP_COUNT, 0, 2},
	[KIND] = {"KIND", SPROF_TOP_TEXT, 6, 1},
	[WHAT] = {"WAITS FOR, AND WHO HOLDS IT", SPROF_TOP_TEXT, 0, 0},
};

static bool fill(const struct sprof_top_shown *shown, const struct sprof_waits_row *waits,
	struct sprof_top_table *table)
{
	SPROF_AUTO_FREE char *words = sprof_wait_words(shown->profile, waits, 0);
	SPROF_AUTO_FREE char *holder = waits->holder ? sprof_wait_words_holder(waits) : NULL;
	struct sprof_top_row *row = words ? sprof_top_table_add(table) : NULL;

	if (!row || (waits->holder && !holder))
		return false;
	row->id = sprof_hash_bytes(words, strlen(words), SPROF_HASH_BASIS);
	row->cells[WAIT].number = sprof_top_percent(shown, waits->ns);
	row->cells[THREADS].number = waits->threads;
	row->cells[KIND].text = sprof_wait_kind_name(waits->kind);
	row->cells[WHAT].text = sprof_top_table_text(
		table, "%s%s%s", words, holder ? "; " : "", holder ? holder : "");
	return true;
}

bool sprof_top_waits(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	struct sprof_waits_table waits;
	bool ok = true;

	table->columns = columns;
	table->column_count = sizeof(columns) / sizeof(columns[0]);
	if (!sprof_waits_table_build(shown->profile, &view, &waits, err))
		return false;
	for (size_t i = 0; ok && i < waits.count; i++)
		ok = fill(shown, &waits.rows[i], table);
	sprof_waits_table_finish(&waits);
	return (ok && !table->out_of_memory) || sprof_error_no_memory(err);
}
