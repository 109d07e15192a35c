/*
 * Makes pairs of events of the steps of threads, for what `sprof trace` does with pairs. Does not
 * find the delays (events/sched/delays.h), and does not write their lines
 * (output/rundelay/steps.h).
 */
#include "cmd/rundelay/single-delays.h"

#include "events/pairs/details.h"
#include "output/rundelay/steps.h"

static const struct sprof_event_item items[] = {
	[SPROF_DELAY_STEP_PREEMPTED] = {.index = SPROF_DELAY_STEP_PREEMPTED},
	[SPROF_DELAY_STEP_WOKEN] = {.index = SPROF_DELAY_STEP_WOKEN},
	[SPROF_DELAY_STEP_RUNS] = {.index = SPROF_DELAY_STEP_RUNS},
	[SPROF_DELAY_STEP_SLEEPS] = {.index = SPROF_DELAY_STEP_SLEEPS},
};

/* A step as an event. */
struct made {
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	struct sprof_trace_event event;
	struct sprof_trace_side side;
};

static void write_line(void *context, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line)
{
	struct sprof_single_delays *singles = context;

	if (singles->json)
		singles->no_memory |= !sprof_rundelay_step_json(instance, line, singles->out);
	else
		sprof_rundelay_step_text(instance, line, singles->out);
}

bool sprof_single_delays_begin(struct sprof_single_delays *singles,
	const struct sprof_detail *detail, struct sprof_error *err)
{
	const struct sprof_details_listener listener = {write_line, singles};

	if (!detail->is_wanted)
		return true;
	singles->details = sprof_details_create(&detail->how, &listener);
	return singles->details || sprof_error_no_memory(err);
}

bool sprof_single_delays_are_wanted(const struct sprof_single_delays *singles)
{
	return singles->details || singles->heatmap.name;
}

/* The name of a thread at this moment. */
static const char *name_of(struct sprof_single_delays *singles, pid_t tid)
{
	const struct sprof_delay_thread *own =
		sprof_delays_find(&singles->view.rundelay->delays, tid);

	if (own)
		return own->name;
	singles->no_memory |= !sprof_owners_add(&singles->owners, tid);
	return sprof_owners_name(&singles->owners, tid);
}

static void make(struct sprof_single_delays *singles, const struct sprof_delay_thread *thread,
	enum sprof_delay_step step, const struct sprof_delay_moment *moment, struct made *ret)
{
	*ret = (struct made){
		.event =
			{
				.time_ns = moment->time_ns,
				.thread = SPROF_TRACE_FOREIGN,
				.pid = singles->view.rundelay->pid,
				.tid = thread->tid,
				.cpu = moment->cpu,
				.type = SPROF_TRACE_SWITCH,
				.fields = ret->values,
			},
		.side =
			{
				.event = &ret->event,
				.item = &items[step],
				.key = thread->tid,
				.sequence = moment->number,
			},
	};
	ret->values[SPROF_RUNDELAY_OWN_NAME].text = thread->name;
	ret->values[SPROF_RUNDELAY_OTHER_NAME].text = name_of(singles, moment->other);
	ret->values[SPROF_RUNDELAY_OTHER_TID].integer = moment->other;
}

static uint64_t length_of(const struct sprof_delay_event *event)
{
	return event->moment.time_ns - event->thread->since.time_ns;
}

static bool is_preempted(const struct sprof_delay_event *event)
{
	return event->thread->state == SPROF_DELAY_STATE_PREEMPTED;
}

static void draw(struct sprof_single_delays *singles, const struct sprof_delay_event *event)
{
	sprof_heatmap_write(&singles->heatmap,
		&(struct sprof_heatmap_point){
			.id = is_preempted(event),
			.begin = is_preempted(event) ? "preempted" : "wakeup",
			.time_ns = event->moment.time_ns,
			.latency_ns = length_of(event),
		});
}

/* Asks for the lines of the delay that ends with this event. */
static void show(struct sprof_single_delays *singles, const struct sprof_delay_event *event,
	const struct made *end)
{
	struct sprof_trace_instance instance = {
		.event2 = end->side, .latency_ns = length_of(event)};
	struct made begin;

	make(singles, event->thread,
		is_preempted(event) ? SPROF_DELAY_STEP_PREEMPTED : SPROF_DELAY_STEP_WOKEN,
		&event->thread->since, &begin);
	instance.event1 = begin.side;
	singles->no_memory |= !sprof_details_request(singles->details, &instance);
}

static void take_event(
	struct sprof_single_delays *singles, const struct sprof_delay_event *event, bool is_shown)
{
	struct made made;

	singles->last_ns = event->moment.time_ns;
	make(singles, event->thread, event->step, &event->moment, &made);
	singles->no_memory |= !sprof_details_add(singles->details, &made.side, singles->oldest_ns);
	if (is_shown && length_of(event) > singles->view.than_ns)
		show(singles, event, &made);
}

void sprof_single_delays_take(void *data, const struct sprof_delay_event *event)
{
	struct sprof_single_delays *singles = data;
	const bool is_shown =
		event->ends_delay && sprof_rundelay_shows(&singles->view, event->thread);

	if (is_shown && singles->heatmap.name)
		draw(singles, event);
	if (singles->details)
		take_event(singles, event, is_shown);
}

void sprof_single_delays_look(struct sprof_single_delays *singles)
{
	const struct sprof_delay_thread *waiter =
		sprof_delays_longest_waiter(&singles->view.rundelay->delays, NULL, NULL);

	singles->oldest_ns = waiter ? waiter->since.time_ns : singles->last_ns;
}

void sprof_single_delays_end(struct sprof_single_delays *singles)
{
	if (singles->details)
		sprof_details_flush(singles->details, UINT64_MAX);
}

bool sprof_single_delays_close(struct sprof_single_delays *singles, struct sprof_error *err)
{
	return sprof_heatmap_close(&singles->heatmap, err);
}

void sprof_single_delays_finish(struct sprof_single_delays *singles)
{
	struct sprof_error ignored;

	/* Only after a failed run; otherwise it is already closed. */
	(void)!sprof_heatmap_close(&singles->heatmap, &ignored);
	sprof_details_destroy(singles->details);
	sprof_owners_finish(&singles->owners);
}
