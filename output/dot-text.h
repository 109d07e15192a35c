/* Text inside a quoted string of Graphviz's language. */
#ifndef SPROF_OUTPUT_DOT_TEXT_H
#define SPROF_OUTPUT_DOT_TEXT_H

#include "output/out.h"

/* Escapes it, and cuts what is too long for Graphviz and other readers. */
void sprof_dot_text(struct sprof_out *out, const char *text);

#endif
