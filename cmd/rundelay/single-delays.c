/*
 * Makes pairs of events of the steps of threads, for what `sprof trace` does with pairs. Does not
 * find the delays (events/sched/delays.h).
 */
#include "cmd/rundelay/single-delays.h"

#include "base/cleanup.h"
#include "events/pairs/details.h"
#include "output/clean.h"
#include "output/trace/details.h"

/* The values of a step are those of a switch from its thread to the other one. */
enum { OWN_NAME = 0, OTHER_NAME = 4, OTHER_TID = 5 };

static const struct {
	const char *word, *to_other; /* NULL: the other thread has no part in it */
} words[] = {
	[SPROF_DELAY_STEP_PREEMPTED] = {"preempted", "by"},
	[SPROF_DELAY_STEP_WOKEN] = {"woken", "by"},
	[SPROF_DELAY_STEP_RUNS] = {"runs", "after"},
	[SPROF_DELAY_STEP_SLEEPS] = {"sleeps", NULL},
};

enum { STEPS = sizeof(words) / sizeof(words[0]) };

static const struct sprof_event_item items[STEPS] = {
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

static void write_text(const struct sprof_trace_side *side, struct sprof_out *out)
{
	const struct sprof_trace_value *values = side->event->fields;
	SPROF_AUTO_FREE char *name = sprof_clean_text(values[OWN_NAME].text, NULL);
	SPROF_AUTO_FREE char *other = sprof_clean_text(values[OTHER_NAME].text, NULL);
	const char *to_other = words[side->item->index].to_other;

	sprof_details_text_time(side->event->time_ns, out);
	sprof_out_printf(out, " %16s %6d %s on CPU %d", name ? name : "?", (int)side->event->tid,
		words[side->item->index].word, side->event->cpu);
	if (to_other && values[OTHER_TID].integer >= 0)
		sprof_out_printf(out, " %s %s", to_other, other ? other : "?");
	if (to_other && values[OTHER_TID].integer > 0)
		sprof_out_printf(out, " %d", (int)values[OTHER_TID].integer);
	sprof_out_puts(out, "\n");
}

static bool write_json(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out)
{
	const struct sprof_trace_event *event = line->side ? line->side->event : NULL;
	struct sprof_json json;

	if (!event)
		return true;
	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_details_json_begin(instance, line, &json);
	sprof_json_format(&json,
		",\"time_ns\":%llu,\"tid\":%d,\"comm\":", (unsigned long long)event->time_ns,
		(int)event->tid);
	sprof_json_name(&json, event->fields[OWN_NAME].text);
	sprof_json_format(&json, ",\"event\":\"%s\",\"cpu\":%d",
		words[line->side->item->index].word, event->cpu);
	if (words[line->side->item->index].to_other && event->fields[OTHER_TID].integer >= 0) {
		sprof_json_format(&json,
			",\"other_tid\":%d,\"other_comm\":", (int)event->fields[OTHER_TID].integer);
		sprof_json_name(&json, event->fields[OTHER_NAME].text);
	}
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return true;
}

static void write_line(void *context, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line)
{
	struct sprof_single_delays *singles = context;

	if (singles->json)
		singles->no_memory |= !write_json(instance, line, singles->out);
	else if (sprof_details_text_begin(instance, line, singles->out))
		write_text(line->side, singles->out);
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
	ret->values[OWN_NAME].text = thread->name;
	ret->values[OTHER_NAME].text = name_of(singles, moment->other);
	ret->values[OTHER_TID].integer = moment->other;
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
		sprof_delays_longest_waiter(&singles->view.rundelay->delays);

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
