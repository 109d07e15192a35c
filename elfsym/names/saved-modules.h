/*
 * Private to elfsym/: the names of a saved profile's module.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/names/names.h"

/*
 * Opens the module's file, or its debug file, if this machine has them. Having neither is not an
 * error. Returns false if out of memory.
 */
bool sprof_names_open_saved(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
