/* Phrases for rows of the table of waits, sanitised. */
#pragma once

#include "profile/views/waits.h"

/*
 * "mutex cache_lock+0 of process 12". The caller frees it, as with the others. Returns NULL if out
 * of memory.
 */
char *sprof_wait_words_object(
	const struct sprof_profile *profile, const struct sprof_waits_row *row);

/* A lock's name without "+0" after a variable's: "mutex cache_lock"; "interpreter lock (GIL)". */
char *sprof_wait_words_lock(const char *name);

/*
 * "futex mutex cache_lock+0 in load" in about `room` characters, divided between object and
 * function; 0: no limit.
 */
char *sprof_wait_words(
	const struct sprof_profile *profile, const struct sprof_waits_row *row, size_t room);

/*
 * "held by writer (12), 70 % of it, most in flush". For a join it names the joined thread. There
 * must be a holder.
 */
char *sprof_wait_words_holder(const struct sprof_waits_row *row);
