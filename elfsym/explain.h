/*
 * Why a module's places have no names, and what would help.
 */
#ifndef SPROF_ELFSYM_EXPLAIN_H
#define SPROF_ELFSYM_EXPLAIN_H

#include "elfsym/names.h"
#include "elfsym/symbols.h"

/* The symbol tables have been read where there is an image. */
void sprof_names_explain(const struct sprof_names *names, struct sprof_symbols_gap *ret);

#endif
