/* Messages about refused perf events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/perf/event.h"

/* A phrase; 256 bytes suffice. */
void sprof_perf_denied_words(const struct sprof_perf_denial *denial, char *ret, size_t size);

/* Sets an error about events of this kind, with the remedy as hint. Returns false. */
SPROF_MUST_USE bool sprof_perf_denied(
	const struct sprof_perf_denial *denial, const char *what, struct sprof_error *err);
