/* --control: the channel for lines that switch sampling, and for answers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_channel {
	int lines; /* -1: no channel */
	int acks;  /* -1: no answers wanted */
};

enum sprof_line {
	SPROF_LINE_EMPTY,
	SPROF_LINE_ENABLE,
	SPROF_LINE_DISABLE,
	SPROF_LINE_PING,
	SPROF_LINE_STOP,
	SPROF_LINE_SNAPSHOT,
	SPROF_LINE_UNKNOWN,
};

/* The meaning of a line of this length; surrounding blanks are ignored. */
enum sprof_line sprof_line_parse(const char *text, size_t length);

/*
 * Option setter for struct sprof_channel: "fd:N[,M]" for descriptors inherited by sprof, or
 * "fifo:PATH[,PATH]". They stay open until the process ends.
 */
SPROF_MUST_USE bool sprof_channel_open(void *field, const char *text, struct sprof_error *err);
