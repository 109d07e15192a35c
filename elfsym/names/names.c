/*
 * Decides which files a module's names come from. A Go program's own table has all its functions.
 * Otherwise the module's own DWARF is best. Without it, the separate debug file provides DWARF and
 * a symbol table. Each source is read at first use: a list of symbols needs no DWARF, and with
 * DWARF, symbols are rarely needed.
 */
#include "elfsym/names/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elfsym/debug-files/minidebug.h"
#include "elfsym/names/saved-modules.h"

static bool open_dwarf(struct sprof_names *names, const struct sprof_image *debug, const char *path,
	struct sprof_error *err)
{
	const struct sprof_dwarf_source source = {
		.image = names->image,
		.debug = debug,
		.path = path,
		.places = names->places,
		.with_variables = names->with_variables,
	};

	return sprof_dwarf_open(&source, &names->dwarf, err);
}

/* An unreadable list counts as none: the command line has checked that it opens. */
static bool open_list(struct sprof_names *names, const char *path, struct sprof_error *err)
{
	struct sprof_error failure;

	if (sprof_symlist_open(SPROF_SYMLIST_SYSMAP, path, &names->list, &failure) ||
		failure.kind != SPROF_ERROR_NO_MEMORY)
		return true;
	*err = failure;
	return false;
}

static bool init_anonymous(struct sprof_names *names, struct sprof_error *err)
{
	if (strcmp(names->module->path, SPROF_MODULE_KERNEL) == 0)
		return names->list || open_list(names, "/proc/kallsyms", err);
	return sprof_names_refresh(names, err);
}

/* A module in another mount namespace may have its debug file there. */
static void look_inside(struct sprof_names *names)
{
	if (names->module->root_fd < 0)
		return;
	snprintf(names->inside, sizeof(names->inside), "/proc/self/fd/%d", names->module->root_fd);
	names->places_inside = *names->places;
	names->places_inside.inside = names->inside;
	names->places = &names->places_inside;
}

bool sprof_names_init(struct sprof_names *names, const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, struct sprof_error *err)
{
	struct sprof_error unreadable;

	*names = (struct sprof_names){.module = module, .places = places};
	look_inside(names);
	if (sysmap && !open_list(names, sysmap, err))
		return false;
	if (places->saved)
		return sprof_names_open_saved(names, err);
	if (module->kind == SPROF_MODULE_SCRIPT)
		return true;
	if (module->kind == SPROF_MODULE_ANONYMOUS)
		return init_anonymous(names, err);
	if (!sprof_image_open(module, &names->image, &unreadable)) {
		if (unreadable.kind != SPROF_ERROR_NO_MEMORY)
			return true;
		*err = unreadable;
		return false;
	}
	if (!sprof_dwarf_exists(names->image))
		names->debug = sprof_debugfile_open(names->image, module->path, names->places);
	return true;
}

void sprof_names_load_go(struct sprof_names *names)
{
	if (names->go_loaded)
		return;
	names->go_loaded = true;
	names->go = sprof_go_table_open(names->image);
}

/* DWARF without any code ranges counts as none; a few objects may bring such DWARF. */
bool sprof_names_load_dwarf(struct sprof_names *names, struct sprof_error *err)
{
	const char *path = names->module->path;

	if (names->dwarf_loaded)
		return true;
	names->dwarf_loaded = true;
	if (!names->debug && !open_dwarf(names, names->image, path, err))
		return false;
	if (names->dwarf)
		return true;
	if (!names->debug && sprof_dwarf_exists(names->image))
		names->debug = sprof_debugfile_open(names->image, path, names->places);
	return !names->debug || open_dwarf(names, names->debug, names->debug->own_path, err);
}

bool sprof_names_load_tail_calls(struct sprof_names *names, struct sprof_error *err)
{
	struct sprof_tail_calls_source source = {.image = names->image};

	if (!sprof_names_load_dwarf(names, err))
		return false;
	if (!names->dwarf || names->tail_calls)
		return true;
	if (names->image->is_bare && !sprof_names_load_symtab(names, err))
		return false;
	source.dwarf = names->dwarf;
	source.symtab = names->image->is_bare ? names->symtab : NULL;
	return sprof_tail_calls_create(&source, &names->tail_calls, err);
}

bool sprof_names_load_symtab(struct sprof_names *names, struct sprof_error *err)
{
	struct sprof_symtab_files files = {.image = names->image, .debug = names->debug};

	if (names->symtab)
		return true;
	if (!names->debug)
		names->inner = sprof_minidebug_open(names->image);
	files.inner = names->inner;
	return sprof_symtab_create(&files, &names->symtab, err);
}

bool sprof_names_load_starts(struct sprof_names *names, struct sprof_error *err)
{
	if (names->starts)
		return true;
	names->starts = calloc(1, sizeof(*names->starts));
	return names->starts ? sprof_code_starts_load(names->starts, names->image, false, err)
			     : sprof_error_no_memory(err);
}

bool sprof_names_load_fdes(struct sprof_names *names, struct sprof_error *err)
{
	if (names->fdes)
		return true;
	names->fdes = calloc(1, sizeof(*names->fdes));
	return names->fdes ? sprof_fdes_load(names->fdes, names->image, err)
			   : sprof_error_no_memory(err);
}

bool sprof_names_refresh(struct sprof_names *names, struct sprof_error *err)
{
	struct sprof_names_version version;
	struct sprof_symlist *list;
	struct sprof_error failure;
	struct stat status;

	if (names->module->kind != SPROF_MODULE_ANONYMOUS || names->module->fd < 0 ||
		fstat(names->module->fd, &status) != 0)
		return true;
	version = (struct sprof_names_version){
		.seconds = status.st_mtim.tv_sec,
		.nanoseconds = status.st_mtim.tv_nsec,
		.size = status.st_size,
	};
	if (names->list && memcmp(&version, &names->list_version, sizeof(version)) == 0)
		return true;
	if (!sprof_symlist_read(SPROF_SYMLIST_PERF_MAP, names->module->fd, names->module->path,
		    &list, &failure)) {
		if (failure.kind != SPROF_ERROR_NO_MEMORY)
			return true;
		*err = failure;
		return false;
	}
	sprof_symlist_destroy(names->list);
	names->list = list;
	names->list_version = version;
	return true;
}

void sprof_names_finish(struct sprof_names *names)
{
	if (names->fdes)
		sprof_fdes_finish(names->fdes);
	free(names->fdes);
	if (names->starts)
		sprof_code_starts_finish(names->starts);
	free(names->starts);
	free(names->wrong_file);
	sprof_symlist_destroy(names->list);
	sprof_symtab_destroy(names->symtab);
	sprof_tail_calls_destroy(names->tail_calls);
	sprof_dwarf_close(names->dwarf);
	sprof_cfi_destroy(names->cfi);
	sprof_go_table_close(names->go);
	sprof_image_close(names->inner);
	sprof_image_close(names->debug);
	sprof_image_close(names->image);
	*names = (struct sprof_names){0};
}
