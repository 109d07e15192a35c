/* Private to output/: the words about a critical path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "profile/critical/critical.h"
#include "profile/model/profile.h"

/*
 * "save > flush in writer", with functions' names of at most `room` characters; "waiting for a CPU"
 * for no thread. The caller frees it. NULL: out of memory.
 */
struct sprof_critical_subject {
	const char *thread;
	uint32_t function, caller;
	bool is_stop; /* instead of a function: sprof had stopped the thread */
};
char *sprof_critical_subject_words(const struct sprof_profile *profile,
	const struct sprof_critical_subject *subject, size_t room);

/* What a row's thread did there: ", in fdatasync", ", until sshd"; or nothing. Likewise. */
char *sprof_critical_details(
	const struct sprof_profile *profile, const struct sprof_critical_row *row);

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
