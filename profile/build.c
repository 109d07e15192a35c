/*
 * Profiles that don't come from the sampler. Knows what makes two things of a file the same one:
 * a location is its frame and its lines, a thread its process, id and name. Which file it was is
 * not known here.
 */
#include "profile/build.h"

#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/index.h"

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

/* The same pointer for the same text; NULL stays NULL. */
static bool intern(struct sprof_profile *profile, const char *text, const char **ret)
{
	*ret = text ? sprof_strtab_intern(profile->index->strings, text) : NULL;
	return !text || *ret;
}

static enum sprof_module_kind kind_of(const char *path)
{
	if (strcmp(path, "[vdso]") == 0)
		return SPROF_MODULE_MEMORY;
	return path[0] == '[' || path[0] == '\0' ? SPROF_MODULE_ANONYMOUS : SPROF_MODULE_FILE;
}

/* A build id tells files of one path apart; it stands where the inode does while they are open. */
bool sprof_build_module(struct sprof_profile *profile, const char *path, const char *build_id,
	uint32_t *ret_module)
{
	const char *id;
	struct sprof_module_key key = {.kind = kind_of(path), .path = path};
	struct sprof_module *module;
	bool is_new;

	if (!intern(profile, build_id, &id))
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

/* What is said later of the same thread replaces what was said before. */
static bool set_facts(
	struct sprof_profile *profile, const struct sprof_build_thread *thread, uint32_t id)
{
	if (thread->facts) {
		profile->threads[id].facts = *thread->facts;
		profile->threads[id].has_facts = true;
	}
	return !thread->former_names ||
	       intern(profile, thread->former_names, &profile->threads[id].former_names);
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

	if (!intern(profile, record.name, &name) ||
		!sprof_profile_set_place(profile, thread->host, thread->rank) ||
		!sprof_profile_intern_process(profile, &record, &process) ||
		!sprof_profile_intern_thread(profile,
			(uint64_t)index->side << 63 | ((uint64_t)process + 1) << 32 |
				(uint32_t)thread->tid,
			(uint64_t)(uintptr_t)name, &id))
		return false;
	index->host = index->rank = NULL;
	profile->threads[id].process = process;
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

	return intern(profile, function->name, &copy.name) &&
	       intern(profile, function->linkage ? function->linkage : function->name,
		       &copy.linkage) &&
	       intern(profile, function->file, &copy.file) &&
	       sprof_profile_intern_function(profile, &copy, ret_function);
}

static struct sprof_hash hash_of(
	const struct sprof_frame *frame, const struct sprof_profile_line *lines, size_t count)
{
	struct sprof_hash hash = sprof_hash_start(count);

	sprof_hash_add_pair(&hash, frame->offset, (uint64_t)frame->module << 2 |
		(uint64_t)frame->is_creator << 1 | frame->is_return);
	for (size_t i = 0; i < count; i++)
		sprof_hash_add_pair(&hash, (uint64_t)lines[i].function << 32 | lines[i].line,
			lines[i].inlined);
	return hash;
}

bool sprof_build_location(struct sprof_profile *profile, const struct sprof_frame *frame,
	const struct sprof_profile_line *lines, size_t count, uint32_t *ret_location)
{
	struct sprof_hash hash = hash_of(frame, lines, count);
	uint32_t id;

	id = sprof_idmap_find(&profile->index->built, hash.high, hash.low);
	if (id == SPROF_IDMAP_NONE) {
		if (!sprof_profile_append_location(profile, frame, &id) ||
			!sprof_idmap_put(&profile->index->built, hash.high, hash.low, id))
			return false;
		for (size_t i = 0; i < count; i++) {
			if (!sprof_profile_append_line(profile, &profile->locations[id], &lines[i]))
				return false;
		}
	}
	*ret_location = id;
	return true;
}

bool sprof_build_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context)
{
	struct sprof_profile_context copy = {.state = context->state, .kind = context->kind};

	return intern(profile, context->syscall, &copy.syscall) &&
	       intern(profile, context->object, &copy.object) &&
	       intern(profile, context->holder, &copy.holder) &&
	       intern(profile, context->holder_function, &copy.holder_function) &&
	       intern(profile, context->labels, &copy.labels) &&
	       sprof_profile_intern_context(profile, &copy, ret_context);
}

static bool add_values(struct sprof_profile *profile, uint32_t row, const uint64_t *values)
{
	struct sprof_profile_foreign *foreign = &profile->foreign;
	size_t count = foreign->kind_count;

	if (!sprof_array_reserve(&foreign->values, &foreign->value_capacity,
		    profile->row_count * count, sizeof(*foreign->values)))
		return false;
	for (size_t i = 0; i < count; i++)
		foreign->values[row * count + i] += values[i];
	return true;
}

bool sprof_build_comment(struct sprof_profile *profile, const char *text)
{
	const char *copy;

	if (!intern(profile, text, &copy))
		return false;
	if (sprof_idmap_find(&profile->index->comments, 0, (uintptr_t)copy) != SPROF_IDMAP_NONE)
		return true;
	if (!sprof_array_reserve(&profile->comments, &profile->comment_capacity,
		    profile->comment_count + 1, sizeof(*profile->comments)) ||
		!sprof_idmap_put(&profile->index->comments, 0, (uintptr_t)copy,
			(uint32_t)profile->comment_count))
		return false;
	profile->comments[profile->comment_count++] = copy;
	return true;
}

bool sprof_build_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, const uint64_t *values)
{
	struct sprof_profile_thread *thread = &profile->threads[row->thread];
	uint32_t id;

	if (!sprof_profile_intern_row(profile, row, &id) ||
		(values && !add_values(profile, id, values)))
		return false;
	sprof_metrics_add(&profile->rows[id].metrics, &row->metrics);
	thread->samples += row->metrics.samples;
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		thread->times.ns[i] += row->metrics.times.ns[i];
	return true;
}

bool sprof_profile_add(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_metrics *metrics)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_profile_row row = {.thread = thread, .stack = stack, .metrics = *metrics};

	return sprof_profile_intern_context(profile, &context, &row.context) &&
	       sprof_build_row(profile, &row, NULL);
}

const char *sprof_profile_weight_name(
	const struct sprof_profile *profile, enum sprof_weight weight)
{
	const struct sprof_profile_foreign *foreign = &profile->foreign;

	if (weight == SPROF_WEIGHT_OTHER && foreign->kind_count)
		return foreign->kinds[foreign->chosen].type;
	return sprof_weight_name(weight);
}

const char *sprof_profile_weight_unit(
	const struct sprof_profile *profile, enum sprof_weight weight)
{
	const struct sprof_profile_foreign *foreign = &profile->foreign;

	if (weight == SPROF_WEIGHT_OTHER && foreign->kind_count)
		return foreign->kinds[foreign->chosen].unit;
	return sprof_weight_is_time(weight) ? "nanoseconds" : "count";
}
