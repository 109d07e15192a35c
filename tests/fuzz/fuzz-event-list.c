/*
 * The events of -e, and what stands beside them: lines of the input are one -e each; a line that
 * begins with "-k " is the key, with "--detail " the details, with "--than " a threshold. A list that
 * is accepted takes a stream of events of every type.
 */
#include <stdio.h>

#include "events/language/latency.h"
#include "events/pairs/details.h"
#include "tests/fuzz/fuzz.h"

static bool number_of(void *context, const struct sprof_event_suffix *suffix, int64_t *ret,
	struct sprof_error *err)
{
	*ret = suffix->text[0];
	return (suffix->text[0] && strlen(suffix->text) < 8) ||
		sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: no such call", suffix->column);
}

static void check_error(const struct sprof_error *err, size_t length)
{
	size_t column;

	fuzz_require(err->kind == SPROF_ERROR_USAGE || err->kind == SPROF_ERROR_NO_MEMORY);
	if (sscanf(err->message, "column %zu: ", &column) == 1)
		fuzz_require(column >= 1 && column <= length + 1);
}

/* Text stays what the last event left. */
static void fill_values(const struct sprof_trace_type_row *row, struct sprof_trace_value *values)
{
	for (size_t i = 0; i < row->field_count; i++) {
		if (row->fields[i].kind == SPROF_TRACE_TEXT)
			values[row->fields[i].index].text = "worker";
		else
			values[row->fields[i].index].integer = (int64_t)i;
	}
}

static void feed(const struct sprof_event_list *list)
{
	struct sprof_pairs_options options = {.list = list, .cycle = true, .max_open = 3};
	struct sprof_pairs *pairs = sprof_pairs_create(&options);
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.fields = values};
	bool trigger;

	for (; pairs && event.time_ns < 4 * SPROF_TRACE_TYPES; event.time_ns++) {
		event.type = (uint32_t)event.time_ns % SPROF_TRACE_TYPES;
		memset(values, 0, sizeof(values));
		fill_values(sprof_trace_type_row(event.type), values);
		fuzz_require(sprof_pairs_add(pairs, &event, &trigger));
		fuzz_require(sprof_pairs_open(pairs) <= 3);
	}
	sprof_pairs_destroy(pairs);
}

/* What one line says. False: it is wrong. */
static bool read_line(struct sprof_event_list *list, const char *line, struct sprof_error *err)
{
	struct sprof_details_options details;
	uint64_t ns;

	if (!strncmp(line, "-k ", 3))
		return sprof_event_list_set_key(list, line + 3, err);
	if (!strncmp(line, "--detail ", 9))
		return sprof_details_parse(line + 9, &details, err);
	if (!strncmp(line, "--than ", 7))
		return sprof_latency_parse(line + 7, strlen(line + 7), &ns) ||
			sprof_error_set(err, SPROF_ERROR_USAGE, "not a latency");
	return sprof_event_list_add(list, line, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct sprof_event_list list = {.number_of = number_of};
	struct sprof_error err;
	char *text = fuzz_text(bytes, size), *rest = text, *line;
	bool ok = true;

	while (ok && (line = strsep(&rest, "\n"))) {
		ok = read_line(&list, line, &err);
		if (!ok)
			check_error(&err, strlen(line));
	}
	if (ok && sprof_event_list_check(&list, true, &err))
		feed(&list);
	sprof_event_list_finish(&list);
	free(text);
	return 0;
}
