/* Private to output/: the words about a critical path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/critical/critical.h"
#include "profile/model/profile.h"

/*
 * "save > flush in writer", with functions' names shortened so that all of it has at most `room`
 * characters, if that is possible; "waiting for a CPU" for no thread. Without symbols it names one
 * function only. The caller frees it. NULL: out of memory.
 */
struct sprof_critical_subject {
	const char *thread;
	uint32_t function, caller;
	bool is_stop; /* instead of a function: sprof had stopped the thread */
};
char *sprof_critical_subject_words(const struct sprof_profile *profile,
	const struct sprof_critical_subject *subject, size_t room);

/*
 * What a row's thread did there: ", fdatasync", ", read, woken by sshd"; or nothing. `is_short`:
 * only the call. Likewise.
 */
char *sprof_critical_details(
	const struct sprof_profile *profile, const struct sprof_critical_row *row, bool is_short);

/* "thread", "process", ...: for JSON. */
const char *sprof_critical_waker_name(enum sprof_waker waker);
/* "run", "queue", "sleep", "lost": the same. */
const char *sprof_critical_kind_name(enum sprof_critical_kind kind);

/* What ended a sleep, after "woken by": its name, or "a timer or a device". */
const char *sprof_critical_waker_words(enum sprof_waker waker, const char *by);

/*
 * What is not known of the path; empty if everything is. The caller frees it. NULL: out of memory.
 */
char *sprof_critical_doubts(const struct sprof_critical *critical, uint64_t lost);
