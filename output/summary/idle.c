/* The verdict if everything is idle: where most of it waits, if that is one place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/summary/summary.h"
#include "output/wait-words.h"
#include "profile/views/waits.h"

enum {
	PLACES = 8 /* that may be the one: those of the longest waits */
};

/* All waits in a row's system call and function. */
static uint64_t time_of_place(
	const struct sprof_waits_table *table, const struct sprof_waits_row *place)
{
	const char *call = place->syscall ? place->syscall : "";
	uint64_t ns = 0;

	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_waits_row *row = &table->rows[i];

		if (row->function == place->function &&
			strcmp(row->syscall ? row->syscall : "", call) == 0)
			ns += row->ns;
	}
	return ns;
}

/*
 * The place with more than half of the blocked time, and the object if that has more than half,
 * too. Returns false if there is none.
 */
static bool find_main_wait(const struct sprof_waits_table *table, struct sprof_waits_row *ret)
{
	for (size_t i = 0; i < table->count && i < PLACES; i++) {
		*ret = table->rows[i];
		if (ret->ns * 2 > table->blocked_ns)
			return true;
		if (time_of_place(table, ret) * 2 > table->blocked_ns) {
			ret->object = NULL;
			ret->process = SPROF_PROFILE_NONE;
			ret->alike = 1;
			return true;
		}
	}
	return false;
}

char *sprof_summary_idle(const struct sprof_summary *summary, struct sprof_error *err)
{
	const struct sprof_answer *answer = &summary->answer;
	struct sprof_waits_table table;
	struct sprof_waits_row row;
	SPROF_AUTO_FREE char *words = NULL, *name = NULL;
	char *text = NULL;
	bool is_known;

	if (!sprof_waits_table_build(summary->profile, &summary->view, &table, err))
		return NULL;
	is_known = find_main_wait(&table, &row);
	if (is_known)
		words = sprof_wait_words(summary->profile, &row, sprof_summary_room(summary));
	sprof_waits_table_finish(&table);
	name = sprof_clean_text(answer->programs[0].name, NULL);
	if ((is_known && !words) || !name ||
		asprintf(&text, "%s%s idle, waiting for something to do%s%s", name,
			answer->count > 1 ? " and the others are" : " is",
			words ? ", most in " : "", words ? words : "") < 0) {
		sprof_error_no_memory(err);
		return NULL;
	}
	return text;
}
