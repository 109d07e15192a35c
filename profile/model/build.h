/*
 * Builds a profile from a file or another profile. Unlike the sink, it takes names, not raw frames.
 *
 * Strings are copied. Every function returns false (or NULL) if out of memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* A profile that owns its module table. */
struct sprof_profile *sprof_build_create(void);

/* Interns the text, which must not contain NUL. */
const char *sprof_build_string(struct sprof_profile *profile, const char *text, size_t length);
/* Interns a text; NULL stays NULL. Returns false if out of memory. */
bool sprof_build_text(struct sprof_profile *profile, const char *text, const char **ret);

/* Finds or adds the module with this path and build id (NULL: unknown). */
bool sprof_build_module(struct sprof_profile *profile, const char *path, const char *build_id,
	uint32_t *ret_module);

/* A thread of a process. Process and thread name, host and rank may be NULL. */
struct sprof_build_thread {
	pid_t pid, tid;
	const char *name, *process_name;
	const char *host, *rank;
	const char *former_names;               /* NULL: unknown or none */
	const struct sprof_thread_facts *facts; /* NULL: unknown */
	bool numeric_ids;
};

/* Finds or adds the thread; equal fields give the same index. */
bool sprof_build_thread(struct sprof_profile *profile, const struct sprof_build_thread *thread,
	uint32_t *ret_thread);

/* Finds or adds the function, compared by profile/model/function-key.c. */
bool sprof_build_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function);

/*
 * Finds or adds the location with this frame and these lines, innermost first; at least one line.
 * Files of lines must be the profile's strings.
 */
bool sprof_build_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	const struct sprof_profile_line *lines, size_t count, uint32_t *ret_location);

bool sprof_build_context(struct sprof_profile *profile, const struct sprof_profile_context *context,
	uint32_t *ret_context);

/* Adds a comment, once. */
bool sprof_build_comment(struct sprof_profile *profile, const char *text);

/*
 * Adds to the row with this thread, stack and context. `values`: one per further kind; NULL: none.
 */
bool sprof_build_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, const uint64_t *values);
