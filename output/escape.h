/* Escapes text for XML and HTML. */
#pragma once

#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"

/* Writes the first `size` bytes of a sanitised text, valid in elements and attribute values. */
void sprof_escape_clean(struct sprof_out *out, const char *clean, size_t size);

/* Sanitises and writes a text. Returns false, with nothing written, if out of memory. */
SPROF_MUST_USE bool sprof_escape_text(struct sprof_out *out, const char *text);
