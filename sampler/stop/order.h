/*
 * The order in which a tick stops its threads, and the CPU to stop them from: the threads of one
 * CPU together.
 */
#ifndef SPROF_SAMPLER_STOP_ORDER_H
#define SPROF_SAMPLER_STOP_ORDER_H

#include <stdbool.h>

#include "sampler/stop/hop.h"
#include "sampler/stop/slots.h"

struct stop_order {
	struct sprof_hop *hop;
	bool crowded;              /* other programs want CPUs, and none is idle */
	struct sprof_cpu_set busy; /* CPUs that any of the threads ran on */
	/* real-time threads leave us no time there: threads on them are stopped from another CPU */
	struct sprof_cpu_set taken;
	/* those with a pinned real-time thread: also taken at the next tick */
	struct sprof_cpu_set taken_for_good;
	struct slot *end;        /* of the last group */
	struct slot_group group; /* the present group */
};

/* Sorts the slots, and moves to a free CPU if that helps. `crowded`: there is none. */
void sprof_stop_order_begin(
	struct stop_order *order, const struct slots *slots, bool crowded, struct sprof_hop *hop);

/*
 * Goes on to the next CPU's group, and moves to the CPU to stop it from. Returns false if there is
 * none.
 */
bool sprof_stop_order_next(struct stop_order *order);

#endif
