/* Schedules "still recording" messages of a long run: after some seconds, then ever more rarely. */
#ifndef SPROF_CMD_SO_FAR_H
#define SPROF_CMD_SO_FAR_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_so_far {
	uint64_t begin_ns, next_ns; /* next_ns is UINT64_MAX if stderr is no terminal */
	unsigned said;              /* number of messages so far */
};

/* `reads`: stderr is a terminal. */
void sprof_so_far_begin(struct sprof_so_far *so_far, bool reads, uint64_t now_ns);
/* Whether a message is due; schedules the next one. */
bool sprof_so_far_is_due(struct sprof_so_far *so_far, uint64_t now_ns);

#endif
