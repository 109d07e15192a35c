/*
 * All that is done while a thread stands still: its registers and one copy of its stack, the repair of a
 * system call that the stop has broken off, and on. Nothing else, no allocation and no other wait, may be
 * between a thread's stop and its continuation.
 */
#include "sampler/sampler-internal.h"

#include "attach/restart.h"
#include "base/clock.h"

enum { QUICK_NS = 200 * 1000 }; /* a thread that runs has stopped by then */

/*
 * A stop that takes longer was not of a thread that ran: it waited for a CPU, or its group had used up its
 * share (cpu.max), which is no pause of ours. It has not stood still before we saw it for longer than we
 * waited for a CPU ourselves.
 */
static uint64_t unseen_ns(const struct sampler *sampler, uint64_t stop_ns)
{
	uint64_t waited;

	if (stop_ns <= QUICK_NS)
		return stop_ns;
	waited = sprof_hop_waited_ns(&sampler->hop);
	return waited < stop_ns ? waited : stop_ns;
}

void sprof_standstill_copy(struct sampler *sampler, struct slot *slot)
{
	struct sprof_thread *thread = slot->thread;
	struct sampling *sampling = thread->sampling;
	struct sprof_stack_copy ahead = {0};
	uint64_t begin = sprof_clock_now_ns(), end;
	uint64_t stop_ns = slot->phase == SLOT_ASKED ? begin - slot->requested_ns : 0;

	slot->phase = SLOT_FAILED;
	slot->awaited = false;
	if (slot->near)
		sprof_copy_ahead(thread, &slot->buffer, &ahead);
	if (sprof_regs_read(thread->tid, &slot->snapshot.regs)) {
		sprof_restart_repair(thread->tid, &slot->snapshot.regs, true);
		thread->thread_pointer = slot->snapshot.regs.thread_pointer;
		sprof_copy_stack(thread, &slot->buffer, &ahead, &slot->snapshot);
		slot->phase = SLOT_COPIED;
	}
	sprof_thread_resume(thread);
	end = sprof_clock_now_ns();
	sprof_pauses_add(&sampler->pauses, end - begin + unseen_ns(sampler, stop_ns));
	sampling->stood_ns += end - begin;
	sampling->lost = false;
	/* Of a thread that has just been stopped the kernel's figures are exact. */
	if (slot->phase == SLOT_COPIED)
		sprof_charge_window(sampler, thread);
}

void sprof_standstill_end(struct sprof_thread *thread)
{
	struct sampling *sampling = thread->sampling;
	uint64_t seen = sprof_clock_now_ns();
	struct sprof_regs regs;

	if (sprof_regs_read(thread->tid, &regs))
		sprof_restart_repair(thread->tid, &regs, true);
	sprof_thread_resume(thread);
	if (sampling)
		sampling->stood_ns += sprof_clock_now_ns() - seen;
}
