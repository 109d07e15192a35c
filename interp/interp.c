/*
 * The files with a runtime, the processes that have one mapped, and what is remembered of threads.
 * Looks into a process's program and into files that are called python or libpython: others don't
 * contain an interpreter. Does not handle processes that run two of them: the first one counts.
 */
#include "interp/interp.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/script.h"
#include "interp/merge.h"

enum {
	FEW_FRAMES = 2048,
	FEW_BYTES = 512 << 10,
	/* A thread without a state is looked for again at each of its first samples, later seldom. */
	EAGER = 16,
	PATIENCE = 64,
};

/* What is known of a module's file. */
struct file {
	bool tried;
	bool has_python;
	struct sprof_python_file python;
	struct sprof_image *image; /* names of symbols are in it */
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

void sprof_interp_destroy(struct sprof_interp *interp)
{
	if (!interp)
		return;
	for (size_t i = 0; i < interp->file_capacity; i++) {
		if (!interp->files[i])
			continue;
		sprof_python_file_finish(&interp->files[i]->python);
		sprof_image_close(interp->files[i]->image);
		free(interp->files[i]);
	}
	free(interp->files);
	free(interp);
}

static void look_into(struct file *file, const struct sprof_module *module)
{
	struct sprof_error ignored;

	file->tried = true;
	if (sprof_image_open(module, &file->image, &ignored))
		file->has_python = sprof_python_file_read(file->image, &file->python);
	else
		file->image = NULL;
	if (!file->has_python) {
		sprof_image_close(file->image);
		file->image = NULL;
	}
}

/* NULL: the file has no interpreter, or there is no memory. */
static const struct file *file_of(struct sprof_interp *interp, uint32_t id)
{
	if (!sprof_array_reserve(
		    &interp->files, &interp->file_capacity, (size_t)id + 1, sizeof(*interp->files)))
		return NULL;
	if (!interp->files[id])
		interp->files[id] = calloc(1, sizeof(*interp->files[id]));
	if (!interp->files[id])
		return NULL;
	if (!interp->files[id]->tried)
		look_into(interp->files[id], sprof_modules_get(interp->modules, id));
	return interp->files[id]->has_python ? interp->files[id] : NULL;
}

/* "python3.11" or "libpython3.8.so.1.0": 0x030b or 0x0308. 0: the name says nothing. */
static uint32_t version_in(const char *path)
{
	const char *found = strstr(path, "python3.");
	long minor = 0;

	for (; found; found = strstr(found + 1, "python3.")) {
		char *end;

		minor = strtol(found + strlen("python3."), &end, 10);
	}
	return minor > 0 && minor < 256 ? 0x0300 | (uint32_t)minor : 0;
}

/* Before 3.13 the version is known from the file; from then on memory has a table. */
static bool find_offsets(struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const char *path)
{
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES];
	const uint32_t version = process->file->version ? process->file->version : version_in(path);
	const struct sprof_python_offsets *known = sprof_python_offsets_of(version);

	if (known) {
		process->offsets = *known;
		return true;
	}
	return sprof_python_offsets_parse(bytes,
		memory->read(memory->data, process->runtime, bytes, sizeof(bytes)),
		&process->offsets);
}

static bool set_addresses(struct sprof_interp_process *process, const struct file *file,
	const struct sprof_mapping *mapping)
{
	uint64_t begin, bias;

	if (!sprof_image_code_address(file->image, mapping->offset, &begin))
		return false;
	bias = mapping->start - begin;
	process->runtime = bias + file->python.runtime;
	process->code_type = file->python.code_type ? bias + file->python.code_type : 0;
	return true;
}

static struct sprof_interp_process *create(struct sprof_interp *interp, const struct file *file,
	const struct sprof_mapping *mapping, const struct sprof_interp_memory *memory)
{
	struct sprof_interp_process *process = calloc(1, sizeof(*process));

	if (!process)
		return NULL;
	process->codes = sprof_python_codes_create();
	process->file = &file->python;
	process->module = mapping->module;
	process->serial = ++interp->serial;
	process->greenlet = SPROF_MAPPING_NO_MODULE;
	if (!process->codes || !set_addresses(process, file, mapping)) {
		sprof_interp_process_destroy(process);
		return NULL;
	}
	process->is_known = find_offsets(
		process, memory, sprof_modules_get(interp->modules, mapping->module)->path);
	return process;
}

void sprof_interp_process_destroy(struct sprof_interp_process *process)
{
	if (!process)
		return;
	sprof_python_codes_destroy(process->codes);
	free(process->frames);
	free(process->registers);
	free(process);
}

/* Modules for Python have the word elsewhere: "_ctypes.cpython-311-x86_64-linux-gnu.so". */
static bool is_called_python(const char *name)
{
	return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

/* Before its version 1.0 without the line. */
static bool is_called_greenlet(const char *name)
{
	return strncmp(name, "_greenlet.", 10) == 0 || strncmp(name, "greenlet.", 9) == 0;
}

/* A program may import it at any time. */
static void find_greenlet(const struct sprof_interp *interp, const struct sprof_maps *maps,
	struct sprof_interp_process *process)
{
	const struct sprof_module *module;
	struct sprof_image *image;
	struct sprof_error ignored;

	for (size_t i = 0; i < maps->count && process->greenlet == SPROF_MAPPING_NO_MODULE; i++) {
		if (!maps->items[i].executable || maps->items[i].module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_get(interp->modules, maps->items[i].module);
		if (!is_called_greenlet(sprof_module_name(module)) ||
			!sprof_image_open(module, &image, &ignored))
			continue;
		if (sprof_greenlet_file_read(image, &process->greenlet_file))
			process->greenlet = module->id;
		sprof_image_close(image);
	}
}

static bool is_still_there(const struct sprof_interp_process *process, const struct file *file,
	const struct sprof_mapping *mapping)
{
	struct sprof_interp_process now = {0};

	return process && process->module == mapping->module &&
		set_addresses(&now, file, mapping) && now.runtime == process->runtime;
}

static struct sprof_interp_process *find_python(struct sprof_interp *interp,
	const struct sprof_maps *maps, const struct sprof_interp_memory *memory,
	struct sprof_interp_process *known)
{
	bool is_program = true;

	for (size_t i = 0; i < maps->count; i++) {
		const struct sprof_mapping *mapping = &maps->items[i];
		const struct sprof_module *module;
		const struct file *file = NULL;

		if (mapping->module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_get(interp->modules, mapping->module);
		if (module->kind != SPROF_MODULE_FILE)
			continue;
		if (is_program || is_called_python(sprof_module_name(module)))
			file = file_of(interp, mapping->module);
		is_program = false;
		if (!file)
			continue;
		if (is_still_there(known, file, mapping)) {
			/* While the loader maps the file, its table may not be in place. */
			if (!known->is_known)
				known->is_known = find_offsets(known, memory, module->path);
			return known;
		}
		sprof_interp_process_destroy(known);
		return create(interp, file, mapping, memory);
	}
	sprof_interp_process_destroy(known);
	return NULL;
}

struct sprof_interp_process *sprof_interp_find(struct sprof_interp *interp,
	const struct sprof_maps *maps, const struct sprof_interp_memory *memory,
	struct sprof_interp_process *known)
{
	struct sprof_interp_process *process = find_python(interp, maps, memory, known);

	if (process)
		find_greenlet(interp, maps, process);
	return process;
}

static bool reserve(const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy)
{
	size_t bytes = FEW_BYTES;

	for (size_t i = 0; i < thread->block_count; i++)
		bytes += thread->blocks[i].size;
	return sprof_array_reserve(&copy->bytes, &copy->capacity, bytes, 1) &&
		sprof_array_reserve(&copy->frames, &copy->frame_capacity,
			thread->depth < SPROF_PYTHON_DEEPEST / 2 ? 2 * thread->depth + FEW_FRAMES
								 : SPROF_PYTHON_DEEPEST,
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
	sprof_python_find_thread(process, memory, subject, thread);
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
	/* What was asked for before may have been for memory that is no more. */
	(*copy)->asked = NULL;
	if (process->is_known)
		look_for(process, memory, subject, *thread);
	return true;
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

/* What the next copy may assume. */
static bool learn(const struct sprof_interp_process *process, struct sprof_interp_thread *thread,
	const struct sprof_interp_copy *copy, enum sprof_merge merge, bool is_between)
{
	if (!thread || !copy)
		return true;
	if (copy->outcome == SPROF_PYTHON_NO_STATE) {
		thread->state_count = 0;
		if (merge == SPROF_MERGE_NO_STATE)
			thread->vain = 0;
		return true;
	}
	if (merge == SPROF_MERGE_MERGED && !is_between)
		thread->vain = 0;
	/* A loop without a frame of its own may also be that of an interpreter that is new. */
	thread->is_doubtful =
		merge == SPROF_MERGE_MISMATCH || merge == SPROF_MERGE_NATIVE || is_between;
	thread->depth = copy->frame_count;
	return copy->outcome == SPROF_PYTHON_NOT_READ ||
		sprof_python_learn(&process->offsets, thread, copy);
}

static bool ends_with(const char *text, const char *end)
{
	const size_t length = strlen(text), wanted = strlen(end);

	return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The outermost frame, if it is the one by which the module threading starts a thread. */
static const struct sprof_python_frame *find_bootstrap(const struct sprof_interp *interp,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names)
{
	const struct sprof_script_function *function;
	const struct sprof_module *module;
	size_t count = copy->frame_count;
	uint32_t line;

	while (count && copy->frames[count - 1].is_shim)
		count--;
	if (!count || names[count - 1].module == SPROF_PYTHON_HIDDEN)
		return NULL;
	module = sprof_modules_get(interp->modules, names[count - 1].module);
	if (!ends_with(module->path, "/threading.py"))
		return NULL;
	function = sprof_script_find(module->script, names[count - 1].offset, &line);
	return function && ends_with(function->name, "_bootstrap") ? &copy->frames[count - 1]
								   : NULL;
}

/* Programs name a thread before it starts or soon after: later looks are rare. */
static void look_for_name(const struct sprof_interp *interp,
	const struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names,
	struct sprof_interp_thread *thread)
{
	const unsigned before = thread->merged++;
	const struct sprof_python_frame *frame;
	char name[SPROF_COMM_MAX];

	if (before & thread->merged)
		return;
	frame = find_bootstrap(interp, copy, names);
	if (!frame || !sprof_python_thread_name(process, memory, frame, name, sizeof(name)) ||
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

enum sprof_merge sprof_interp_merge(struct sprof_interp *interp,
	struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy,
	struct sprof_stack_view *stack)
{
	struct sprof_merge_fit fit;
	enum sprof_merge merge = sprof_merge_judge(process, copy, stack, &fit);
	const struct sprof_frame *names;

	if (!learn(process, thread, copy, merge, fit.is_between))
		return SPROF_MERGE_TORN;
	if (merge != SPROF_MERGE_MERGED)
		return merge;
	if (!sprof_python_codes_name(process, memory, interp->modules, copy, &names) ||
		!sprof_merge_build(process, interp->mode, copy, names, &fit, stack))
		return SPROF_MERGE_TORN;
	look_for_name(interp, process, memory, copy, names, thread);
	return merge;
}
