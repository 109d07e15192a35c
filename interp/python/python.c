/*
 * CPython's row in the table of runtimes: which files may contain it, the addresses of its state
 * and its version in a process, and those functions of the row that no other file of this folder
 * has. A file provides link-time facts (elfsym/python/runtime.c); since 3.13, memory provides the
 * offsets. Does not handle alphas and betas.
 */
#include "interp/python/python.h"

#include <stdlib.h>
#include <string.h>

#include "base/script.h"
#include "base/strings.h"

_Static_assert(
	(int)SPROF_PYTHON_MOST_STATE <= (int)SPROF_INTERP_MOST_STATE, "a copy has room for it");

/* Modules for Python have the word elsewhere: "_ctypes.cpython-311-x86_64-linux-gnu.so". */
static bool is_called_python(const char *name)
{
	return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

static void *read_file(const struct sprof_image *image)
{
	struct sprof_python_file *file = malloc(sizeof(*file));

	if (file && sprof_python_file_read(image, file))
		return file;
	free(file);
	return NULL;
}

static void destroy_file(void *data)
{
	sprof_python_file_finish(data);
	free(data);
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

/* Before 3.13 the file shows the version; since then there is a table in memory. */
static bool find_offsets(struct sprof_python_process *python,
	const struct sprof_interp_memory *memory, const char *path)
{
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES];
	const uint32_t version = python->file->version ? python->file->version : version_in(path);
	const struct sprof_python_offsets *known = sprof_python_offsets_of(version);

	if (known) {
		python->offsets = *known;
		return true;
	}
	return sprof_python_offsets_parse(bytes,
		memory->read(memory->data, python->address, bytes, sizeof(bytes)),
		&python->offsets);
}

/* The load bias of the file. Returns false if none of its code is mapped. */
static bool find_bias(const struct sprof_interp_site *site, uint64_t *ret)
{
	uint64_t begin;

	if (!sprof_image_code_address(site->image, site->mapping->offset, &begin))
		return false;
	*ret = site->mapping->start - begin;
	return true;
}

static void destroy(struct sprof_interp_process *process)
{
	struct sprof_python_process *python = (struct sprof_python_process *)process;

	sprof_python_codes_destroy(python->codes);
	free(python);
}

static struct sprof_interp_process *create(const struct sprof_interp_site *site)
{
	const struct sprof_python_file *file = site->file;
	struct sprof_python_process *python = calloc(1, sizeof(*python));
	uint64_t bias;

	if (!python)
		return NULL;
	python->codes = sprof_python_codes_create();
	if (!python->codes || !find_bias(site, &bias)) {
		destroy(&python->common);
		return NULL;
	}
	python->common.is_stripped = file->is_stripped;
	python->file = file;
	python->address = bias + file->runtime;
	python->code_type = file->code_type ? bias + file->code_type : 0;
	return &python->common;
}

/* Before its version 1.0 without the line. */
static bool is_called_greenlet(const char *name)
{
	return strncmp(name, "_greenlet.", 10) == 0 || strncmp(name, "greenlet.", 9) == 0;
}

/* A program may import it at any time. */
static void find_greenlet(
	const struct sprof_interp_site *site, struct sprof_interp_process *process)
{
	const struct sprof_maps *maps = site->maps;
	const struct sprof_module *module;
	struct sprof_image *image;
	struct sprof_error ignored;

	for (size_t i = 0; i < maps->count && process->greenlet == SPROF_MAPPING_NO_MODULE; i++) {
		if (!maps->items[i].executable || maps->items[i].module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_get(site->modules, maps->items[i].module);
		if (!is_called_greenlet(sprof_module_name(module)) ||
			!sprof_image_open(module, &image, &ignored))
			continue;
		if (sprof_greenlet_file_read(image, &process->greenlet_file))
			process->greenlet = module->id;
		sprof_image_close(image);
	}
}

/* While the loader maps the file, the table may not be there yet: it is searched again. */
static bool update(struct sprof_interp_process *process, const struct sprof_interp_site *site,
	const struct sprof_interp_memory *memory)
{
	struct sprof_python_process *python = (struct sprof_python_process *)process;
	uint64_t bias;

	if (!find_bias(site, &bias) || bias + python->file->runtime != python->address)
		return false;
	if (!process->is_known)
		process->is_known = find_offsets(python, memory, site->module->path);
	find_greenlet(site, process);
	return true;
}

static enum sprof_python_part part_at(const struct sprof_interp_process *process, uint64_t offset)
{
	return sprof_python_file_part(sprof_python_of(process)->file, offset);
}

/* The outermost frame, if it is the one by which the module threading starts a thread. */
static const struct sprof_interp_frame *find_bootstrap(const struct sprof_modules *modules,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names)
{
	const struct sprof_script_function *function;
	const struct sprof_module *module;
	size_t count = copy->frame_count;
	uint32_t line;

	while (count && copy->frames[count - 1].is_shim)
		count--;
	if (!count || names[count - 1].module == SPROF_INTERP_HIDDEN)
		return NULL;
	module = sprof_modules_get(modules, names[count - 1].module);
	if (!sprof_string_ends_with(module->path, "/threading.py"))
		return NULL;
	function = sprof_script_find(module->script, names[count - 1].offset, &line);
	return function && sprof_string_ends_with(function->name, "_bootstrap")
		? &copy->frames[count - 1]
		: NULL;
}

static bool find_thread_name(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_modules *modules,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names,
	char name[SPROF_COMM_MAX])
{
	const struct sprof_interp_frame *frame = find_bootstrap(modules, copy, names);

	return frame &&
		sprof_python_thread_name(
			sprof_python_of(process), memory, frame, name, SPROF_COMM_MAX);
}

const struct sprof_interp_runtime sprof_python_runtime = {
	.is_called = is_called_python,
	.read_file = read_file,
	.destroy_file = destroy_file,
	.create = create,
	.destroy = destroy,
	.update = update,
	.find_thread = sprof_python_find_thread,
	.has_several = sprof_python_has_several,
	.pieces = sprof_python_pieces,
	.copy = sprof_python_copy,
	.learn = sprof_python_learn,
	.name_frames = sprof_python_name_frames,
	.part = part_at,
	.thread_name = find_thread_name,
	.holds = sprof_python_holds,
};
