/* Schedules "still recording" messages of a long run: after some seconds, then ever more rarely. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct sprof_pace {
	uint64_t begin_ns, next_ns; /* next_ns is UINT64_MAX if stderr is not a terminal */
	unsigned said;              /* number of messages so far */
};

/* `reads`: stderr is a terminal. */
void sprof_pace_begin(struct sprof_pace *so_far, bool reads, uint64_t now_ns);
/* Whether a message is due; schedules the next one. */
bool sprof_pace_is_due(struct sprof_pace *so_far, uint64_t now_ns);
/* Prints the message: how many calls there were so far. `stops`: each stops the program. */
void sprof_pace_note(
	const struct sprof_pace *so_far, uint64_t counted, bool stops, uint64_t now_ns);
