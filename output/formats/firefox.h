/*
 * Private to output/: the parts of the Firefox Profiler writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interned.h"
#include "output/formats/layout.h"
#include "output/formats/moments.h"
#include "output/json.h"
#include "profile/model/profile.h"

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
	uint32_t *locations; /* by line: index of its location */
	uint32_t *ends;      /* by stack: the viewer's stack of its innermost line */
	uint32_t *idle;      /* by stack: the copy for waiting threads; 0: none */
	uint32_t stack_count, idle_count;
	size_t module_count;
	const char **sources;
	size_t source_count, source_capacity;
	struct sprof_idmap source_ids; /* (0, address of the name) */
	bool failed;                   /* out of memory */
};

/* Whether the row's thread waits. */
bool sprof_firefox_is_idle(const struct sprof_profile *profile, uint32_t row);

/* Writes the samples of a thread and ends its object. */
void sprof_firefox_write_samples(struct sprof_firefox *writer, uint32_t thread);

/* The string for a context's markers. */
uint32_t sprof_firefox_wait_name(const struct sprof_firefox *writer, uint32_t context);

/* Writes the tables shared by all threads. */
void sprof_firefox_write_tables(struct sprof_firefox *writer);
void sprof_firefox_write_stacks(struct sprof_firefox *writer);
