/* The file or process of `sprof symbols`, and the symbols of its modules. Does not print. */
#include "cmd/symbols/subject.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "attach/start/machine.h"
#include "base/proc.h"

static bool open_file(
	struct sprof_symbol_subject *subject, const char *path, struct sprof_error *err)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	bool is_new;

	subject->file = sprof_modules_intern(subject->modules, &key, &is_new);
	if (!subject->file)
		return sprof_error_no_memory(err);
	subject->file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	subject->file->open_errno = subject->file->fd < 0 ? errno : 0;
	return sprof_image_open(subject->file, &subject->image, err);
}

static bool refuse(pid_t pid, struct sprof_error *err)
{
	sprof_error_set(
		err, SPROF_ERROR_NOT_FOUND, "can't read the mappings of process %d", (int)pid);
	return sprof_error_hint(
		err, "it has ended, belongs to another user, or is a kernel thread");
}

bool sprof_symbol_process_check(pid_t pid, struct sprof_error *err)
{
	int maps;

	if (!sprof_machine_check_proc(err))
		return false;
	maps = sprof_proc_open(pid, 0, "maps");
	if (maps < 0)
		return refuse(pid, err);
	close(maps);
	return true;
}

bool sprof_symbol_subject_init(struct sprof_symbol_subject *subject,
	const struct sprof_symbol_options *options, const char *path, struct sprof_error *err)
{
	*subject = (struct sprof_symbol_subject){
		.options = options,
		.modules = sprof_modules_create(),
	};
	if (!subject->modules)
		return sprof_error_no_memory(err);
	if (path && !open_file(subject, path, err))
		return false;
	if (options->processes.pid &&
		!sprof_maps_read(&subject->maps, options->processes.pid, subject->modules))
		return refuse(options->processes.pid, err);
	return sprof_namer_create(&options->naming, subject->modules, true, &subject->namer, err);
}

void sprof_symbol_subject_finish(struct sprof_symbol_subject *subject)
{
	sprof_listing_finish(&subject->listing);
	sprof_namer_finish(&subject->namer);
	sprof_image_close(subject->image);
	sprof_maps_finish(&subject->maps);
	sprof_modules_destroy(subject->modules);
}

/* The load bias of the module in the process; 0 for a file. */
static uint64_t bias_of(const struct sprof_symbol_subject *subject,
	const struct sprof_module *module, const struct sprof_image *image)
{
	uint64_t address;

	for (size_t i = 0; i < subject->maps.count; i++) {
		const struct sprof_mapping *mapping = &subject->maps.items[i];

		if (mapping->module != module->id)
			continue;
		return sprof_image_code_address(image,
			       sprof_mapping_offset(mapping, module, mapping->start), &address)
			? mapping->start - address
			: 0;
	}
	return 0;
}

static uint64_t find_bias(
	const struct sprof_symbol_subject *subject, const struct sprof_module *module)
{
	struct sprof_image *image;
	struct sprof_error ignored;
	uint64_t bias;

	if (!subject->maps.count || !sprof_image_open(module, &image, &ignored))
		return 0;
	bias = bias_of(subject, module, image);
	sprof_image_close(image);
	return bias;
}

bool sprof_symbol_subject_holds(const struct sprof_symbol_subject *subject,
	const struct sprof_module *module, uint64_t address)
{
	struct sprof_image *image;
	struct sprof_error ignored;
	bool holds;

	if (!sprof_image_open(module, &image, &ignored))
		return false;
	holds = sprof_image_loads(image, address - bias_of(subject, module, image));
	sprof_image_close(image);
	return holds;
}

static bool create_listing(const struct sprof_symbol_subject *subject,
	const struct sprof_module *module, bool all, struct sprof_listing *ret,
	struct sprof_error *err)
{
	struct sprof_debug_places places = sprof_naming_places(&subject->options->naming);

	places.debuginfod = subject->namer.debuginfod;
	return sprof_listing_create(module, &places,
		sprof_symbols_sysmap(subject->namer.symbols, module),
		SPROF_LISTING_FILE | SPROF_LISTING_SYSMAP | (all ? SPROF_LISTING_ALL : 0), ret,
		err);
}

/* Keeps the listing for the next address, which is often in the same module. */
bool sprof_symbol_subject_list(struct sprof_symbol_subject *subject,
	const struct sprof_module *module, bool all, struct sprof_error *err)
{
	if (subject->listed == module && subject->listed_all == all)
		return true;
	sprof_listing_finish(&subject->listing);
	subject->listed = NULL;
	if (!create_listing(subject, module, all, &subject->listing, err))
		return false;
	subject->bias = find_bias(subject, module);
	subject->listed = module;
	subject->listed_all = all;
	return true;
}
