/*
 * The queue of events: a ring of fixed size, so no report is lost for lack of memory. dispatch.c
 * fills it.
 */
#include "attach/event.h"

#include <assert.h>

#include "base/clock.h"

static struct sprof_event *at(struct sprof_event_queue *queue, size_t index)
{
	return &queue->items[(queue->first + index) % SPROF_EVENTS_MAX];
}

static struct sprof_event *add(struct sprof_event_queue *queue)
{
	assert(queue->count < SPROF_EVENTS_MAX);
	return at(queue, queue->count++);
}

void sprof_event_queue_put(
	struct sprof_event_queue *queue, enum sprof_event_kind kind, struct sprof_thread *thread)
{
	*add(queue) = (struct sprof_event){.kind = kind, .thread = thread};
}

void sprof_event_queue_put_now(struct sprof_event_queue *queue, struct sprof_event event)
{
	event.time_ns = sprof_clock_now_ns();
	*add(queue) = event;
}

void sprof_event_queue_put_signal(struct sprof_event_queue *queue, const siginfo_t *info)
{
	*add(queue) = (struct sprof_event){.kind = SPROF_EVENT_SIGNAL, .info = *info};
}

void sprof_event_queue_put_whole(struct sprof_event_queue *queue, const struct sprof_event *event)
{
	*add(queue) = *event;
}

bool sprof_event_queue_take(struct sprof_event_queue *queue, struct sprof_event *ret)
{
	if (!queue->count)
		return false;
	*ret = *at(queue, 0);
	queue->first = (queue->first + 1) % SPROF_EVENTS_MAX;
	queue->count--;
	return true;
}

void sprof_event_queue_drop(struct sprof_event_queue *queue, const struct sprof_thread *thread)
{
	size_t kept = 0;

	for (size_t i = 0; i < queue->count; i++) {
		if (at(queue, i)->thread != thread)
			*at(queue, kept++) = *at(queue, i);
	}
	queue->count = kept;
}
