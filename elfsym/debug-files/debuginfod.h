/* Debug files from debuginfod servers. All network access is in this object. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_debuginfod_options {
	const char *urls;  /* separated by blanks, as in DEBUGINFOD_URLS */
	uint64_t limit_ns; /* total time limit for all modules */
	/* Called a few times a second during a download (total is 0 while unknown), and once at its
	 * end (then done == total). May be NULL. */
	void (*progress)(void *data, const char *module, uint64_t done, uint64_t total);
	void *data;
};

struct sprof_debuginfod;

/*
 * Returns false if libdebuginfod is not installed, or no server is given; the hint has the remedy.
 */
bool sprof_debuginfod_create(const struct sprof_debuginfod_options *options,
	struct sprof_debuginfod **ret, struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_debuginfod_destroy(struct sprof_debuginfod *client);

/*
 * The path of the debug file in the library's cache, downloaded if necessary. Returns false if not
 * found in time.
 */
bool sprof_debuginfod_find(struct sprof_debuginfod *client, const char *build_id,
	const char *module, char *path, size_t size);
