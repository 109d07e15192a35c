/*
 * Folded stacks, as stackcollapse-*.pl, other profilers and sprof write them: "main;work 12", the
 * outermost frame first.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/pprof/text-lines.h"

/* Whether text has such a first line. */
bool sprof_folded_is(const uint8_t *bytes, size_t size);

SPROF_MUST_USE bool sprof_folded_read(struct sprof_text_lines *lines, struct sprof_error *err);
