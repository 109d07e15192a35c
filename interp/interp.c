/*
 * The table of language runtimes, the files that contain one, the processes that map such a file,
 * and state per thread. Examines only a process's program, and files with names known to a runtime.
 * Does not handle processes with two runtimes: the first one counts.
 */
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "interp/merge.h"
#include "interp/runtime.h"

enum {
	FEW_FRAMES = 2048,
	FEW_BYTES = 512 << 10,
	/*
	 * A missing thread state is searched at each of the thread's first samples, later rarely.
	 */
	EAGER = 16,
	PATIENCE = 64,
};

static const struct sprof_interp_runtime *const runtimes[] = {
	&sprof_python_runtime,
};
enum { RUNTIMES = sizeof(runtimes) / sizeof(*runtimes) };

/* Facts about a module's file. */
struct file {
	bool tried;
	const struct sprof_interp_runtime *runtime; /* NULL: none */
	void *facts;                                /* the runtime's own */
	struct sprof_image *image;                  /* names of symbols are in it */
};

struct sprof_interp {
	struct sprof_modules *modules;
	enum sprof_interp_mode mode;
	struct file **files; /* by module; NULL: not looked at */
	size_t file_capacity;
	uint64_t serial; /* the last one given out */
};

struct sprof_interp *sprof_interp_create(struct sprof_modules *modules, enum sprof_interp_mode mode)
{
	struct sprof_interp *interp = calloc(1, sizeof(*interp));

	if (!interp)
		return NULL;
	interp->modules = modules;
	interp->mode = mode;
	return interp;
}

static void destroy_file(struct file *file)
{
	if (!file)
		return;
	if (file->runtime)
		file->runtime->destroy_file(file->facts);
	sprof_image_close(file->image);
	free(file);
}

void sprof_interp_destroy(struct sprof_interp *interp)
{
	if (!interp)
		return;
	for (size_t i = 0; i < interp->file_capacity; i++)
		destroy_file(interp->files[i]);
	free(interp->files);
	free(interp);
}

static void look_into(struct file *file, const struct sprof_module *module)
{
	struct sprof_error ignored;

	file->tried = true;
	if (!sprof_image_open(module, &file->image, &ignored)) {
		file->image = NULL;
		return;
	}
	for (size_t i = 0; i < RUNTIMES && !file->runtime; i++) {
		file->facts = runtimes[i]->read_file(file->image);
		if (file->facts)
			file->runtime = runtimes[i];
	}
	if (!file->runtime) {
		sprof_image_close(file->image);
		file->image = NULL;
	}
}

/* NULL: the file has no runtime, or there is no memory. */
static const struct file *file_of(struct sprof_interp *interp, const struct sprof_module *module)
{
	struct file **file;

	if (!sprof_array_reserve(&interp->files, &interp->file_capacity, (size_t)module->id + 1,
		    sizeof(*interp->files)))
		return NULL;
	file = &interp->files[module->id];
	if (!*file)
		*file = calloc(1, sizeof(**file));
	if (!*file)
		return NULL;
	if (!(*file)->tried)
		look_into(*file, module);
	return (*file)->runtime ? *file : NULL;
}

static bool may_contain_one(const struct sprof_module *module)
{
	const char *name = sprof_module_name(module);

	for (size_t i = 0; i < RUNTIMES; i++) {
		if (runtimes[i]->is_called(name))
			return true;
	}
	return false;
}

/* The first mapping of a file with a runtime. NULL if there is none. */
static const struct file *find_file(struct sprof_interp *interp, const struct sprof_maps *maps,
	struct sprof_interp_site *ret_site)
{
	const struct file *file = NULL;
	bool is_program = true;

	for (size_t i = 0; i < maps->count && !file; i++) {
		const struct sprof_mapping *mapping = &maps->items[i];
		const struct sprof_module *module;

		if (mapping->module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_get(interp->modules, mapping->module);
		if (module->kind != SPROF_MODULE_FILE)
			continue;
		if (is_program || may_contain_one(module))
			file = file_of(interp, module);
		is_program = false;
		if (file)
			*ret_site = (struct sprof_interp_site){
				file->facts, file->image, module, mapping, maps, interp->modules};
	}
	return file;
}

static struct sprof_interp_process *create(struct sprof_interp *interp, const struct file *file,
	const struct sprof_interp_site *site, const struct sprof_interp_memory *memory)
{
	struct sprof_interp_process *process = file->runtime->create(site);

	if (!process)
		return NULL;
	process->runtime = file->runtime;
	process->serial = ++interp->serial;
	process->module = site->module->id;
	process->greenlet = SPROF_MAPPING_NO_MODULE;
	file->runtime->update(process, site, memory);
	return process;
}

void sprof_interp_process_destroy(struct sprof_interp_process *process)
{
	if (!process)
		return;
	free(process->parts);
	free(process->frames);
	free(process->registers);
	process->runtime->destroy(process);
}

struct sprof_interp_process *sprof_interp_find(struct sprof_interp *interp,
	const struct sprof_maps *maps, const struct sprof_interp_memory *memory,
	struct sprof_interp_process *known)
{
	struct sprof_interp_site site;
	const struct file *file = find_file(interp, maps, &site);

	if (file && known && known->module == site.module->id &&
		file->runtime->update(known, &site, memory))
		return known;
	sprof_interp_process_destroy(known);
	return file ? create(interp, file, &site, memory) : NULL;
}

static bool reserve(const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy)
{
	size_t bytes = FEW_BYTES;

	for (size_t i = 0; i < thread->block_count; i++)
		bytes += thread->blocks[i].size;
	return sprof_array_reserve(&copy->bytes, &copy->capacity, bytes, 1) &&
		sprof_array_reserve(&copy->frames, &copy->frame_capacity,
			thread->depth < SPROF_INTERP_DEEPEST / 2 ? 2 * thread->depth + FEW_FRAMES
								 : SPROF_INTERP_DEEPEST,
			sizeof(*copy->frames));
}

/* Many threads of a program with an interpreter in it never run it. */
static bool is_due(struct sprof_interp_thread *thread)
{
	return thread->vain < EAGER || thread->skipped++ % PATIENCE == 0;
}

static void look_for(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread *thread)
{
	const bool is_known = thread->state_count && thread->serial == process->serial;
	const bool was_doubtful = is_known && thread->is_doubtful;

	if ((is_known && !thread->is_doubtful) || !is_due(thread))
		return;
	process->runtime->find_thread(process, memory, subject, thread);
	if (thread->serial != process->serial) {
		thread->block_count = thread->merged = 0;
		thread->name[0] = '\0';
	}
	thread->serial = process->serial;
	thread->is_doubtful = false;
	thread->vain = thread->state_count && !was_doubtful ? 0 : thread->vain + 1;
}

bool sprof_interp_prepare(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread **thread, struct sprof_interp_copy **copy)
{
	if (!*thread)
		*thread = calloc(1, sizeof(**thread));
	if (!*copy)
		*copy = calloc(1, sizeof(**copy));
	if (!*thread || !*copy || !reserve(*thread, *copy))
		return false;
	/* The pieces may refer to freed memory. */
	(*copy)->asked = NULL;
	if (process->is_known)
		look_for(process, memory, subject, *thread);
	return true;
}

struct sprof_memory_piece *sprof_interp_pieces(const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy, size_t *ret_count)
{
	return process->runtime->pieces(process, thread, copy, ret_count);
}

void sprof_interp_copy(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy)
{
	process->runtime->copy(process, memory, stack, thread, copy);
}

bool sprof_interp_holds(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_copy *copy,
	uint64_t semaphore)
{
	return process->runtime->holds(process, memory, copy, semaphore);
}

void sprof_interp_thread_destroy(struct sprof_interp_thread *thread)
{
	if (!thread)
		return;
	free(thread->blocks);
	free(thread);
}

void sprof_interp_copy_destroy(struct sprof_interp_copy *copy)
{
	if (!copy)
		return;
	free(copy->frames);
	free(copy->bytes);
	free(copy);
}

/* Updates what the next copy may assume. */
static bool learn(const struct sprof_interp_process *process, struct sprof_interp_thread *thread,
	const struct sprof_interp_copy *copy, enum sprof_merge merge, bool is_between)
{
	if (!thread || !copy)
		return true;
	if (copy->outcome == SPROF_INTERP_NO_STATE) {
		thread->state_count = 0;
		if (merge == SPROF_MERGE_NO_STATE)
			thread->vain = 0;
		return true;
	}
	if (merge == SPROF_MERGE_MERGED && !is_between)
		thread->vain = 0;
	/* A loop without a frame may also belong to an interpreter that is new. */
	thread->is_doubtful =
		merge == SPROF_MERGE_MISMATCH || merge == SPROF_MERGE_NATIVE || is_between;
	thread->depth = copy->frame_count;
	return copy->outcome == SPROF_INTERP_NOT_READ ||
		process->runtime->learn(process, thread, copy);
}

/* Programs name a thread before it starts or soon after: later looks are rare. */
static void look_for_name(const struct sprof_interp *interp,
	const struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names,
	struct sprof_interp_thread *thread)
{
	const unsigned before = thread->merged++;
	char name[SPROF_COMM_MAX];

	if ((before & thread->merged) ||
		!process->runtime->thread_name(
			process, memory, interp->modules, copy, names, name) ||
		strcmp(name, thread->name) == 0)
		return;
	memcpy(thread->name, name, sizeof(name));
	thread->has_new_name = true;
}

const char *sprof_interp_thread_name(const struct sprof_interp_thread *thread)
{
	return thread->name;
}

bool sprof_interp_thread_was_named(struct sprof_interp_thread *thread)
{
	const bool was_named = thread->has_new_name;

	thread->has_new_name = false;
	return was_named;
}

/*
 * With a single interpreter, a loop without a frame is in its prologue or epilogue, and a part of
 * the native stack has fewer loops than the whole. With several, a loop's frames may be in a state
 * that is new, or was created by another thread: then the numbers may be equal by chance.
 */
static bool is_certain(struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_merge_fit *fit,
	const struct sprof_stack_view *stack)
{
	if (!fit->is_between && fit->count == stack->count && stack->end == SPROF_END_ROOT)
		return true;
	if (!process->had_several)
		process->had_several = process->runtime->has_several(process, memory);
	return !process->had_several;
}

enum sprof_merge sprof_interp_merge(struct sprof_interp *interp,
	struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy,
	struct sprof_stack_view *stack)
{
	struct sprof_merge_fit fit;
	enum sprof_merge merge = sprof_merge_judge(process, copy, stack, &fit);
	const struct sprof_frame *names;

	if (merge == SPROF_MERGE_MERGED && !is_certain(process, memory, &fit, stack))
		merge = SPROF_MERGE_MISMATCH;
	if (!learn(process, thread, copy, merge, fit.is_between))
		return SPROF_MERGE_TORN;
	if (merge != SPROF_MERGE_MERGED)
		return merge;
	if (!process->runtime->name_frames(process, memory, interp->modules, copy, &names) ||
		!sprof_merge_build(process, interp->mode, copy, names, &fit, stack))
		return SPROF_MERGE_TORN;
	look_for_name(interp, process, memory, copy, names, thread);
	return merge;
}
