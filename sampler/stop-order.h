/*
 * In which order the threads of a tick are stopped, and from which CPU: those of one CPU together.
 */
#ifndef SPROF_SAMPLER_STOP_ORDER_H
#define SPROF_SAMPLER_STOP_ORDER_H

#include <sched.h>
#include <stdbool.h>

#include "sampler/hop.h"
#include "sampler/slots.h"

struct stop_order {
	struct sprof_hop *hop;
	bool crowded;            /* other programs want CPUs, and there is none to spare */
	cpu_set_t busy;          /* CPUs that any of the threads ran on */
	cpu_set_t taken; /* where real-time threads leave us no time: what runs there is stopped from afar */
	cpu_set_t taken_for_good; /* those of them where that will be so at the next tick, too */
	struct slot *end;        /* of the last group */
	struct slot_group group; /* whose turn it is */
};

/* Sorts the slots, and leaves for a free CPU where that helps. `running`: threads of the target, those among them. */
void sprof_stop_order_begin(struct stop_order *order, const struct slots *slots, size_t running,
	struct sprof_hop *hop);

/* The next CPU's group, and we are where its threads are to be stopped from. False: there is none. */
bool sprof_stop_order_next(struct stop_order *order);

#endif
