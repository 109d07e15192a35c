/* Resets what is known of a thread when it begins, executes a program, or gets a new sink. */
#include "sampler/sampled.h"

#include <stdlib.h>

#include "interp/interp.h"

struct sampled_process *sprof_sampled_process_of(struct sprof_process *process)
{
	if (!process->sampling)
		process->sampling = calloc(1, sizeof(struct sampled_process));
	return process->sampling;
}

void sprof_sampled_process_forget(struct sprof_process *process)
{
	if (process->sampling) {
		sprof_interp_process_destroy(process->sampling->script);
		sprof_cpu_clock_close(&process->sampling->clock);
	}
	free(process->sampling);
	process->sampling = NULL;
}

void sprof_sampled_begin(
	struct sampled *sampled, const struct sprof_figures *start, uint64_t timeslices)
{
	const struct ledger_look look = {
		.time_ns = start->time_ns,
		.figures = {start->cpu_ns, start->runq_ns, timeslices},
	};

	sprof_ledger_begin(&sampled->ledger, &look);
	sprof_account_init(&sampled->account, start);
	sampled->stood_ns = 0;
}

static void forget_place(struct sampled *sampled)
{
	sampled->sleep.active = false;
	sampled->wait = (struct known_wait){.id = SPROF_WAIT_NONE};
}

void sprof_sampled_executed(struct sampled *sampled)
{
	forget_place(sampled);
	/* Its stack is elsewhere. */
	sampled->copy = (struct copy_plan){.size = sampled->copy.size};
	sampled->sought_thread = false;
}

void sprof_sampled_restarted(struct sampled *sampled)
{
	forget_place(sampled);
	sampled->is_late = false;
	/* The place is a stack of the old sink. A thread with a record has time slices. */
	sampled->place_ns = sampled->timed.timeslices = 0;
}
