/*
 * What the kernel counts of a thread besides its times, since its first sight.
 */
#ifndef SPROF_SAMPLER_FACTS_H
#define SPROF_SAMPLER_FACTS_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/procfs.h"
#include "base/record.h"

struct sampler;
struct sprof_thread;

struct first_facts {
	pid_t own_tid;                   /* as its process knows it */
	struct sprof_thread_facts start; /* what had been counted before */
};

void sprof_facts_begin(struct sprof_thread *thread, bool is_all_ours);
/* The thread's counters now; `all`: those too that only the sink wants to know. */
void sprof_facts_read(struct sprof_thread *thread, const struct sprof_proc_stat *stat, bool all,
	struct sprof_thread_facts *ret);
/* Tells the sink of all of them. */
void sprof_facts_tell(
	struct sampler *sampler, struct sprof_thread *thread, struct sprof_thread_facts facts);

#endif
