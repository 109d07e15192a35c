/* What a saved profile knows about its modules, which may not exist on this machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/image.h"

struct sprof_saved_module {
	const char *build_id;                 /* hexadecimal; NULL: none or unknown */
	const struct sprof_segment *segments; /* executable segments; NULL: unknown */
	size_t segment_count;
	const char *debuglink; /* the name in .gnu_debuglink; NULL: none or unknown */
	uint32_t debuglink_crc;
};

struct sprof_saved_modules {
	const struct sprof_saved_module *items; /* by module id */
	size_t count;
	bool trust_paths; /* assume that a module without build id is the file at its path */
};
