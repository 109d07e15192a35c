/*
 * Text in XML and HTML.
 */
#ifndef SPROF_OUTPUT_ESCAPE_H
#define SPROF_OUTPUT_ESCAPE_H

#include <stddef.h>

#include "base/attributes.h"
#include "output/out.h"

/* Writes the first `size` bytes of cleaned text, for elements and for values of attributes. */
void sprof_escape_clean(struct sprof_out *out, const char *clean, size_t size);

/* Cleans any text and writes it. False: no memory; nothing was written. */
SPROF_MUST_USE bool sprof_escape_text(struct sprof_out *out, const char *text);

#endif
