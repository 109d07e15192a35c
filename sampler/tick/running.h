/*
 * Whether a thread runs.
 */
#ifndef SPROF_SAMPLER_TICK_RUNNING_H
#define SPROF_SAMPLER_TICK_RUNNING_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/loop/run.h"

/*
 * Whether it runs, or waits for a CPU. Notes its CPU and its page faults with the thread. stat
 * shows all that, but costs more than all other reads of a tick. So the CPU of a thread that goes
 * on running is believed for a while, unless samples are to show it. If that is wrong, the stop
 * takes longer, but is still right.
 */
bool sprof_running_is(const struct run *run, struct sprof_thread *thread, uint64_t now_ns);

#endif
