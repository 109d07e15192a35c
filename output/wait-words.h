/*
 * Rows of the table of waits, in words that are clean.
 */
#ifndef SPROF_OUTPUT_WAIT_WORDS_H
#define SPROF_OUTPUT_WAIT_WORDS_H

#include "profile/waits.h"

/* "mutex cache_lock+0 of process 12"; NULL: no memory. To be freed, as the others. */
char *sprof_wait_words_object(const struct sprof_profile *profile, const struct sprof_waits_row *row);

/*
 * "futex mutex cache_lock+0 in load", in about so many characters, of which object and function have their part
 * each; 0: both are whole.
 */
char *sprof_wait_words(
	const struct sprof_profile *profile, const struct sprof_waits_row *row, size_t room);

/*
 * "held by writer (12), 70 % of it, most in flush". Of a join it is the thread that is waited for;
 * nobody holds that. There is a holder.
 */
char *sprof_wait_words_holder(const struct sprof_waits_row *row);

#endif
