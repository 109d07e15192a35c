/* Checks whether two sources of symbols agree about a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "cmd/saved/naming.h"
#include "elfsym/elf/image.h"
#include "elfsym/names/listing.h"

struct sprof_verification {
	const struct sprof_module *module;
	const struct sprof_image *image; /* of the module */
	struct sprof_debug_places places;
	/*
	 * a list of symbols to compare with the file; NULL: compare the file with its debug
	 * information
	 */
	const char *sysmap;
};

/* From best to worst. */
enum sprof_verdict {
	SPROF_VERDICT_OK,
	SPROF_VERDICT_MISSING,  /* no name in the other source */
	SPROF_VERDICT_MISMATCH, /* another name in the other source */
};

struct sprof_verification_result {
	size_t matching, all;
	enum sprof_verdict worst;
};

/*
 * Prints the compared sources, and a line per symbol: verdict, address, name, and for a mismatch
 * the other name. Fails if the file has no information independent of its symbols.
 */
bool sprof_verification_run(const struct sprof_verification *verification,
	struct sprof_verification_result *ret, struct sprof_error *err) SPROF_MUST_USE;
