/*
 * Builds profiles that don't come from the sampler; decides which entries are equal. A location is
 * identified by frame and lines, a thread by process, id and name. Does not handle file formats.
 */
#include "profile/model/build.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/model/attributes.h"
#include "profile/model/index.h"

struct sprof_profile *sprof_build_create(void)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_profile *profile = modules ? sprof_profile_create(modules) : NULL;

	if (profile)
		profile->index->own_modules = modules;
	else
		sprof_modules_destroy(modules);
	return profile;
}

const char *sprof_build_string(struct sprof_profile *profile, const char *text, size_t length)
{
	return sprof_strtab_intern_bytes(profile->index->strings, text, length);
}

bool sprof_build_text(struct sprof_profile *profile, const char *text, const char **ret)
{
	return sprof_strtab_copy(profile->index->strings, text, ret);
}

/* Python's names of source: a file, or "<string>", "<frozen importlib._bootstrap>". */
static bool is_script(const char *path)
{
	const char *dot = strrchr(path, '.');

	return path[0] == '<' || (dot && strcmp(dot, ".py") == 0);
}

static enum sprof_module_kind kind_of(const char *path)
{
	if (strcmp(path, "[vdso]") == 0)
		return SPROF_MODULE_MEMORY;
	if (path[0] == '[' || path[0] == '\0')
		return SPROF_MODULE_ANONYMOUS;
	return is_script(path) ? SPROF_MODULE_SCRIPT : SPROF_MODULE_FILE;
}

/* A build id distinguishes files of the same path: it replaces the inode as key. */
bool sprof_build_module(
	struct sprof_profile *profile, const char *path, const char *build_id, uint32_t *ret_module)
{
	const char *id;
	struct sprof_module_key key = {.kind = kind_of(path), .path = path};
	struct sprof_module *module;
	bool is_new;

	if (!sprof_build_text(profile, build_id, &id))
		return false;
	key.inode = (uint64_t)(uintptr_t)id;
	module = sprof_modules_intern(profile->index->own_modules, &key, &is_new);
	if (!module)
		return false;
	if (!sprof_array_reserve(&profile->module_facts, &profile->module_capacity, module->id + 1,
		    sizeof(*profile->module_facts)))
		return false;
	if (profile->module_count <= module->id)
		profile->module_count = module->id + 1;
	profile->module_facts[module->id].build_id = id;
	*ret_module = module->id;
	return true;
}

/* Later facts of a thread replace earlier ones. */
static bool set_facts(
	struct sprof_profile *profile, const struct sprof_build_thread *thread, uint32_t id)
{
	if (thread->facts) {
		profile->threads[id].facts = *thread->facts;
		profile->threads[id].has_facts = true;
	}
	return !thread->former_names ||
		sprof_build_text(profile, thread->former_names, &profile->threads[id].former_names);
}

bool sprof_build_thread(struct sprof_profile *profile, const struct sprof_build_thread *thread,
	uint32_t *ret_thread)
{
	struct sprof_profile_index *index = profile->index;
	const char *name;
	struct sprof_thread_record record = {
		.pid = thread->pid,
		.tid = thread->tid,
		.name = thread->name ? thread->name : "",
		.process_name = thread->process_name,
	};
	uint32_t process, id;

	if (!sprof_build_text(profile, record.name, &name) ||
		!sprof_profile_set_place(profile, thread->host, thread->rank) ||
		!sprof_profile_intern_process(profile, &record, &process) ||
		!sprof_profile_intern_thread(profile,
			((uint64_t)process + 1) << 32 | (uint32_t)thread->tid,
			(uint64_t)(uintptr_t)name, &id))
		return false;
	index->host = index->rank = NULL;
	profile->threads[id].process = process;
	profile->threads[id].run = index->run;
	profile->threads[id].tid = thread->tid;
	profile->threads[id].name = name;
	profile->threads[id].numeric_ids = thread->numeric_ids;
	*ret_thread = id;
	return set_facts(profile, thread, id);
}

bool sprof_build_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function)
{
	struct sprof_profile_function copy = *function;

	return sprof_build_text(profile, function->name, &copy.name) &&
		sprof_build_text(profile, function->linkage ? function->linkage : function->name,
			&copy.linkage) &&
		sprof_build_text(profile, function->file, &copy.file) &&
		sprof_profile_intern_function(profile, &copy, ret_function);
}

static struct sprof_hash hash_of(
	const struct sprof_frame *frame, const struct sprof_profile_line *lines, size_t count)
{
	struct sprof_hash hash = sprof_hash_start(count);

	sprof_hash_add_pair(&hash, frame->offset,
		(uint64_t)frame->module << 2 | (uint64_t)frame->is_creator << 1 | frame->is_return);
	for (size_t i = 0; i < count; i++) {
		sprof_hash_add_pair(
			&hash, (uint64_t)lines[i].function << 32 | lines[i].line, lines[i].mark);
		sprof_hash_add_pointer(&hash, lines[i].file);
	}
	return hash;
}

bool sprof_build_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	const struct sprof_profile_line *lines, size_t count, uint32_t *ret_location)
{
	const struct sprof_interned built = SPROF_INTERNED(&profile->index->built,
		profile->locations, profile->location_count, profile->location_capacity);
	const struct sprof_profile_location location = {.frame = *frame};
	const size_t before = profile->location_count;

	if (!sprof_intern(&built, hash_of(frame, lines, count), &location, ret_location))
		return false;
	for (size_t i = 0; *ret_location >= before && i < count; i++) {
		if (!sprof_profile_append_line(
			    profile, &profile->locations[*ret_location], &lines[i]))
			return false;
	}
	return true;
}

bool sprof_build_context(struct sprof_profile *profile, const struct sprof_profile_context *context,
	uint32_t *ret_context)
{
	struct sprof_profile_context copy = *context;

	for (const struct sprof_attribute *attribute = sprof_attributes; attribute->name;
		attribute++) {
		const char **text = sprof_attribute_text(attribute, &copy);

		if (attribute->of == SPROF_ATTRIBUTE_OF_CONTEXT &&
			attribute->form == SPROF_ATTRIBUTE_TEXT &&
			!sprof_build_text(profile, *text, text))
			return false;
	}
	return sprof_build_text(profile, context->labels, &copy.labels) &&
		sprof_profile_intern_context(profile, &copy, ret_context);
}

bool sprof_build_comment(struct sprof_profile *profile, const char *text)
{
	const struct sprof_interned comments = SPROF_INTERNED(&profile->index->comments,
		profile->comments, profile->comment_count, profile->comment_capacity);
	const char *copy;
	uint32_t id;

	return sprof_build_text(profile, text, &copy) &&
		sprof_intern(&comments, sprof_key(0, (uintptr_t)copy), &copy, &id);
}

bool sprof_build_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, const uint64_t *values)
{
	struct sprof_profile_thread *thread = &profile->threads[row->thread];
	uint32_t id;

	if (!sprof_profile_intern_row(profile, row, &id))
		return false;
	sprof_metrics_add(&profile->rows[id].metrics, &row->metrics);
	if (values && !sprof_profile_add_further(profile, id, values))
		return false;
	thread->samples += row->metrics.samples;
	sprof_times_add(&thread->times, &row->metrics.times);
	return true;
}
