/*
 * Sets of labels as text: "s3:key4:text" and "n3:key-17:4:unit" one behind the other, with the lengths
 * of what follows, so that nothing in a name can be taken for the end of it.
 */
#include "profile/labels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/pprof.h"

void sprof_labels_finish(struct sprof_labels *labels)
{
	free(labels->text);
	*labels = (struct sprof_labels){0};
}

static bool append(struct sprof_labels *labels, const char *text, size_t length)
{
	if (!sprof_array_reserve(
		    &labels->text, &labels->capacity, labels->size + length + 1, sizeof(*labels->text)))
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
	return append(labels, "s", 1) && append_counted(labels, key) && append_counted(labels, text);
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

enum { ID_SIZE = 16 };

/* The keys of sprof's own labels. */
static const char *const own_keys[] = {SPROF_PPROF_PID, SPROF_PPROF_TID, SPROF_PPROF_PROCESS,
	SPROF_PPROF_THREAD, SPROF_PPROF_HOST, SPROF_PPROF_RANK, SPROF_PPROF_STATE, SPROF_PPROF_SYSCALL,
	SPROF_PPROF_WAIT_KIND, SPROF_PPROF_OBJECT, SPROF_PPROF_HOLDER, SPROF_PPROF_HOLDER_FUNCTION};

enum { OWN_KEYS = sizeof(own_keys) / sizeof(own_keys[0]) };

static const char *print_id(pid_t id, char buffer[ID_SIZE])
{
	snprintf(buffer, ID_SIZE, "%d", id);
	return id ? buffer : NULL;
}

/* What sprof itself says under that key; `id` is room for it. NULL: nothing. */
static const char *own_label(const struct sprof_profile *profile, const struct sprof_profile_row *row,
	const char *key, char id[ID_SIZE])
{
	const struct sprof_profile_context *context = &profile->contexts[row->context];
	const struct sprof_profile_thread *thread = &profile->threads[row->thread];
	const struct sprof_profile_process *process = &profile->processes[thread->process];
	const struct {
		const char *key, *text;
	} own[] = {
		{SPROF_PPROF_PROCESS, process->unnamed ? NULL : process->name},
		{SPROF_PPROF_THREAD, thread->name},
		{SPROF_PPROF_HOST, process->host},
		{SPROF_PPROF_RANK, process->rank},
		{SPROF_PPROF_SYSCALL, context->syscall},
		{SPROF_PPROF_OBJECT, context->object},
		{SPROF_PPROF_HOLDER, context->holder},
		{SPROF_PPROF_HOLDER_FUNCTION, context->holder_function},
		{SPROF_PPROF_WAIT_KIND,
			context->kind == SPROF_WAIT_KIND_NONE ? NULL : sprof_wait_kind_name(context->kind)},
		{SPROF_PPROF_STATE,
			context->state < SPROF_STATE_COUNT ? sprof_state_name(context->state) : NULL},
	};

	if (strcmp(key, SPROF_PPROF_PID) == 0)
		return print_id(process->pid, id);
	if (strcmp(key, SPROF_PPROF_TID) == 0)
		return print_id(thread->tid, id);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (own[i].text && own[i].text[0] && strcmp(own[i].key, key) == 0)
			return own[i].text;
	}
	return NULL;
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
	char id[ID_SIZE];
	const char *own = own_label(profile, row, key, id);
	struct sprof_label label;

	if (own && place-- == 0) {
		snprintf(buffer, size, "%s", own);
		return true;
	}
	while (sprof_labels_next(&set, &label)) {
		if (label.key_length != strlen(key) || memcmp(label.key, key, label.key_length) != 0)
			continue;
		if (place-- == 0) {
			print(&label, buffer, size);
			return true;
		}
	}
	return false;
}

/* Adds a name to the list, unless it is there or doesn't fit. */
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

static bool has_own(const struct sprof_profile *profile, const char *key)
{
	char id[ID_SIZE];

	for (size_t i = 0; i < profile->row_count; i++) {
		if (own_label(profile, &profile->rows[i], key, id))
			return true;
	}
	return false;
}

bool sprof_labels_list(const struct sprof_profile *profile, char *buffer, size_t size)
{
	struct sprof_label label;

	buffer[0] = '\0';
	for (size_t i = 0; i < OWN_KEYS; i++) {
		if (has_own(profile, own_keys[i]))
			add_to_list(buffer, size, own_keys[i], strlen(own_keys[i]));
	}
	for (size_t i = 0; i < profile->context_count; i++) {
		const char *set = profile->contexts[i].labels;

		while (sprof_labels_next(&set, &label))
			add_to_list(buffer, size, label.key, label.key_length);
	}
	return buffer[0];
}
