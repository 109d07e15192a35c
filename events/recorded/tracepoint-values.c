/* Maps the catalogue's fields to those of tracefs, by name. Does not open events. */
#include "events/recorded/tracepoint-values.h"

#include <string.h>

enum { TEXT = SPROF_TRACEPOINT_TEXT };

static const struct description {
	enum sprof_trace_type type;
	const char *group, *name;
	const char *tids[2]; /* the fields with the thread ids; none: the running thread */
} descriptions[] = {
	{SPROF_TRACE_SYS_ENTER, "raw_syscalls", "sys_enter", {NULL}},
	{SPROF_TRACE_SYS_EXIT, "raw_syscalls", "sys_exit", {NULL}},
	{SPROF_TRACE_SWITCH, "sched", "sched_switch", {"prev_pid", "next_pid"}},
	{SPROF_TRACE_WAKEUP, "sched", "sched_wakeup", {"pid"}},
	{SPROF_TRACE_WAKEUP_NEW, "sched", "sched_wakeup_new", {"pid"}},
	{SPROF_TRACE_WAKING, "sched", "sched_waking", {"pid"}},
	{SPROF_TRACE_MIGRATE, "sched", "sched_migrate_task", {"pid"}},
};

static const struct description *description_of(enum sprof_trace_type type)
{
	for (size_t i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
		if (descriptions[i].type == type)
			return &descriptions[i];
	}
	return NULL;
}

static bool find_values(struct sprof_tracepoint_type *type)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(type->type);

	for (size_t i = 0; i < row->field_count; i++) {
		const struct sprof_trace_field *field = &row->fields[i];
		struct sprof_tracepoint_field *value = &type->values[field->index];

		if (!sprof_tracepoint_format_find_elements(type->found.format, field->name,
			    field->kind == SPROF_TRACE_TEXT ? TEXT : field->count, value))
			return false;
		for (uint8_t k = 1; k < field->count; k++) {
			value[k] = value[0];
			value[k].offset += k * value[0].size;
		}
	}
	return true;
}

static bool find_tids(const struct description *description, struct sprof_tracepoint_type *type)
{
	for (size_t i = 0; i < 2 && description->tids[i]; i++) {
		if (!sprof_tracepoint_format_find(
			    type->found.format, description->tids[i], &type->tids[i]))
			return false;
		type->tid_count++;
	}
	return true;
}

bool sprof_tracepoint_type_find(enum sprof_trace_type type, struct sprof_tracepoint_type *ret,
	struct sprof_perf_denial *ret_denial)
{
	const struct description *description = description_of(type);

	*ret = (struct sprof_tracepoint_type){.type = type};
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, 0};
	if (!description ||
		!sprof_tracepoint_find(
			description->group, description->name, &ret->found, ret_denial))
		return false;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_UNSUPPORTED, 0};
	return find_values(ret) && find_tids(description, ret);
}

bool sprof_tracepoint_type_is_of_machine(const struct sprof_tracepoint_type *type)
{
	return type->tid_count;
}

bool sprof_tracepoint_type_tid(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, size_t index, pid_t *ret)
{
	int64_t tid;

	if (!sprof_tracepoint_field_read(&type->tids[index], record->raw, record->raw_size, &tid))
		return false;
	*ret = (pid_t)tid;
	return true;
}

static void read_text(const struct sprof_tracepoint_field *field,
	const struct sprof_perf_record *record, char *text)
{
	size_t size = TEXT - 1;

	if (field->offset + size > record->raw_size)
		size = field->offset < record->raw_size ? record->raw_size - field->offset : 0;
	memcpy(text, (const char *)record->raw + field->offset, size);
	text[size] = '\0';
}

void sprof_tracepoint_values_read(const struct sprof_tracepoint_type *type,
	const struct sprof_perf_record *record, struct sprof_tracepoint_values *ret)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(type->type);
	size_t texts = 0;

	for (size_t i = 0; i < row->field_count; i++) {
		const struct sprof_trace_field *field = &row->fields[i];

		if (field->kind == SPROF_TRACE_TEXT) {
			read_text(&type->values[field->index], record, ret->texts[texts++]);
			continue;
		}
		for (uint8_t k = field->index; k < field->index + field->count; k++) {
			if (!sprof_tracepoint_field_read(&type->values[k], record->raw,
				    record->raw_size, &ret->values[k].integer))
				ret->values[k].integer = 0;
		}
	}
}

void sprof_tracepoint_values_settle(
	struct sprof_tracepoint_values *values, enum sprof_trace_type type)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(type);
	size_t texts = 0;

	for (size_t i = 0; i < row->field_count; i++) {
		if (row->fields[i].kind == SPROF_TRACE_TEXT)
			values->values[row->fields[i].index].text = values->texts[texts++];
	}
}
