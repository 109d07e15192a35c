/*
 * The loop's stacks, for sources of single events (struct sprof_event_stacks).
 */
#ifndef SPROF_SAMPLER_LOOP_EVENT_STACKS_H
#define SPROF_SAMPLER_LOOP_EVENT_STACKS_H

#include "events/source.h"
#include "sampler/account/book.h"
#include "sampler/loop/run.h"
#include "sampler/tick/peek.h"

struct event_stacks {
	struct run *run;
	struct book *book;
	struct copy_buffer buffer;
	struct sprof_snapshot snapshot; /* of a thread that stood still */
	struct peeking peeking;
	struct observation taken; /* the copy under way: its snapshot is NULL if there is none */
	struct sprof_event_stacks offered;
};

/* The caller keeps all pointed-to objects, and this one in its place, as long as it is used. */
void sprof_event_stacks_init(struct event_stacks *stacks, struct run *run, struct book *book);
void sprof_event_stacks_finish(struct event_stacks *stacks);

#endif
