/* Lines about single steps of threads. events/pairs/details.c chooses them. */
#include "output/rundelay/steps.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "events/sched/delays.h"
#include "output/clean.h"
#include "output/trace/details.h"

static const struct {
	const char *word, *to_other; /* NULL: the other thread has no part in it */
} words[] = {
	[SPROF_DELAY_STEP_PREEMPTED] = {"preempted", "by"},
	[SPROF_DELAY_STEP_WOKEN] = {"woken", "by"},
	[SPROF_DELAY_STEP_RUNS] = {"runs", "after"},
	[SPROF_DELAY_STEP_SLEEPS] = {"sleeps", NULL},
};

static void write_step(const struct sprof_trace_side *side, struct sprof_out *out)
{
	const struct sprof_trace_value *values = side->event->fields;
	SPROF_AUTO_FREE char *name = sprof_clean_text(values[SPROF_RUNDELAY_OWN_NAME].text, NULL);
	SPROF_AUTO_FREE char *other =
		sprof_clean_text(values[SPROF_RUNDELAY_OTHER_NAME].text, NULL);
	const char *to_other = words[side->item->index].to_other;

	sprof_details_text_time(side->event->time_ns, out);
	sprof_out_printf(out, " %16s %6d %s on CPU %d", name ? name : "?", (int)side->event->tid,
		words[side->item->index].word, side->event->cpu);
	if (to_other && values[SPROF_RUNDELAY_OTHER_TID].integer >= 0)
		sprof_out_printf(out, " %s %s", to_other, other ? other : "?");
	if (to_other && values[SPROF_RUNDELAY_OTHER_TID].integer > 0)
		sprof_out_printf(out, " %d", (int)values[SPROF_RUNDELAY_OTHER_TID].integer);
	sprof_out_puts(out, "\n");
}

void sprof_rundelay_step_text(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out)
{
	if (sprof_details_text_begin(instance, line, out))
		write_step(line->side, out);
}

bool sprof_rundelay_step_json(const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line, struct sprof_out *out)
{
	const struct sprof_trace_event *event = line->side ? line->side->event : NULL;
	struct sprof_json json;

	if (!event)
		return true;
	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_details_json_begin(instance, line, &json);
	sprof_json_format(&json, ",\"time_ns\":%" PRIu64 ",\"tid\":%d,\"comm\":", event->time_ns,
		(int)event->tid);
	sprof_json_name(&json, event->fields[SPROF_RUNDELAY_OWN_NAME].text);
	sprof_json_format(&json, ",\"event\":\"%s\",\"cpu\":%d",
		words[line->side->item->index].word, event->cpu);
	if (words[line->side->item->index].to_other &&
		event->fields[SPROF_RUNDELAY_OTHER_TID].integer >= 0) {
		sprof_json_format(&json, ",\"other_tid\":%d,\"other_comm\":",
			(int)event->fields[SPROF_RUNDELAY_OTHER_TID].integer);
		sprof_json_name(&json, event->fields[SPROF_RUNDELAY_OTHER_NAME].text);
	}
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return true;
}
