/*
 * Additional JSON lines of `sprof trace --json`: events of single instances, unpaired events,
 * stacks. report.c writes the tables.
 */
#include <inttypes.h>

#include "base/syscall-name.h"
#include "cmd/trace/report.h"
#include "output/frames.h"
#include "output/json.h"
#include "output/trace/details.h"

enum { NAME_SIZE = 64 };

static void add_value(
	enum sprof_trace_kind kind, const struct sprof_trace_value *value, struct sprof_json *json)
{
	if (kind == SPROF_TRACE_TEXT)
		sprof_json_string(json, value->text);
	else
		sprof_json_format(json, "%" PRId64, value->integer);
}

static void add_field(const struct sprof_trace_field *field, const struct sprof_trace_event *event,
	struct sprof_json *json)
{
	sprof_json_string(json, field->name);
	sprof_json_text(json, field->count > 1 ? ":[" : ":");
	for (uint8_t i = 0; i < field->count; i++) {
		sprof_json_text(json, i ? "," : "");
		add_value(field->kind, &event->fields[field->index + i], json);
	}
	sprof_json_text(json, field->count > 1 ? "]" : "");
}

static void add_call(const struct sprof_trace_event *event, struct sprof_json *json)
{
	char name[NAME_SIZE];

	if (event->type != SPROF_TRACE_SYS_ENTER && event->type != SPROF_TRACE_SYS_EXIT)
		return;
	sprof_syscall_name(event->fields[0].integer, name, sizeof(name));
	sprof_json_member_string(json, ",\"syscall\":", name);
}

static void add_event(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_side *side, struct sprof_json *json)
{
	const struct sprof_trace_event *event = side->event;
	const struct sprof_trace_type_row *row =
		sprof_trace_type_row((enum sprof_trace_type)event->type);
	const struct sprof_profile_thread *owner = sprof_owner(owners->profile, event->thread);
	const unsigned stack = sprof_trace_stacks_number(stacks, (uint32_t)event->stack);
	char name[NAME_SIZE];

	sprof_trace_type_name(row, NULL, name, sizeof(name));
	sprof_json_format(json, ",\"time_ns\":%" PRIu64 ",\"tid\":%d,\"comm\":", event->time_ns,
		(int)event->tid);
	sprof_json_string(json, owner ? owner->name : sprof_owners_name(owners, event->tid));
	sprof_json_member_string(json, ",\"event\":", row->per_name ? side->item->name : name);
	add_call(event, json);
	sprof_json_text(json, ",\"fields\":{");
	for (size_t i = 0; i < row->field_count; i++) {
		sprof_json_text(json, i ? "," : "");
		add_field(&row->fields[i], event, json);
	}
	sprof_json_text(json, "}");
	if (stack)
		sprof_json_format(json, ",\"stack\":%u", stack);
}

bool sprof_trace_json_line(const struct sprof_owners *owners, struct sprof_trace_stacks *stacks,
	const struct sprof_trace_instance *instance, const struct sprof_details_line *line,
	struct sprof_out *out)
{
	struct sprof_json json;

	if (!line->side)
		return true;
	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_details_json_begin(instance, line, &json);
	add_event(owners, stacks, line->side, &json);
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return true;
}

void sprof_trace_json_open(uint64_t open_ns, unsigned stack, struct sprof_out *out)
{
	sprof_out_printf(out, "{\"line\":\"in flight\",\"latency_ns\":%" PRIu64, open_ns);
	if (stack)
		sprof_out_printf(out, ",\"stack\":%u", stack);
	sprof_out_puts(out, "}\n");
}

bool sprof_trace_json_unpaired(
	const struct sprof_event_list *list, uint64_t *const counts[2], struct sprof_out *out)
{
	static const char *const sides[] = {"event1", "event2"};
	struct sprof_json json;
	bool first = true;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_text(&json, "{\"unpaired\":[");
	for (size_t i = 0; i < 2 * list->count; i++) {
		const uint64_t count = counts[i % 2][i / 2];

		if (!count)
			continue;
		sprof_json_comma(&json, &first);
		sprof_json_member_string(&json, "{\"event\":", list->items[i / 2].name);
		sprof_json_format(
			&json, ",\"as\":\"%s\",\"count\":%" PRIu64 "}", sides[i % 2], count);
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
	return true;
}

bool sprof_trace_json_stacks(const struct sprof_trace_stacks *stacks,
	const struct sprof_profile *profile, struct sprof_out *out)
{
	struct sprof_json json;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_text(&json, "{\"stacks\":[");
	for (size_t i = 0; i < stacks->count; i++) {
		sprof_json_format(&json, "%s{\"stack\":%zu,\"frames\":[", i ? "," : "", i + 1);
		sprof_frames_json(profile, stacks->ids[i], &json);
		sprof_json_text(&json, "]}");
	}
	sprof_json_text(&json, "]}\n");
	sprof_json_close(&json);
	return true;
}
