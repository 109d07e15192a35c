/*
 * Why perf events are not permitted, in words.
 */
#ifndef SPROF_CMD_PERF_DENIED_H
#define SPROF_CMD_PERF_DENIED_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/perf-event.h"

/* Half a sentence; 256 bytes are enough. */
void sprof_perf_denied_words(const struct sprof_perf_denial *denial, char *ret, size_t size);

/* An error about events of this kind, with the remedy as its hint. Returns false. */
SPROF_MUST_USE bool sprof_perf_denied(
	const struct sprof_perf_denial *denial, const char *what, struct sprof_error *err);

#endif
