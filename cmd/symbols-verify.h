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
};

/* From good to bad. */
enum sprof_verdict {
	SPROF_VERDICT_OK,
	SPROF_VERDICT_MISSING,  /* the other source has no name there */
	SPROF_VERDICT_MISMATCH, /* the other source has another name there */
};

struct sprof_verification_result {
	size_t matching, all;
	enum sprof_verdict worst;
};

/*
 * Prints which sources it compares, and a line per symbol: the verdict, address, name, and for a
 * mismatch the other source's name. Fails if the file has nothing that is independent of its
 * symbols.
 */
bool sprof_verification_run(const struct sprof_verification *verification,
	struct sprof_verification_result *ret, struct sprof_error *err) SPROF_MUST_USE;

#endif
