/*
 * Debug files from debuginfod servers. Without this object nothing uses the network.
 */
#ifndef SPROF_ELFSYM_DEBUGINFOD_H
#define SPROF_ELFSYM_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_debuginfod_options {
	const char *urls;  /* separated by blanks, as in DEBUGINFOD_URLS */
	uint64_t limit_ns; /* for all modules together */
	/* Called a few times a second during a download (total is 0 while unknown), and once at its
	 * end (then done == total). May be NULL. */
	void (*progress)(void *data, const char *module, uint64_t done, uint64_t total);
	void *data;
};

struct sprof_debuginfod;

/* False: libdebuginfod is not installed, or no server is named; the hint gives the remedy. */
bool sprof_debuginfod_create(const struct sprof_debuginfod_options *options,
	struct sprof_debuginfod **ret, struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_debuginfod_destroy(struct sprof_debuginfod *client);

/* The path of the debug file, downloaded to the library's cache. False: none in time. */
bool sprof_debuginfod_find(struct sprof_debuginfod *client, const char *build_id,
	const char *module, char *path, size_t size);

#endif
