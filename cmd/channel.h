/*
 * --control: where lines come from that switch sampling, and where answers go.
 */
#ifndef SPROF_CMD_CHANNEL_H
#define SPROF_CMD_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"

struct sprof_channel {
	int lines; /* -1: there is none */
	int acks;  /* -1: nobody wants answers */
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

/* What a line of this length says; blanks around the word don't count. */
enum sprof_line sprof_line_parse(const char *text, size_t length);

/*
 * An option's setter for a struct sprof_channel: "fd:N[,M]", descriptors that sprof was started
 * with, or "fifo:PATH[,PATH]". They stay open until the end of the process.
 */
SPROF_MUST_USE bool sprof_channel_open(void *field, const char *text, struct sprof_error *err);

#endif
