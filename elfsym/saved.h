/*
 * What a saved profile knows of its modules, whose files need not be on this machine.
 */
#ifndef SPROF_ELFSYM_SAVED_H
#define SPROF_ELFSYM_SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

struct sprof_saved_module {
	const char *build_id;           /* hexadecimal; NULL: none, or not known */
	struct sprof_segment *segments; /* the executable ones; NULL: not known */
	size_t segment_count;
	const char *debuglink; /* the name in .gnu_debuglink; NULL: none, or not known */
	uint32_t debuglink_crc;
};

struct sprof_saved_modules {
	const struct sprof_saved_module *items; /* by module id */
	size_t count;
	bool trust_paths; /* a module without a build id is the file at its path */
};

#endif
