/*
 * Building a profile from a file or another profile: like the sink, but named from the start.
 *
 * Strings are copied. Every function returns false (or NULL) if memory is short.
 */
#ifndef SPROF_PROFILE_BUILD_H
#define SPROF_PROFILE_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* A profile that owns its modules. */
struct sprof_profile *sprof_build_create(void);

/* The profile's copy of the text, without a NUL inside. */
const char *sprof_build_string(struct sprof_profile *profile, const char *text, size_t length);

/* The module with this path and build id (NULL: unknown). */
bool sprof_build_module(struct sprof_profile *profile, const char *path, const char *build_id,
	uint32_t *ret_module);

/* A thread of a process at a place; process and thread name, host and rank may be NULL. */
struct sprof_build_thread {
	pid_t pid, tid;
	const char *name, *process_name;
	const char *host, *rank;
	const char *former_names;               /* NULL: not known, or none */
	const struct sprof_thread_facts *facts; /* NULL: not known */
	bool numeric_ids;
};

/* The thread's index; equal fields give the same index. */
bool sprof_build_thread(struct sprof_profile *profile, const struct sprof_build_thread *thread,
	uint32_t *ret_thread);

/* The function that is the same by profile/identity.h. */
bool sprof_build_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function);

/*
 * The location with this frame and these lines, innermost first; at least one line. The files of
 * lines must be the profile's strings.
 */
bool sprof_build_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	const struct sprof_profile_line *lines, size_t count, uint32_t *ret_location);

bool sprof_build_context(struct sprof_profile *profile, const struct sprof_profile_context *context,
	uint32_t *ret_context);

/* A comment of a file; repeated comments are kept once. */
bool sprof_build_comment(struct sprof_profile *profile, const char *text);

/* Adds to the row of these three. `values`: of the further kinds; NULL: there are none. */
bool sprof_build_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, const uint64_t *values);

#endif
