/*
 * Sampling on and off. It is off until the delay ends, which switches it on; later the control
 * switches it. While it is off there are no ticks, and time is charged to no thread: accounts end
 * at the closing tick before, and start again afterwards. Does not decide when: the control does.
 */
#include "sampler/loop/loop.h"

#include "base/numbers.h"

/* Up to the last tick all time was charged. Since then we may have waited for a CPU. */
uint64_t sprof_switch_on_ns(const struct loop *loop)
{
	const struct sampling_switch *sampling = &loop->sampling;

	return sampling->on_ns +
		(sampling->is_on ? sprof_minus(loop->run.tick.ns, sampling->since_ns) : 0);
}

/* A delay does not count. */
uint64_t sprof_switch_off_ns(const struct loop *loop)
{
	const struct sampling_switch *sampling = &loop->sampling;

	if (sampling->is_on || sampling->planned_ns != UINT64_MAX)
		return sampling->off_ns;
	return sampling->off_ns + sprof_minus(now_of(&loop->run), sampling->since_ns);
}

static void begin_ticks(struct loop *loop, uint64_t first_ns)
{
	struct pace *pace = &loop->pace;

	loop->sampling.is_on = true;
	loop->sampling.planned_ns = UINT64_MAX;
	loop->sampling.since_ns = first_ns;
	loop->ticking.unsettled_ns = first_ns;
	if (!loop->run.options->no_samples)
		sprof_schedule_restart(&pace->schedule, first_ns);
	sprof_budget_begin(&pace->budget, first_ns, spent_ns(loop));
}

void sprof_switch_init(struct loop *loop)
{
	const struct sprof_sampler_options *options = loop->run.options;

	loop->sampling = (struct sampling_switch){
		.planned_ns = options->starts_off ? UINT64_MAX : loop->pace.begin_ns,
		.since_ns = loop->pace.begin_ns,
	};
	/* All that a launched program has used since its birth belongs to the run. */
	if (!options->starts_off && !options->delay_ns)
		begin_ticks(loop, loop->pace.begin_ns);
}

void sprof_switch_on(struct loop *loop)
{
	if (loop->sampling.is_on)
		return;
	loop->sampling.off_ns = sprof_switch_off_ns(loop);
	if (loop->exact.is_open)
		sprof_exact_read(&loop->exact, true);
	sprof_book_resume(&loop->book);
	if (loop->exact.is_open)
		sprof_exact_resume(&loop->exact);
	begin_ticks(loop, loop->book.begin_ns);
}

void sprof_switch_off(struct loop *loop)
{
	struct sampling_switch *sampling = &loop->sampling;
	const uint64_t on_ns = sprof_switch_on_ns(loop);

	if (sampling->is_on) {
		sprof_book_pause(&loop->book, loop->run.tick.ns);
		if (loop->exact.is_open)
			sprof_exact_pause(&loop->exact);
		if (loop->ticking.kernel)
			sprof_kernel_rest(loop->ticking.kernel);
		sprof_schedule_restart(&loop->pace.schedule, UINT64_MAX);
		sampling->since_ns = loop->run.tick.ns;
		sampling->on_ns = on_ns;
	}
	sampling->is_on = false;
	sampling->planned_ns = UINT64_MAX;
}
