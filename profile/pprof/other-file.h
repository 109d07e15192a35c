/* Private to profile/: recognises files that are not profiles by their first bytes. */
#ifndef SPROF_PROFILE_PPROF_OTHER_FILE_H
#define SPROF_PROFILE_PPROF_OTHER_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/* Returns true, with an error that names the format, if the bytes are another known format. */
SPROF_MUST_USE bool sprof_is_other_file(
	const uint8_t *bytes, size_t size, const char *name, struct sprof_error *err);

#endif
