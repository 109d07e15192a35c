/*
 * The text of `perf script`: for each sample a line with thread and event, then the stack, a frame
 * a line, the innermost first, and an empty line. perf's own file needs perf to read it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/pprof/text-lines.h"

/* Whether text begins with such a sample. */
bool sprof_perf_script_is(const uint8_t *bytes, size_t size);

/* Adds all samples; each counts as one. */
SPROF_MUST_USE bool sprof_perf_script_read(struct sprof_text_lines *lines, struct sprof_error *err);
