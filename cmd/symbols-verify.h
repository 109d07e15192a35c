/*
 * Whether two sources of symbols agree about a file.
 */
#ifndef SPROF_CMD_SYMBOLS_VERIFY_H
#define SPROF_CMD_SYMBOLS_VERIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "cmd/naming.h"
#include "elfsym/image.h"
#include "elfsym/listing.h"

struct sprof_verification {
	const struct sprof_module *module;
	const struct sprof_image *image; /* of the module */
	struct sprof_debug_places places;
	/* compared with the file; NULL: compare the file with its debug information */
	const char *sysmap;
	struct sprof_symbols *symbols;
};

/*
 * Prints a line per symbol: OK, MISMATCH or MISSING, address, name, and for a mismatch the other
 * source's name.
 */
bool sprof_verification_run(const struct sprof_verification *verification, size_t *ret_matching,
	size_t *ret_all, struct sprof_error *err) SPROF_MUST_USE;

#endif
