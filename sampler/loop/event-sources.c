/*
 * Calls the sources of single events from the loop. Does not handle what they find.
 */
#include "base/numbers.h"
#include "sampler/loop/loop.h"

static const struct sprof_event_source *source_at(const struct loop *loop, size_t index)
{
	return loop->events ? loop->events[index] : NULL;
}

void sprof_sources_offer(struct loop *loop)
{
	const struct sprof_event_source *source;

	for (size_t i = 0; (source = source_at(loop, i)); i++) {
		if (source->offer && !source->offer(source->data, &loop->event_stacks.offered))
			loop->run.out_of_memory = true;
	}
}

void sprof_sources_take(const struct loop *loop, const struct sprof_event *event)
{
	const struct sprof_event_source *source;

	for (size_t i = 0; (source = source_at(loop, i)); i++) {
		if (source->take)
			source->take(source->data, event);
	}
}

static uint64_t due_of(const struct sprof_event_source *source)
{
	return source->due_ns ? source->due_ns(source->data) : UINT64_MAX;
}

uint64_t sprof_sources_due_ns(const struct loop *loop)
{
	const struct sprof_event_source *source;
	uint64_t due_ns = UINT64_MAX;

	for (size_t i = 0; (source = source_at(loop, i)); i++)
		due_ns = sprof_least(due_ns, due_of(source));
	return due_ns;
}

void sprof_sources_poll(struct loop *loop, uint64_t now_ns)
{
	const struct sprof_event_source *source;

	for (size_t i = 0; (source = source_at(loop, i)); i++) {
		if (now_ns >= due_of(source) && !source->poll(source->data, now_ns))
			loop->run.out_of_memory = true;
	}
}

void sprof_sources_end(const struct loop *loop)
{
	const struct sprof_event_source *source;

	for (size_t i = 0; (source = source_at(loop, i)); i++) {
		if (source->end)
			source->end(source->data, now_of(&loop->run));
	}
}
