/*
 * Parses the events of -e. Each event is looked up before its expressions are parsed, because they
 * are checked against its fields. Does not check whether a source can provide the event on this
 * machine.
 */
#include "events/language/event-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "events/language/event-attributes.h"
#include "events/language/refusals.h"

enum { MAX_NAME = 4096 };

/* A place in the text of one -e. */
struct cursor {
	const char *start, *at;
};

struct name {
	char text[MAX_NAME];
	size_t column;
};

static size_t column_of(const struct cursor *cursor)
{
	return (size_t)(cursor->at - cursor->start) + 1;
}

static bool fail_at(struct sprof_error *err, size_t column, const char *message)
{
	return sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: %s", column, message);
}

/*
 * Skips a quoted text or character that begins at `at`. Returns the end of the text if the quote is
 * not closed.
 */
static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	for (; *at && *at != quote; at++) {
		if (*at == '\\' && at[1])
			at++;
	}
	return *at ? at + 1 : at;
}

/* The first of these characters that is in no quotes, parentheses or brackets; or the end. */
static const char *find_outside(const char *at, const char *characters)
{
	unsigned depth = 0;

	while (*at) {
		if (!depth && strchr(characters, *at))
			return at;
		if (*at == '(' || *at == '[')
			depth++;
		if ((*at == ')' || *at == ']') && depth)
			depth--;
		at = *at == '"' || *at == '\'' ? skip_quoted(at) : at + 1;
	}
	return at;
}

static bool read_name(struct cursor *cursor, struct name *ret, struct sprof_error *err)
{
	const char *end = find_outside(cursor->at, "/,");
	size_t length = (size_t)(end - cursor->at);

	ret->column = column_of(cursor);
	if (!length)
		return fail_at(err, ret->column, "the name of an event is missing");
	if (length >= sizeof(ret->text))
		return fail_at(err, ret->column, "no event has a name that long");
	memcpy(ret->text, cursor->at, length);
	ret->text[length] = '\0';
	cursor->at = end;
	return true;
}

/* Reads up to the next slash, which must exist, and moves past it. */
static bool read_part(
	struct cursor *cursor, struct sprof_expression_text *ret, struct sprof_error *err)
{
	const char *end = find_outside(cursor->at, "/");

	if (!*end)
		return fail_at(err, column_of(cursor), "the '/' that ends this is missing");
	*ret = (struct sprof_expression_text){
		cursor->at, (size_t)(end - cursor->at), column_of(cursor)};
	cursor->at = end + 1;
	return true;
}

static bool at_end_of_event(const struct cursor *cursor)
{
	return !*cursor->at || *cursor->at == ',';
}

/* Reads filter and attributes, if there are any. At the end of the event. */
static bool read_parts(
	struct cursor *cursor, struct sprof_event_item *item, struct sprof_error *err)
{
	struct sprof_expression_text part;

	if (*cursor->at != '/')
		return true;
	cursor->at++;
	if (!read_part(cursor, &part, err) || !sprof_event_filter_apply(item, &part, err))
		return false;
	while (!at_end_of_event(cursor)) {
		if (!read_part(cursor, &part, err) ||
			!sprof_event_attribute_apply(item, &part, err))
			return false;
	}
	return true;
}

static void item_finish(struct sprof_event_item *item)
{
	free(item->call);
	free(item->name);
	sprof_expression_destroy(item->filter);
	sprof_expression_destroy(item->key);
	sprof_expression_destroy(item->role);
	sprof_expression_destroy(item->size);
	sprof_expression_destroy(item->printkey);
}

static bool append_item(struct sprof_event_list *list, const struct sprof_trace_type_row *row,
	struct sprof_event_item **ret, struct sprof_error *err)
{
	struct sprof_event_item *item;

	if (list->count == SPROF_EVENT_ITEMS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "there are more than %d events", SPROF_EVENT_ITEMS);
	if (!sprof_array_reserve(
		    &list->items, &list->capacity, list->count + 1, sizeof(list->items[0])))
		return sprof_error_no_memory(err);
	item = &list->items[list->count];
	*item = (struct sprof_event_item){
		.row = row, .number = -1, .index = list->count, .position = list->position_count};
	list->count++;
	*ret = item;
	return true;
}

/* Sets the fields that follow from the name. */
static bool name_item(struct sprof_event_list *list, struct sprof_event_item *item,
	const struct name *name, struct sprof_error *err)
{
	const char *call = NULL, *colon;
	char whole[MAX_NAME];

	if (item->row->per_name) {
		call = name->text + strlen(item->row->group) + 1 + strlen(item->row->name);
		if (!list->number_of(list->context,
			    &(struct sprof_event_suffix){item->row->type, call, name->column},
			    &item->number, err))
			return false;
		item->call = strdup(call);
		if (!item->call)
			return sprof_error_no_memory(err);
	}
	sprof_trace_type_name(item->row, call, whole, sizeof(whole));
	/* Drops the group if the event has a name, and a function's file. */
	colon = item->row->name[0] ? strchr(whole, ':') : NULL;
	item->name = strndup(colon ? colon + 1 : whole, strcspn(colon ? colon + 1 : whole, "@"));
	return item->name || sprof_error_no_memory(err);
}

static bool row_matches(const struct sprof_trace_type_row *row, const struct name *name)
{
	char whole[MAX_NAME];
	int length = sprof_trace_type_name(row, "", whole, sizeof(whole));

	/* Names of functions and files may contain any character. */
	if (row->per_name)
		return !strncmp(name->text, whole, (size_t)length) && name->text[length] &&
			(!row->name[0] || !strpbrk(name->text + length, "*?["));
	return sprof_glob_matches(name->text, whole);
}

static bool fail_unknown(const struct name *name, struct sprof_error *err)
{
	const char *refusal = sprof_refusal_of_event(name->text, strlen(name->text));

	if (refusal) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: no event '%s' of a process",
			name->column, name->text);
		sprof_error_hint(err, "%s", refusal);
		return false;
	}
	sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: there is no event '%s'", name->column,
		name->text);
	if (!strncmp(name->text, "syscalls:", strlen("syscalls:")))
		sprof_error_hint(err,
			"for several calls use raw_syscalls:sys_enter and a filter, or "
			"sprof syscalls");
	else if (!strchr(name->text, ':'))
		sprof_error_hint(err,
			"an event is GROUP:NAME, such as syscalls:sys_enter_read: sprof events "
			"lists them; sprof syscalls -e CALL counts system calls");
	else
		sprof_error_hint(err, "sprof events lists them");
	return false;
}

/* One event: an item for each row that the name matches. */
static bool read_event(
	struct sprof_event_list *list, struct cursor *cursor, struct sprof_error *err)
{
	const struct sprof_trace_type_row *rows;
	struct cursor parts;
	struct name name;
	bool found = false;
	size_t count;

	if (!read_name(cursor, &name, err))
		return false;
	parts = *cursor;
	rows = sprof_trace_types(&count);
	for (size_t i = 0; i < count; i++) {
		struct sprof_event_item *item = NULL;

		if (!row_matches(&rows[i], &name))
			continue;
		found = true;
		*cursor = parts;
		if (!append_item(list, &rows[i], &item, err) ||
			!name_item(list, item, &name, err) || !read_parts(cursor, item, err))
			return false;
	}
	return found || fail_unknown(&name, err);
}

/* The header of the keys: the first key's expression. */
static bool note_key(struct sprof_event_list *list, const char *text, struct sprof_error *err)
{
	const char *key = strstr(text, "/key="), *end;

	if (list->key_name || !key)
		return true;
	key += strlen("/key=");
	end = find_outside(key, "/");
	list->key_name = strndup(key, (size_t)(end - key));
	return list->key_name || sprof_error_no_memory(err);
}

bool sprof_event_list_add(struct sprof_event_list *list, const char *text, struct sprof_error *err)
{
	struct cursor cursor = {text, text};

	if (list->position_count == SPROF_EVENT_POSITIONS)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "there are more than %d -e", SPROF_EVENT_POSITIONS);
	for (;; cursor.at++) {
		if (!read_event(list, &cursor, err))
			return false;
		if (!*cursor.at)
			break;
	}
	list->position_count++;
	return note_key(list, text, err);
}

static bool set_key_of(struct sprof_event_item *item, const struct sprof_expression_text *text,
	struct sprof_error *err)
{
	if (item->key || sprof_event_number_expression(text, item, "key", &item->key, err))
		return true;
	return item->untraced && err->kind == SPROF_ERROR_USAGE;
}

bool sprof_event_list_set_key(
	struct sprof_event_list *list, const char *text, struct sprof_error *err)
{
	struct sprof_expression_text whole = {text, strlen(text), 1};

	for (size_t i = 0; i < list->count; i++) {
		if (!set_key_of(&list->items[i], &whole, err))
			return false;
	}
	if (!list->key_name)
		list->key_name = strdup(text);
	return list->key_name || sprof_error_no_memory(err);
}

static bool has_traced(const struct sprof_event_list *list, size_t position)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].position == position && !list->items[i].untraced)
			return true;
	}
	return false;
}

bool sprof_event_list_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err)
{
	if (!list->position_count)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "no event is given: use -e");
	for (size_t i = 0; i < list->position_count; i++) {
		if (!has_traced(list, i))
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"-e number %zu has only untraced events", i + 1);
	}
	if (list->position_count > 1 || cycle)
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE, "one -e makes no pairs");
	sprof_error_hint(
		err, "give a second -e, or --cycle for the time from one event to the next");
	return false;
}

bool sprof_event_item_matches(
	const struct sprof_event_item *item, struct sprof_expression_frame *frame)
{
	const struct sprof_trace_event *event = frame->event;

	if (event->type != item->row->type)
		return false;
	/* The first value of events of calls and functions is their number. */
	if (item->number >= 0 && event->fields[0].integer != item->number)
		return false;
	return !item->filter || sprof_expression_integer(item->filter, frame);
}

bool sprof_event_item_may_match_call(const struct sprof_event_item *item, int64_t number,
	const struct sprof_expression_lookup *lookup)
{
	enum sprof_trace_type type = item->row->type;

	if (type != SPROF_TRACE_SYS_ENTER && type != SPROF_TRACE_SYS_EXIT)
		return false;
	if (item->number >= 0 && item->number != number)
		return false;
	return !item->filter || sprof_expression_may_hold(item->filter, number, lookup);
}

void sprof_event_list_finish(struct sprof_event_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		item_finish(&list->items[i]);
	free(list->items);
	free(list->key_name);
	*list = (struct sprof_event_list){.number_of = list->number_of, .context = list->context};
}
