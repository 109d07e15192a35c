/*
 * The table of attributes, and conversion of their values from and to text. Does not handle file
 * formats.
 */
#include "profile/model/attributes.h"

#include <stdio.h>
#include <string.h>

static const char *name_state(unsigned value)
{
	return sprof_state_name((enum sprof_state)value);
}

static const char *name_kind(unsigned value)
{
	return sprof_wait_kind_name((enum sprof_wait_kind)value);
}

static const char *name_estimate(unsigned value)
{
	return value == SPROF_ESTIMATE_POOL ? "pool" : "-";
}

static const struct sprof_attribute_words states = {
	.name = name_state,
	.end = SPROF_STATE_COUNT,
	.nothing = SPROF_STATE_COUNT,
	.unknown = SPROF_STATE_COUNT,
};

static const struct sprof_attribute_words kinds = {
	.name = name_kind,
	.first = SPROF_WAIT_KIND_NONE + 1,
	.end = SPROF_WAIT_KIND_COUNT,
	.nothing = SPROF_WAIT_KIND_NONE,
	.unknown = SPROF_WAIT_KIND_OTHER,
};

static const struct sprof_attribute_words estimates = {
	.name = name_estimate,
	.first = SPROF_ESTIMATE_NONE + 1,
	.end = SPROF_ESTIMATE_COUNT,
	.nothing = SPROF_ESTIMATE_NONE,
	.unknown = SPROF_ESTIMATE_NONE,
};

#define PROCESS(field, kind) \
	.of = SPROF_ATTRIBUTE_OF_PROCESS, .form = SPROF_ATTRIBUTE_##kind, \
	.offset = offsetof(struct sprof_build_thread, field)
#define THREAD(field, kind) \
	.of = SPROF_ATTRIBUTE_OF_THREAD, .form = SPROF_ATTRIBUTE_##kind, \
	.offset = offsetof(struct sprof_build_thread, field)
#define CONTEXT(field, kind) \
	.of = SPROF_ATTRIBUTE_OF_CONTEXT, .form = SPROF_ATTRIBUTE_##kind, \
	.offset = offsetof(struct sprof_profile_context, field)

const struct sprof_attribute sprof_attributes[] = {
	{"pid", PROCESS(pid, ID), .is_common = true},
	{"tid", THREAD(tid, ID), .is_common = true},
	{"process", PROCESS(process_name, TEXT), .json = "name", .is_common = true,
		.is_named = true},
	{"thread", THREAD(name, TEXT), .json = "name", .is_common = true, .is_named = true},
	{"host", PROCESS(host, TEXT), .is_common = true, .is_named = true},
	{"rank", PROCESS(rank, TEXT), .is_common = true, .is_named = true},
	{"state", CONTEXT(state, WORD), .words = &states, .is_common = true,
		.is_always_said = true},
	{"syscall", CONTEXT(syscall, TEXT), .is_named = true},
	{"wait_kind", CONTEXT(kind, WORD), .words = &kinds, .is_late = true},
	{"wait_object", CONTEXT(object, TEXT), .is_named = true},
	{"lock_holder", CONTEXT(holder, TEXT), .is_named = true},
	{"lock_holder_function", CONTEXT(holder_function, TEXT), .is_named = true},
	{"estimate", CONTEXT(estimate, WORD), .words = &estimates, .is_late = true},
	{0},
};

const struct sprof_attribute *sprof_attribute_find(const char *name)
{
	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		if (strcmp(attribute->name, name) == 0)
			return attribute;
	}
	return NULL;
}

static const char *print_id(pid_t id, char buffer[SPROF_ATTRIBUTE_SIZE])
{
	snprintf(buffer, SPROF_ATTRIBUTE_SIZE, "%d", id);
	return id ? buffer : NULL;
}

static const char *get_word(const struct sprof_attribute_words *words, unsigned value)
{
	return value == words->nothing ? NULL : words->name(value);
}

const char *sprof_attribute_get(const struct sprof_attribute *attribute, const void *owner,
	char buffer[SPROF_ATTRIBUTE_SIZE])
{
	void *fields = (void *)(uintptr_t)owner;
	const char *text = NULL;

	switch (attribute->form) {
	case SPROF_ATTRIBUTE_TEXT:
		text = *sprof_attribute_text(attribute, fields);
		break;
	case SPROF_ATTRIBUTE_WORD:
		text = get_word(attribute->words, *sprof_attribute_word(attribute, fields));
		break;
	case SPROF_ATTRIBUTE_ID:
		text = print_id(*sprof_attribute_id(attribute, fields), buffer);
		break;
	}
	return text && text[0] ? text : NULL;
}

struct sprof_build_thread sprof_attributes_of_process(
	const struct sprof_profile *profile, uint32_t id)
{
	const struct sprof_profile_process *process = &profile->processes[id];

	return (struct sprof_build_thread){
		.pid = process->pid,
		.process_name = process->name,
		.host = process->host,
		.rank = process->rank,
	};
}

struct sprof_build_thread sprof_attributes_of_thread(
	const struct sprof_profile *profile, uint32_t id)
{
	const struct sprof_profile_thread *thread = &profile->threads[id];
	struct sprof_build_thread build = sprof_attributes_of_process(profile, thread->process);

	if (profile->processes[thread->process].unnamed)
		build.process_name = NULL;
	build.tid = thread->tid;
	build.name = thread->name;
	build.former_names = thread->former_names;
	build.facts = thread->has_facts ? &thread->facts : NULL;
	build.numeric_ids = thread->numeric_ids;
	return build;
}

const char *sprof_attribute_of_row(const struct sprof_attribute *attribute,
	const struct sprof_profile *profile, const struct sprof_profile_row *row,
	char buffer[SPROF_ATTRIBUTE_SIZE])
{
	struct sprof_build_thread thread;

	if (attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT)
		return sprof_attribute_get(attribute, &profile->contexts[row->context], buffer);
	thread = sprof_attributes_of_thread(profile, row->thread);
	return sprof_attribute_get(attribute, &thread, buffer);
}

/* `nothing`: the value of an empty word. */
static unsigned parse_word(const struct sprof_attribute_words *words, const char *text)
{
	for (unsigned value = words->first; value < words->end; value++) {
		if (strcmp(words->name(value), text) == 0)
			return value;
	}
	return text[0] ? words->unknown : words->nothing;
}

bool sprof_attribute_set(const struct sprof_attribute *attribute, void *owner, const char *text)
{
	unsigned word;

	if (attribute->form == SPROF_ATTRIBUTE_WORD) {
		word = parse_word(attribute->words, text);
		if (word == attribute->words->nothing)
			return false;
		*sprof_attribute_word(attribute, owner) = word;
		return true;
	}
	if (attribute->form != SPROF_ATTRIBUTE_TEXT || !text[0] ||
		*sprof_attribute_text(attribute, owner))
		return false;
	*sprof_attribute_text(attribute, owner) = text;
	return true;
}
