/*
 * Private to output/: the call graph as a picture.
 */
#ifndef SPROF_OUTPUT_FORMATS_DOT_H
#define SPROF_OUTPUT_FORMATS_DOT_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "output/format.h"

SPROF_MUST_USE bool sprof_dot_write(const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_out *out, struct sprof_error *err);

#endif
