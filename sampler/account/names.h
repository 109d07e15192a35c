/*
 * Names of threads and processes.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_NAMES_H
#define SPROF_SAMPLER_ACCOUNT_NAMES_H

#include <stdbool.h>

#include "sampler/loop/run.h"

/*
 * Hands the thread's name to the sink if it has changed, and with a new program also the process's.
 * A thread that is gone keeps its last name.
 */
void sprof_names_report(struct run *run, const struct sprof_sink *sink, struct sprof_thread *thread,
	bool new_program);

#endif
