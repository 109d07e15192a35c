/* The table of attributes and their setters. Does not split the text: the list's parser does. */
#include "events/language/event-attributes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RATE = 10000, SHOWN = 64 };

enum takes {
	NOTHING,    /* a bool */
	NUMBER,     /* an expression of kind integer */
	KEY_TEXT,   /* an expression over a key */
	NAME,       /* text */
	STACK_SIZE, /* a count */
};

static const struct attribute {
	const char *name;
	enum takes takes;
	size_t offset; /* in struct sprof_event_item */
} attributes[] = {
	{"key", NUMBER, offsetof(struct sprof_event_item, key)},
	{"role", NUMBER, offsetof(struct sprof_event_item, role)},
	{"size", NUMBER, offsetof(struct sprof_event_item, size)},
	{"printkey", KEY_TEXT, offsetof(struct sprof_event_item, printkey)},
	{"alias", NAME, offsetof(struct sprof_event_item, name)},
	{"max-stack", STACK_SIZE, offsetof(struct sprof_event_item, max_stack)},
	{"stack", NOTHING, offsetof(struct sprof_event_item, stack)},
	{"untraced", NOTHING, offsetof(struct sprof_event_item, untraced)},
	{"trigger", NOTHING, offsetof(struct sprof_event_item, trigger)},
};

static bool fail_at(struct sprof_error *err, size_t column, const char *message)
{
	return sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: %s", column, message);
}

bool sprof_event_number_expression(const struct sprof_expression_text *text,
	const struct sprof_event_item *item, const char *what, struct sprof_expression **ret,
	struct sprof_error *err)
{
	struct sprof_trace_scope scope = {item->row, item->call};
	struct sprof_expression *expression;

	if (!sprof_expression_create(text, &scope, &expression, err))
		return false;
	if (sprof_expression_kind(expression) != SPROF_TRACE_INTEGER) {
		sprof_expression_destroy(expression);
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: a %s is a number, and this is a text", text->column, what);
	}
	sprof_expression_destroy(*ret);
	*ret = expression;
	return true;
}

static bool parse_count(const struct sprof_expression_text *text, unsigned max, unsigned *ret)
{
	unsigned value = 0;

	for (size_t i = 0; i < text->length; i++) {
		if (!isdigit((unsigned char)text->at[i]) || value > max)
			return false;
		value = value * 10 + (unsigned)(text->at[i] - '0');
	}
	*ret = value;
	return value && value <= max;
}

static bool set_name(
	char **field, const struct sprof_expression_text *text, struct sprof_error *err)
{
	const char *at = text->at;
	size_t length = text->length;
	char *name;

	if (length >= 2 && at[0] == '"' && at[length - 1] == '"') {
		at++;
		length -= 2;
	}
	if (!length)
		return fail_at(err, text->column, "an alias is missing");
	for (size_t i = 0; i < length; i++) {
		if (!isprint((unsigned char)at[i]))
			return fail_at(
				err, text->column + i, "an alias is made of printable characters");
	}
	name = strndup(at, length);
	if (!name)
		return sprof_error_no_memory(err);
	free(*field);
	*field = name;
	return true;
}

static bool set_value(struct sprof_event_item *item, const struct attribute *attribute,
	const struct sprof_expression_text *value, struct sprof_error *err)
{
	void *field = (char *)item + attribute->offset;
	struct sprof_expression *expression;

	switch (attribute->takes) {
	case NUMBER:
		return sprof_event_number_expression(value, item, attribute->name, field, err);
	case KEY_TEXT:
		if (!sprof_expression_create(value, NULL, &expression, err))
			return false;
		sprof_expression_destroy(item->printkey);
		item->printkey = expression;
		return true;
	case NAME:
		return set_name(field, value, err);
	case STACK_SIZE:
		item->stack = true;
		return parse_count(value, SPROF_EVENT_MAX_STACK, field) ||
			fail_at(err, value->column, "max-stack is a number from 1 to 1024");
	case NOTHING:
	default:
		*(bool *)field = true;
		return true;
	}
}

static bool fail_unknown(
	const struct sprof_expression_text *text, size_t length, struct sprof_error *err)
{
	if (!length)
		return fail_at(err, text->column, "an attribute is missing between two slashes");
	sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: there is no attribute '%.*s'",
		text->column, length < SHOWN ? (int)length : SHOWN, text->at);
	sprof_error_hint(err,
		"the attributes are key=, role=, size=, alias=, printkey=, stack, "
		"max-stack=, untraced, trigger; a '/' inside an expression needs ()");
	return false;
}

bool sprof_event_attribute_apply(struct sprof_event_item *item,
	const struct sprof_expression_text *text, struct sprof_error *err)
{
	const char *equals = memchr(text->at, '=', text->length);
	size_t length = equals ? (size_t)(equals - text->at) : text->length;
	size_t behind = length + (equals ? 1 : 0);
	struct sprof_expression_text value = {
		text->at + behind, text->length - behind, text->column + behind};

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++) {
		const struct attribute *attribute = &attributes[i];

		if (strlen(attribute->name) != length || memcmp(attribute->name, text->at, length))
			continue;
		if (!equals != (attribute->takes == NOTHING))
			return sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: %s %s",
				text->column, attribute->name,
				equals ? "takes no value" : "needs a value: '=' is missing");
		return set_value(item, attribute, &value, err);
	}
	return fail_unknown(text, length, err);
}

/* "-F 99" or "-F99". */
static bool set_rate(struct sprof_event_item *item, const struct sprof_expression_text *text,
	struct sprof_error *err)
{
	struct sprof_expression_text value = *text;

	if (value.length < 2 || memcmp(value.at, "-F", 2))
		return fail_at(err, value.column, "the only option here is -F and a rate in Hz");
	for (size_t skipped = 2; skipped; skipped--) {
		value.at++;
		value.length--;
		value.column++;
	}
	while (value.length && *value.at == ' ') {
		value.at++;
		value.length--;
		value.column++;
	}
	return parse_count(&value, MAX_RATE, &item->rate) ||
		fail_at(err, value.column, "the rate is a number of Hz, from 1 to 10000");
}

bool sprof_event_filter_apply(struct sprof_event_item *item,
	const struct sprof_expression_text *text, struct sprof_error *err)
{
	if (!text->length)
		return true;
	if (item->row->type == SPROF_TRACE_PROFILE && text->at[0] == '-')
		return set_rate(item, text, err);
	return sprof_event_number_expression(text, item, "filter", &item->filter, err);
}
