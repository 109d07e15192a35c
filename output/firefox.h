/*
 * Private to output/: the parts of the Firefox Profiler writer.
 */
#ifndef SPROF_OUTPUT_FIREFOX_H
#define SPROF_OUTPUT_FIREFOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interned.h"
#include "output/json.h"
#include "output/layout.h"
#include "output/moments.h"
#include "profile/profile.h"

/* Indexes into meta.categories. */
enum sprof_firefox_category {
	SPROF_FIREFOX_OTHER,
	SPROF_FIREFOX_RUNNING,
	SPROF_FIREFOX_IDLE,
};

struct sprof_firefox {
	const struct sprof_profile *profile;
	enum sprof_weight weight;
	struct sprof_json json;
	struct sprof_moments moments;
	uint32_t *locations; /* by line: its location */
	uint32_t *ends;      /* by stack: its innermost line's stack in the viewer */
	uint32_t *idle;      /* by stack: its waiting copy; 0: it never waits */
	uint32_t stack_count, idle_count;
	size_t module_count;
	const char **sources;
	size_t source_count, source_capacity;
	struct sprof_idmap source_ids; /* (0, address of the name) */
	bool failed;                   /* no memory */
};

/* Whether a row's thread waits. */
bool sprof_firefox_is_idle(const struct sprof_profile *profile, uint32_t row);

/* Writes the samples of a thread and ends its object. */
void sprof_firefox_write_samples(struct sprof_firefox *writer, uint32_t thread);

/* The string that names a context's markers. */
uint32_t sprof_firefox_wait_name(const struct sprof_firefox *writer, uint32_t context);

/* Writes everything that threads share. */
void sprof_firefox_write_tables(struct sprof_firefox *writer);
void sprof_firefox_write_stacks(struct sprof_firefox *writer);

#endif
