/*
 * All that happens while a thread is stopped: its registers are read, its stack is copied once, a
 * system call that the stop interrupted is repaired, and the thread continues. Nothing else, no
 * allocation and no other wait, may come between a thread's stop and its continuation. There is one
 * exception: a thread whose stop was requested on its own CPU also waits while the tracer leaves
 * that CPU (stops.c, collect_group).
 */
#include "sampler/stop/stops.h"

#include "base/numbers.h"

/* A running thread has stopped by then, and a resumed one goes on. */
enum { QUICK_NS = 200 * 1000 };

/*
 * Resumes the thread. Returns when it went on. It may have taken our CPU before we could read the
 * clock again, but not for longer than we have been queued since the last note.
 */
static uint64_t let_go(const struct stops *stops, struct sprof_thread *thread)
{
	const struct run *run = stops->run;
	const uint64_t before = now_of(run);
	uint64_t after, queued;

	run->world->resume(thread);
	after = now_of(run);
	if (after - before <= QUICK_NS)
		return after;
	queued = sprof_hop_queued_ns(&stops->hop);
	return queued < after - before ? after - queued : before;
}

void sprof_standstill_copy(struct stops *stops, struct slot *slot)
{
	const struct run *run = stops->run;
	const struct sprof_world *world = run->world;
	struct sprof_thread *thread = slot->ask.thread;
	const struct copying copying = sprof_copying_of(world, thread, &slot->buffer);
	/* Since the slot was made, an event may have shown that the thread needs larger copies. */
	const bool has_room = sprof_copy_has_room(&slot->buffer, copying.plan);
	struct sprof_stack_copy ahead = {0};
	const uint64_t begin = now_of(run);
	uint64_t unseen = slot->phase == SLOT_ASKED ? begin - slot->requested_ns : 0, end;

	slot->phase = SLOT_FAILED;
	slot->awaited = false;
	if (slot->near && has_room)
		sprof_copy_ahead(&copying, &ahead);
	if (world->mend(thread, true, &slot->snapshot.regs) && has_room) {
		sprof_copy_stack(&copying, &ahead, &slot->snapshot);
		slot->phase = SLOT_COPIED;
	}
	end = let_go(stops, thread);
	/*
	 * A stop that took longer was not that of a running thread: it waited for a CPU, or its
	 * group had used up its share (cpu.max). That is no pause of ours. Before we saw it, the
	 * thread stood still at most as long as we were queued for a CPU ourselves.
	 */
	if (unseen > QUICK_NS)
		unseen = sprof_least(unseen, sprof_hop_queued_ns(&stops->hop));
	/* Without memory, others end the run. */
	(void)!sprof_histogram_add(&stops->pauses, end - begin + unseen);
	thread->sampling->stood_ns += end - begin;
	thread->sampling->is_late = false;
	if (slot->phase != SLOT_COPIED)
		return;
	/* The kernel's figures of a thread that has just been stopped are exact. */
	slot->has_reading =
		slot->ask.wants_figures && sprof_reading_take(world, thread, &slot->reading);
	slot->look = (struct ledger_look){now_of(run), slot->reading.schedstat};
	if (!slot->has_reading && !world->read_schedstat(thread, &slot->look.figures))
		slot->look.time_ns = 0;
}

void sprof_standstill_end(const struct stops *stops, struct sprof_thread *thread)
{
	const uint64_t seen = now_of(stops->run);
	struct sprof_regs regs;
	uint64_t end;

	(void)!stops->run->world->mend(thread, true, &regs);
	end = let_go(stops, thread);
	if (thread->sampling)
		thread->sampling->stood_ns += end - seen;
}
