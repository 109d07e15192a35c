/*
 * When to say on a terminal that a long run goes on: after some seconds, and then ever more rarely.
 */
#ifndef SPROF_CMD_SO_FAR_H
#define SPROF_CMD_SO_FAR_H

#include <stdbool.h>
#include <stdint.h>

struct sprof_so_far {
	uint64_t begin_ns, next_ns; /* UINT64_MAX: nobody reads it */
	unsigned said;              /* how often it was due */
};

/* `reads`: whether somebody would read it, on a terminal. */
void sprof_so_far_begin(struct sprof_so_far *so_far, bool reads, uint64_t now_ns);
/* True: it is time to say it; the next time is planned. */
bool sprof_so_far_is_due(struct sprof_so_far *so_far, uint64_t now_ns);

#endif
