/* Private to profile/critical/: what its files share while they find the path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"
#include "profile/critical/critical.h"
#include "profile/critical/graph.h"
#include "profile/critical/places.h"

#define SPROF_CRITICAL_NO_GROUP UINT32_MAX

/* The function of a stack, found once. */
struct critical_charge {
	bool is_known;
	uint32_t function, caller, kernel;
};

/* What can be taken away: a function in threads of one name; without a name, queues. */
struct critical_group {
	const char *thread;
	uint32_t function, caller;
	uint64_t ns;
	bool is_tried;
};

struct critical_finder {
	const struct sprof_profile *profile;
	const struct sprof_critical_log *log;
	struct sprof_critical *result;
	struct sprof_critical_graph graph;
	struct sprof_critical_places places;
	struct sprof_critical_end end;
	struct critical_charge *charges; /* by stack */
	struct sprof_idmap row_index, group_index, waking_index;
	struct critical_group *groups;
	size_t group_count, group_capacity;
	uint32_t left_out; /* a group; NO_GROUP: none */
	bool out_of_memory;
};

/* The name of the thread with this id. */
const char *critical_name_of(const struct critical_finder *finder, uint32_t id);
/* What a stack is charged to; valid until the next call. */
const struct critical_charge *critical_charge_of(struct critical_finder *finder, uint32_t stack);
/* The group of a part at a stack; NO_GROUP: it can't be taken away. */
uint32_t critical_group_of(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack);

/*
 * Whether the kernel's work after an interrupt has ended the sleep, and perhaps for a sender: a
 * thread of the target may have sent something over the network, so the waker is not known.
 */
bool critical_is_network(
	struct critical_finder *finder, const struct sprof_critical_part *part, uint32_t stack);

typedef void critical_take_stretch(struct critical_finder *finder,
	const struct sprof_critical_part *part, uint32_t stack, uint64_t ns, void *data);

/* Passes the stretches of a piece at one stack each, in order of time. */
void critical_for_each_stretch(struct critical_finder *finder,
	const struct sprof_critical_part *part, uint64_t from_ns, uint64_t to_ns,
	critical_take_stretch *take, void *data);

/* savings.c: the run without the heaviest groups. Returns false if out of memory. */
bool critical_find_savings(struct critical_finder *finder);
