/* Text inside a quoted string of Graphviz's language. */
#pragma once

#include "output/out.h"

/* Escapes it, and cuts what is too long for Graphviz and other readers. */
void sprof_dot_text(struct sprof_out *out, const char *text);
