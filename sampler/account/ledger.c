/* The arithmetic of intervals. Does not read figures and has no samples: samples.c has. */
#include "sampler/account/ledger.h"

#include "base/numbers.h"

void sprof_ledger_begin(struct ledger *ledger, const struct ledger_look *look)
{
	*ledger = (struct ledger){.last = *look, .ran_ns = look->time_ns};
}

/*
 * If the thread had several turns on a CPU, each is assumed to have waited equally long in the run
 * queue; the first wait came right after the sleep.
 */
void sprof_ledger_read(
	struct ledger *ledger, const struct ledger_look *look, bool slept, bool sleeps)
{
	const struct sprof_proc_schedstat *now = &look->figures, *then = &ledger->last.figures;
	const uint64_t cpu_ns = sprof_minus(now->cpu_ns, then->cpu_ns);
	const uint64_t queue_ns = sprof_minus(now->runq_ns, then->runq_ns);
	const uint64_t turns = sprof_minus(now->timeslices, then->timeslices);

	ledger->running_ns += cpu_ns;
	if (slept || sleeps || turns)
		ledger->asleep_ns +=
			(int64_t)(look->time_ns - ledger->last.time_ns - cpu_ns - queue_ns);
	if (slept && turns)
		ledger->queue_ns += queue_ns / turns;
	if (cpu_ns || turns)
		ledger->ran_ns = look->time_ns;
	ledger->last = (struct ledger_look){look->time_ns,
		{then->cpu_ns + cpu_ns, then->runq_ns + queue_ns, then->timeslices + turns}};
}

uint64_t sprof_ledger_take(uint64_t *ns, uint64_t most)
{
	const uint64_t taken = sprof_least(*ns, most);

	*ns -= taken;
	return taken;
}

uint64_t sprof_ledger_take_asleep(struct ledger *ledger, int64_t part)
{
	const int64_t ns = ledger->asleep_ns > 0 ? ledger->asleep_ns / part : 0;

	ledger->asleep_ns -= ns;
	return (uint64_t)ns;
}
