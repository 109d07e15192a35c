/*
 * Three ways to walk a copied stack, behind one signature: ours, libunwind with UNW_CACHE_GLOBAL
 * (the product's own fallback, as it is), and libdwfl reading the copy.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/proc/maps.h"
#include "base/module.h"
#include "base/record.h"
#include "unwind/snapshot.h"

enum { WALK_DEPTH = 1024 };

/* What a walk found: frames as sprof stores them, to be compared. */
struct walked {
	struct sprof_frame frames[WALK_DEPTH];
	size_t count;
	bool complete; /* the walk says that it came to the outermost frame */
};

/* What a walker works on; outlives it. */
struct walk_parts {
	pid_t pid;
	struct sprof_modules *modules;
	const struct sprof_maps *maps;
};

struct walker {
	const char *name;
	void *(*create)(const struct walk_parts *parts);
	void (*destroy)(void *walker);
	/* The timed part; returns the number of frames. */
	size_t (*walk)(void *walker, const struct sprof_snapshot *snapshot);
	/* The frames of the last walk. */
	void (*read)(void *walker, struct walked *ret);
};

extern const struct walker walker_sprof, walker_libunwind, walker_libdwfl;
