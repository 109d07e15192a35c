/*
 * Raises and restores the scheduling of the calling thread. Every call may fail without harm:
 * samples are then later. Does not handle priority inheritance, which raises threads above their
 * policy.
 */
#include "sampler/stop/hop.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	RAISED_NICE = -15,
	SHORT_SLICE_NS = 100 * 1000,
	TIMER_SLACK_NS = 1,
	DEADLINE_RANK = 100, /* above all priorities of SCHED_FIFO and SCHED_RR, which end at 99 */
};

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6 /* include/uapi/linux/sched.h */
#endif

static bool get(struct sprof_sched_attributes *ret)
{
	*ret = (struct sprof_sched_attributes){.size = sizeof(*ret)};
	return !syscall(SYS_sched_getattr, 0, ret, sizeof(*ret), 0);
}

static bool set(struct sprof_sched_attributes attributes)
{
	return !syscall(SYS_sched_setattr, 0, &attributes, 0);
}

/*
 * The kernel shows which slice is used, but not whether it was requested (kernel/sched/syscalls.c,
 * get_params). If the slice is the same without a request, there was none.
 */
static void forget_default_slice(struct sprof_sched_attributes *own)
{
	struct sprof_sched_attributes plain = *own;
	uint64_t slice = own->runtime;

	plain.runtime = 0;
	if (set(plain) && get(&plain) && plain.runtime == slice)
		own->runtime = 0;
}

void sprof_priority_init(struct sprof_priority *own)
{
	own->known = get(&own->attributes);
	own->slack_ns = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
	if (own->known && own->attributes.policy == SCHED_OTHER)
		forget_default_slice(&own->attributes);
}

/*
 * A task that comes to a CPU waits for the end of the running one's slice (kernel/sched/fair.c,
 * RUN_TO_PARITY): milliseconds on a CPU-bound target. A shorter slice of its own avoids that
 * (PREEMPT_SHORT, since Linux 6.12; older kernels ignore the runtime).
 */
void sprof_priority_raise(const struct sprof_priority *own)
{
	struct sprof_sched_attributes raised = own->attributes;

	prctl(PR_SET_TIMERSLACK, TIMER_SLACK_NS, 0, 0, 0);
	if (!own->known || raised.policy != SCHED_OTHER)
		return;
	raised.runtime = SHORT_SLICE_NS;
	if (raised.nice > RAISED_NICE)
		raised.nice = RAISED_NICE;
	if (set(raised))
		return;
	raised.nice = own->attributes.nice;
	set(raised);
}

void sprof_priority_restore(const struct sprof_priority *own)
{
	if (own->slack_ns > 0)
		prctl(PR_SET_TIMERSLACK, own->slack_ns, 0, 0, 0);
	if (own->known && own->attributes.policy == SCHED_OTHER)
		set(own->attributes);
}

uint64_t sprof_priority_rank(uint64_t policy, uint64_t priority)
{
	if (policy == SCHED_DEADLINE)
		return DEADLINE_RANK;
	return policy == SCHED_FIFO || policy == SCHED_RR ? priority : 0;
}

bool sprof_priority_is_starved_by(const struct sprof_priority *own, uint64_t rank)
{
	return rank &&
		rank >= sprof_priority_rank(own->attributes.policy, own->attributes.priority);
}
