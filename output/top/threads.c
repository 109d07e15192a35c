/*
 * The threads of sprof top: what each does now, what it waits for, and how its time was spent.
 * stack.c shows stacks.
 */
#include <stdio.h>

#include "base/idmap.h"
#include "output/top/views.h"
#include "profile/model/weight.h"

enum { TID, CPU, USER, SYS, RUNQ, WAIT, STATE, NAME, WAITS_ON };

static const struct sprof_top_column columns[] = {
	[TID] = {"TID", SPROF_TOP_COUNT, 0, 0},
	[CPU] = {"CPU%", SPROF_TOP_PERCENT, 0, 0},
	[USER] = {"USER%", SPROF_TOP_PERCENT, 0, 3},
	[SYS] = {"SYS%", SPROF_TOP_PERCENT, 0, 2},
	[RUNQ] = {"RUNQ%", SPROF_TOP_PERCENT, 0, 1},
	[WAIT] = {"WAIT%", SPROF_TOP_PERCENT, 0, 4},
	[STATE] = {"STATE", SPROF_TOP_TEXT, 7, 6},
	[NAME] = {"THREAD", SPROF_TOP_TEXT, 15, 5},
	[WAITS_ON] = {"IN", SPROF_TOP_TEXT, 0, 0},
};

/* By process, because threads of several may be shown. */
static uint64_t id_of(const struct sprof_profile *profile, uint32_t thread)
{
	const struct sprof_profile_thread *of = &profile->threads[thread];

	return (uint64_t)(uint32_t)profile->processes[of->process].pid << 32 | (uint32_t)of->tid;
}

/* A thread that has got another name is another one in a merged profile; the last one counts. */
uint32_t sprof_top_find_thread(const struct sprof_profile *profile, uint64_t id)
{
	for (size_t i = profile->thread_count; i-- > 0;) {
		if (id_of(profile, (uint32_t)i) == id)
			return (uint32_t)i;
	}
	return SPROF_PROFILE_NONE;
}

const struct sprof_profile_row *sprof_top_last_row(
	const struct sprof_profile *profile, uint32_t thread)
{
	const uint32_t span = profile->threads[thread].last_span;

	return span == SPROF_PROFILE_NONE ? NULL : &profile->rows[profile->spans[span].row];
}

/* "futex mutex cache_lock+0, held by writer (12) in flush"; empty: in no system call. */
static const char *wait_text(
	struct sprof_top_table *table, const struct sprof_profile_context *context)
{
	const char *call = context->syscall ? context->syscall : "";
	const char *object = context->object ? context->object : "";
	const char *text = sprof_top_table_text(
		table, "%s%s%s", call, call[0] && object[0] ? " " : "", object);

	if (!context->holder)
		return text;
	text = sprof_top_table_text(table, "%s, %s %s", text,
		sprof_profile_is_join(context) ? "of" : "held by", context->holder);
	if (!context->holder_function)
		return text;
	return sprof_top_table_text(table, "%s in %s", text, context->holder_function);
}

/* Maps ids to the threads that exist now. Returns false if out of memory. */
static bool map_living(const struct sprof_profile *latest, struct sprof_idmap *map)
{
	for (size_t i = 0; i < latest->thread_count; i++) {
		if (!sprof_idmap_put(map, 0, id_of(latest, (uint32_t)i), (uint32_t)i))
			return false;
	}
	return true;
}

static void fill_now(const struct sprof_profile *latest, uint32_t thread,
	struct sprof_top_table *table, struct sprof_top_row *row)
{
	const struct sprof_profile_row *last =
		thread == SPROF_IDMAP_NONE ? NULL : sprof_top_last_row(latest, thread);
	const struct sprof_profile_context *context =
		last ? &latest->contexts[last->context] : NULL;

	if (!context) {
		row->cells[STATE].text = thread == SPROF_IDMAP_NONE ? "ended" : "-";
		return;
	}
	row->cells[STATE].text =
		context->state < SPROF_STATE_COUNT ? sprof_state_name(context->state) : "-";
	row->cells[WAITS_ON].text = wait_text(table, context);
}

static void fill(const struct sprof_top_shown *shown, uint32_t thread, struct sprof_top_row *row)
{
	const struct sprof_profile_thread *of = &shown->profile->threads[thread];
	const uint64_t user = of->times.ns[SPROF_TIME_USER], sys = of->times.ns[SPROF_TIME_SYS];

	row->id = id_of(shown->profile, thread);
	row->cells[TID].number = of->tid;
	row->cells[CPU].number = sprof_top_percent(shown, user + sys);
	row->cells[USER].number = sprof_top_percent(shown, user);
	row->cells[SYS].number = sprof_top_percent(shown, sys);
	row->cells[RUNQ].number = sprof_top_percent(shown, of->times.ns[SPROF_TIME_RUNQ]);
	row->cells[WAIT].number = sprof_top_percent(shown, sprof_times_wait(&of->times));
	row->cells[NAME].text = of->name;
}

bool sprof_top_threads(
	const struct sprof_top_shown *shown, struct sprof_top_table *table, struct sprof_error *err)
{
	struct sprof_idmap living = {0};
	bool ok = map_living(shown->latest, &living);

	table->columns = columns;
	table->column_count = sizeof(columns) / sizeof(columns[0]);
	for (size_t i = 0; ok && i < shown->profile->thread_count; i++) {
		struct sprof_top_row *row = sprof_top_table_add(table);

		ok = row;
		if (!ok)
			break;
		fill(shown, (uint32_t)i, row);
		fill_now(shown->latest, sprof_idmap_find(&living, 0, row->id), table, row);
	}
	sprof_idmap_finish(&living);
	return (ok && !table->out_of_memory) || sprof_error_no_memory(err);
}
