/*
 * Opens the files that a core's process had mapped, by path. A file with another build id than in
 * the core's memory is not used. Does not search elsewhere: debug files are found through the files
 * opened here.
 */
#include "cmd/dump/core-look.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/regular-file.h"
#include "cmd/ui.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/elf/image.h"

/* The file that holds the program's entry point. NULL: not known. */
static const struct sprof_core_file *find_program(const struct sprof_core *core)
{
	for (size_t i = 0; i < core->file_count; i++) {
		const struct sprof_core_file *file = &core->files[i];

		if (core->entry >= file->start && core->entry < file->end)
			return file;
	}
	return NULL;
}

struct question {
	const char *program_path; /* the user's; NULL: none */
	const struct sprof_core_file *program;
};

/* Code known only from the core's list of files. */
static bool is_code(void *data, const struct sprof_core_file *file)
{
	const struct question *question = data;
	const bool is_program = question->program && !strcmp(question->program->path, file->path);
	const char *path =
		is_program && question->program_path ? question->program_path : file->path;
	struct sprof_image *image;
	struct sprof_error ignored;
	bool found = false;

	if (!sprof_image_open_path(path, &image, &ignored))
		/* Unreadable: it may be code if it is the program, or is named like a library. */
		return is_program || strstr(file->path, ".so");
	for (size_t i = 0; i < image->segment_count && !found; i++) {
		const struct sprof_segment *segment = &image->segments[i];

		found = segment->executable &&
			segment->offset < file->offset + (file->end - file->start) &&
			segment->offset + segment->file_size > file->offset;
	}
	sprof_image_close(image);
	return found;
}

/* Compares with the path in NT_FILE without the kernel's suffix for deleted files. */
static bool is_path_of(const struct sprof_core_file *file, const struct sprof_module *module)
{
	const size_t length = strlen(module->path);

	return !strncmp(file->path, module->path, length) &&
		(!file->path[length] ||
			(module->deleted && !strcmp(file->path + length, " (deleted)")));
}

/* The first bytes of a module's file in the core's memory. NULL: the core doesn't have them. */
static const struct sprof_core_piece *find_begin(
	const struct sprof_core *core, const struct sprof_module *module)
{
	for (size_t i = 0; i < core->file_count; i++) {
		const struct sprof_core_piece *piece;

		if (core->files[i].offset || !is_path_of(&core->files[i], module))
			continue;
		piece = sprof_core_find(core, core->files[i].start);
		if (piece && piece->start == core->files[i].start && piece->size)
			return piece;
	}
	return NULL;
}

static bool build_id_of(const struct sprof_module *module, char ret[SPROF_BUILD_ID_TEXT])
{
	struct sprof_image *image;
	struct sprof_error ignored;
	bool found;

	if (!sprof_image_open(module, &image, &ignored))
		return false;
	found = sprof_build_id_text(image, ret);
	sprof_image_close(image);
	return found;
}

/* The build id that the core's memory has of a module. */
static bool build_id_in_core(const struct sprof_core *core, const struct sprof_module *module,
	char ret[SPROF_BUILD_ID_TEXT])
{
	const struct sprof_core_piece *begin = find_begin(core, module);
	SPROF_AUTO_FREE void *copy = begin ? malloc(begin->size) : NULL;
	const struct sprof_module memory = {
		.kind = SPROF_MODULE_MEMORY,
		.path = module->path,
		.image = copy,
		.image_size = copy ? begin->size : 0,
		.fd = -1,
	};

	if (!copy)
		return false;
	memcpy(copy, begin->bytes, begin->size);
	return build_id_of(&memory, ret);
}

static void forget_file(struct sprof_module *module, int errnum)
{
	close(module->fd);
	module->fd = -1;
	module->open_errno = errnum;
}

/* Compares build ids to check that the file is the mapped one. A deleted file's path may lead to
 * any other file. */
static void check_file(const struct sprof_core *core, struct sprof_module *module)
{
	char in_core[SPROF_BUILD_ID_TEXT], in_file[SPROF_BUILD_ID_TEXT];

	if (!build_id_in_core(core, module, in_core)) {
		if (!module->deleted)
			return;
		sprof_ui_note("%s was deleted, and the core has no build id of it: it is not used",
			module->path);
		forget_file(module, ESTALE);
	} else if (!build_id_of(module, in_file) || strcmp(in_core, in_file) != 0) {
		sprof_ui_note(
			"%s is not the file of the core: it has another build id", module->path);
		forget_file(module, ESTALE);
	}
}

static void open_file(const struct sprof_core *core, struct sprof_module *module, const char *path)
{
	module->opener = core->pid;
	module->fd = sprof_regular_file_open(path, 0);
	if (module->fd < 0) {
		module->open_errno = errno;
		sprof_ui_note("%s can't be opened (%s): its functions have no names, and stacks "
			      "may end there",
			path, strerror(errno));
		return;
	}
	sprof_file_stamp_take(&module->stamp, module->fd);
	check_file(core, module);
}

/* The vDSO: the core has it, because it is in no file. */
static void copy_memory(const struct sprof_core *core, const struct sprof_mapping *mapping,
	struct sprof_module *module)
{
	const struct sprof_core_piece *piece = sprof_core_find(core, mapping->start);

	module->opener = core->pid;
	if (!piece || piece->start != mapping->start || !piece->size)
		return;
	module->image = malloc(piece->size);
	if (!module->image)
		return;
	memcpy(module->image, piece->bytes, piece->size);
	module->image_size = piece->size;
}

static void open_modules(struct sprof_core_look *look, const struct sprof_mapping *program)
{
	for (size_t i = 0; i < look->maps.count; i++) {
		const struct sprof_mapping *mapping = &look->maps.items[i];
		struct sprof_module *module;

		if (mapping->module == SPROF_MAPPING_NO_MODULE)
			continue;
		module = sprof_modules_get(look->modules, mapping->module);
		if (module->opener)
			continue;
		if (module->kind == SPROF_MODULE_MEMORY)
			copy_memory(look->core, mapping, module);
		else if (module->kind == SPROF_MODULE_FILE)
			open_file(look->core, module,
				program && program->module == mapping->module ? look->program
									      : module->path);
	}
}

bool sprof_core_modules_open(struct sprof_core_look *look, struct sprof_error *err)
{
	struct question question = {look->program, find_program(look->core)};
	const struct sprof_core_code code = {&question, is_code};
	const struct sprof_mapping *program = NULL;

	look->maps_text = sprof_core_maps(look->core, &code);
	if (!look->maps_text)
		return sprof_error_no_memory(err);
	if (!sprof_maps_parse(&look->maps, look->maps_text, look->core->pid, look->modules))
		return sprof_error_set(
			err, SPROF_ERROR_UNSUPPORTED, "the core has no memory mappings");
	look->maps.generation = sprof_modules_next_generation(look->modules);
	if (look->program) {
		program = sprof_maps_find(&look->maps, look->core->entry);
		if (!look->core->entry || !program || program->module == SPROF_MAPPING_NO_MODULE)
			return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
				"--exe: the core does not show where its program was mapped");
	}
	open_modules(look, program);
	return true;
}

void sprof_core_look_finish(struct sprof_core_look *look)
{
	sprof_maps_finish(&look->maps);
	free(look->maps_text);
}
