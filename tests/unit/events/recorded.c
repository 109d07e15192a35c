/*
 * The notation of recorded.h: events from text, results to text.
 */
#include "tests/unit/events/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events/language/latency.h"
#include "events/pairs/details.h"
#include "tests/unit/check.h"

static const struct {
	const char *name;
	enum sprof_trace_type type;
} types[] = {
	{"on", SPROF_TRACE_ON},
	{"off", SPROF_TRACE_OFF},
	{"enter", SPROF_TRACE_SYS_ENTER},
	{"exit", SPROF_TRACE_SYS_EXIT},
	{"sig", SPROF_TRACE_SIGNAL},
	{"fork", SPROF_TRACE_FORK},
	{"end", SPROF_TRACE_EXIT},
	{"wakeup", SPROF_TRACE_WAKEUP},
	{"profile", SPROF_TRACE_PROFILE},
};

struct run {
	const struct recorded *recorded;
	struct sprof_pairs *pairs;
	struct sprof_details *details;
	char text[RECORDED_TEXT];
};

bool recorded_number_of(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
	struct sprof_error *err)
{
	static const struct {
		const char *name;
		int64_t number;
	} calls[] = {{"read", 0}, {"write", 1}, {"close", 3}, {"nanosleep", 35}, {"openat", 257}};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (!strcmp(calls[i].name, suffix->text)) {
			*ret = calls[i].number;
			return true;
		}
	}
	return sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: there is no system call '%s'",
		suffix->column, suffix->text);
}

void recorded_list(const char *const *events, struct sprof_event_list *ret)
{
	struct sprof_error err;

	*ret = (struct sprof_event_list){.number_of = recorded_number_of};
	for (; *events; events++) {
		if (!sprof_event_list_add(ret, *events, &err))
			fail_msg("%s: %s", *events, err.message);
	}
}

static enum sprof_trace_type type_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strlen(types[i].name) == length && !memcmp(types[i].name, name, length))
			return types[i].type;
	}
	fail_msg("no event %s", name);
	return SPROF_TRACE_TYPES;
}

/* Texts stay what they are made here. */
static void clear_values(enum sprof_trace_type type, struct sprof_trace_value *values)
{
	const struct sprof_trace_type_row *row = sprof_trace_type_row(type);

	memset(values, 0, SPROF_TRACE_MAX_VALUES * sizeof(values[0]));
	for (size_t i = 0; i < row->field_count; i++) {
		if (row->fields[i].kind == SPROF_TRACE_TEXT)
			values[row->fields[i].index].text = "worker";
	}
}

/* Numbers go to the values that are numbers. */
static char *read_values(char *at, enum sprof_trace_type type, struct sprof_trace_value *values)
{
	bool has_text = sprof_trace_type_row(type)->fields[0].kind == SPROF_TRACE_TEXT;

	for (size_t i = has_text; *at++ != ')'; i++)
		values[i].integer = strtoll(at, &at, 10);
	return at;
}

bool recorded_next(
	const char **stream, struct sprof_trace_value *values, struct sprof_trace_event *ret)
{
	char *at = (char *)*stream + strspn(*stream, " ");
	size_t length;

	*stream = at;
	if (!*at)
		return false;
	*ret = (struct sprof_trace_event){.type = SPROF_TRACE_TYPES, .pid = 100, .cpu = -1};
	if (*at == '!') {
		ret->time_ns = strtoull(at + 1, &at, 10);
		*stream = at;
		return true;
	}
	ret->time_ns = strtoull(at, &at, 10);
	ret->thread = (uint32_t)strtoul(at + 1, &at, 10);
	ret->tid = 100 + (pid_t)ret->thread;
	length = strcspn(++at, " (/");
	ret->type = type_of(at, length);
	ret->fields = values;
	clear_values(ret->type, values);
	at += length;
	if (*at == '(')
		at = read_values(at, ret->type, values);
	if (*at == '/')
		ret->cpu = (int)strtol(at + 1, &at, 10);
	*stream = at;
	return true;
}

static void append(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(struct run *run, const char *format, ...)
{
	size_t length = strlen(run->text);
	va_list args;

	va_start(args, format);
	vsnprintf(run->text + length, sizeof(run->text) - length, format, args);
	va_end(args);
}

static void on_event(void *context, const struct sprof_trace_side *side)
{
	struct run *run = context;

	if (run->details)
		assert_true(
			sprof_details_add(run->details, side, sprof_pairs_oldest_ns(run->pairs)));
}

static void on_instance(void *context, const struct sprof_trace_instance *instance)
{
	struct run *run = context;

	append(run, "%s=>%s %llu%s%s k%lld ", instance->event1.item->name,
		instance->event2.item->name, (unsigned long long)instance->latency_ns,
		instance->over ? "!" : "", instance->under ? "_" : "",
		(long long)instance->event1.key);
	if (run->details && (instance->over || !run->recorded->than))
		assert_true(sprof_details_request(run->details, instance));
}

static void on_unpaired(
	void *context, const struct sprof_trace_side *side, enum sprof_unpaired reason)
{
	static const char *const names[] = {"replaced", "gap", "open", "second"};
	struct run *run = context;

	append(run, "%s~%s k%lld ", side->item->name, names[reason], (long long)side->key);
	if (run->details && reason == SPROF_UNPAIRED_OPEN)
		assert_true(sprof_details_request(
			run->details, &(struct sprof_trace_instance){.event1 = *side}));
}

static void on_line(void *context, const struct sprof_trace_instance *instance,
	const struct sprof_details_line *line)
{
	struct run *run = context;
	static const char *const marks[] = {"<", "{", "", "}", ">", ""};

	if (line->hidden)
		append(run, "[%llu]", (unsigned long long)line->hidden);
	append(run, "%s%s", marks[line->kind], line->incomplete ? "?" : "");
	if (line->kind == SPROF_DETAILS_EVENT1)
		append(run, "%s ", line->side->item->name);
	else if (line->kind == SPROF_DETAILS_END)
		append(run, ". ");
	else
		append(run, "%llu:%s ", (unsigned long long)line->distance_ns,
			line->side->item->name);
}

static bool parse_latency(const char *text, uint64_t *ret)
{
	return text && sprof_latency_parse(text, strlen(text), ret);
}

static void create(struct run *run, const struct sprof_event_list *list)
{
	const struct recorded *recorded = run->recorded;
	struct sprof_pairs_options options = {
		.list = list,
		.cycle = recorded->cycle,
		.max_open = recorded->max_open,
		.listener = {on_event, on_instance, on_unpaired, NULL, run},
	};
	struct sprof_details_listener lines = {on_line, run};
	struct sprof_details_options details;
	struct sprof_error err;

	options.has_than = parse_latency(recorded->than, &options.than_ns);
	options.has_lower = parse_latency(recorded->lower, &options.lower_ns);
	run->pairs = sprof_pairs_create(&options);
	assert_non_null(run->pairs);
	if (!recorded->detail)
		return;
	details = (struct sprof_details_options){0};
	if (recorded->detail[0] && !sprof_details_parse(recorded->detail, &details, &err))
		fail_msg("%s: %s", recorded->name, err.message);
	details.max_bytes = recorded->max_bytes;
	run->details = sprof_details_create(&details, &lines);
	assert_non_null(run->details);
}

static void feed(struct run *run)
{
	const char *stream = run->recorded->stream;
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES];
	struct sprof_trace_event event;

	while (recorded_next(&stream, values, &event)) {
		bool trigger;

		if (event.type == SPROF_TRACE_TYPES) {
			sprof_pairs_gap(run->pairs, event.time_ns);
			continue;
		}
		assert_true(sprof_pairs_add(run->pairs, &event, &trigger));
		if (trigger)
			append(run, "trigger ");
	}
	if (!run->recorded->stays_open)
		sprof_pairs_close(run->pairs);
	if (run->details)
		sprof_details_flush(run->details, UINT64_MAX);
}

/* Every event that opened an instance has had one end. */
static void check_counts(const struct run *run)
{
	const struct sprof_pairs_counts *counts = sprof_pairs_counts(run->pairs);

	assert_true(counts->events >= counts->instances);
	if (!run->recorded->stays_open)
		assert_int_equal(sprof_pairs_open(run->pairs), 0);
}

void recorded_check(const struct recorded *recorded)
{
	struct run run = {.recorded = recorded};
	struct sprof_event_list list;
	struct sprof_error err;
	size_t length;

	recorded_list(recorded->events, &list);
	if (recorded->key && !sprof_event_list_set_key(&list, recorded->key, &err))
		fail_msg("%s: %s", recorded->name, err.message);
	if (!sprof_event_list_check(&list, recorded->cycle, &err))
		fail_msg("%s: %s", recorded->name, err.message);
	create(&run, &list);
	feed(&run);
	length = strlen(run.text);
	if (length)
		run.text[length - 1] = '\0';
	if (strcmp(run.text, recorded->expected))
		fail_msg("%s:\n  is       %s\n  expected %s", recorded->name, run.text,
			recorded->expected);
	check_counts(&run);
	sprof_pairs_destroy(run.pairs);
	sprof_details_destroy(run.details);
	sprof_event_list_finish(&list);
}
