/*
 * Sets of labels as text: "s3:key4:text" and "n3:key-17:4:unit", concatenated. Texts are
 * length-prefixed, so they may contain any character.
 */
#include "profile/model/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/model/attributes.h"

void sprof_labels_finish(struct sprof_labels *labels)
{
	free(labels->text);
	*labels = (struct sprof_labels){0};
}

static bool append(struct sprof_labels *labels, const char *text, size_t length)
{
	if (!sprof_array_reserve(&labels->text, &labels->capacity, labels->size + length + 1,
		    sizeof(*labels->text)))
		return false;
	memcpy(labels->text + labels->size, text, length);
	labels->size += length;
	labels->text[labels->size] = '\0';
	return true;
}

static bool append_counted(struct sprof_labels *labels, const char *text)
{
	char count[32];
	int digits = snprintf(count, sizeof(count), "%zu:", strlen(text));

	return append(labels, count, (size_t)digits) && append(labels, text, strlen(text));
}

bool sprof_labels_add_text(struct sprof_labels *labels, const char *key, const char *text)
{
	return append(labels, "s", 1) && append_counted(labels, key) &&
		append_counted(labels, text);
}

bool sprof_labels_add_number(
	struct sprof_labels *labels, const char *key, int64_t number, const char *unit)
{
	char text[32];
	int digits = snprintf(text, sizeof(text), "%" PRId64 ":", number);

	return append(labels, "n", 1) && append_counted(labels, key) &&
		append(labels, text, (size_t)digits) && append_counted(labels, unit);
}

static const char *take_counted(const char **at, size_t *ret_length)
{
	char *text;

	*ret_length = strtoull(*at, &text, 10);
	*at = ++text + *ret_length;
	return text;
}

bool sprof_labels_next(const char **set, struct sprof_label *ret)
{
	const char *at = *set;
	char *end;

	if (!at || !*at)
		return false;
	*ret = (struct sprof_label){.is_number = *at++ == 'n'};
	ret->key = take_counted(&at, &ret->key_length);
	if (ret->is_number) {
		ret->number = strtoll(at, &end, 10);
		at = end + 1;
	}
	ret->text = take_counted(&at, &ret->text_length);
	*set = at;
	return true;
}

static void print(const struct sprof_label *label, char *buffer, size_t size)
{
	int length = label->text_length > INT32_MAX ? INT32_MAX : (int)label->text_length;

	if (label->is_number)
		snprintf(buffer, size, "%" PRId64 "%.*s", label->number, length, label->text);
	else
		snprintf(buffer, size, "%.*s", length, label->text);
}

bool sprof_labels_find(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *key, size_t place, char *buffer, size_t size)
{
	const char *set = profile->contexts[row->context].labels;
	const struct sprof_attribute *attribute = sprof_attribute_find(key);
	char id[SPROF_ATTRIBUTE_SIZE];
	const char *own = attribute ? sprof_attribute_of_row(attribute, profile, row, id) : NULL;
	struct sprof_label label;

	if (own && place-- == 0) {
		snprintf(buffer, size, "%s", own);
		return true;
	}
	while (sprof_labels_next(&set, &label)) {
		if (label.key_length != strlen(key) ||
			memcmp(label.key, key, label.key_length) != 0)
			continue;
		if (place-- == 0) {
			print(&label, buffer, size);
			return true;
		}
	}
	return false;
}

/* Adds a name to the list, unless it is there already or doesn't fit. */
static void add_to_list(char *buffer, size_t size, const char *key, size_t length)
{
	size_t used = strlen(buffer);

	for (const char *at = buffer; *at; at += strcspn(at, ",") + 1) {
		at += strspn(at, " ");
		if (strcspn(at, ",") == length && memcmp(at, key, length) == 0)
			return;
		if (!strchr(at, ','))
			break;
	}
	if (length && length < size && used + length + 3 < size)
		snprintf(buffer + used, size - used, "%s%.*s", used ? ", " : "", (int)length, key);
}

static bool is_said(const struct sprof_profile *profile, const struct sprof_attribute *attribute)
{
	char id[SPROF_ATTRIBUTE_SIZE];

	for (size_t i = 0; i < profile->row_count; i++) {
		if (sprof_attribute_of_row(attribute, profile, &profile->rows[i], id))
			return true;
	}
	return false;
}

bool sprof_labels_list(const struct sprof_profile *profile, char *buffer, size_t size)
{
	struct sprof_label label;

	buffer[0] = '\0';
	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		if (is_said(profile, attribute))
			add_to_list(buffer, size, attribute->name, strlen(attribute->name));
	}
	for (size_t i = 0; i < profile->context_count; i++) {
		const char *set = profile->contexts[i].labels;

		while (sprof_labels_next(&set, &label))
			add_to_list(buffer, size, label.key, label.key_length);
	}
	return buffer[0];
}
