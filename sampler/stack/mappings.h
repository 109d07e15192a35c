/*
 * When the mappings of a process are read again.
 */
#pragma once

#include "sampler/sampled.h"
#include "sampler/world.h"

/* Reads them at the first sight of the process: how a stack is copied depends on the program. */
void sprof_mappings_begin(const struct sprof_world *world, struct sprof_process *process);
/*
 * Reads them, unless the last read found no change and the next one would cost too much. Returns
 * whether they have changed.
 */
bool sprof_mappings_read(const struct sprof_world *world, struct sprof_process *process);
/*
 * The same for a pc in none of them, where a stack has led to. If the kernel says that there is
 * code by now, they are read in any case.
 */
bool sprof_mappings_seek(
	const struct sprof_world *world, struct sprof_process *process, uint64_t pc);
/* Reads them if they are old at now_ns. */
void sprof_mappings_refresh(
	const struct sprof_world *world, struct sprof_process *process, uint64_t now_ns);
/* Whether there was an exec that was not reported yet: the mappings are the old program's. */
bool sprof_mappings_are_gone(const struct sprof_process *process);
/* The process runs another program. */
void sprof_mappings_forget(struct known_mappings *mappings);

/*
 * The mappings at the moment of a record: before the exec of its process, those of its former
 * program, which can't be read or asked about any more.
 */
const struct sprof_maps *sprof_mappings_at(const struct sprof_process *process, uint64_t time_ns);

/*
 * begin: a record is going to be unwound. Returns whether the known mappings are kept for it,
 * because the thread has mapped code only since the record and since they were read. Then they are
 * read again only for a pc in none of them.
 */
bool sprof_mappings_begin_record(
	struct sprof_process *process, const struct sprof_perf_timer_record *record);
void sprof_mappings_end_record(struct sprof_process *process);

void sprof_mappings_doubt(struct known_mappings *mappings);
/* Doubts them if the tick that began at tick_ns has taken long; once for a tick. */
void sprof_mappings_doubt_late(struct known_mappings *mappings, uint64_t tick_ns, uint64_t now_ns);

/* Whether the stack was walked with mappings that still hold, as far as a cheap check shows. */
bool sprof_mappings_hold(const struct sprof_world *world, struct sprof_process *process,
	const struct sprof_stack_view *stack);

/*
 * Whether the stack of a record leads through a place where other code was mapped between the
 * record and the reading of the mappings: what was there before is not known.
 */
bool sprof_mappings_were_replaced(const struct sprof_world *world,
	const struct sprof_process *process, const struct sprof_stack_view *stack);
