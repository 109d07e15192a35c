/* Explains why a module's addresses have no names, with a remedy. */
#pragma once

#include "elfsym/names/names.h"
#include "elfsym/names/symbols.h"

/* If there is an image, its symbol tables must have been read. */
void sprof_names_explain(const struct sprof_names *names, struct sprof_symbols_gap *ret);
