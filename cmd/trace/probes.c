/*
 * Finds functions in files by name. Does not handle indirect functions (STT_GNU_IFUNC): the
 * resolver would be probed.
 */
#include "cmd/trace/probes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/module.h"
#include "cmd/cli/program-file.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/demangle.h"
#include "elfsym/names/listing.h"

/* The user's text, and the file that it refers to. */
struct wanted {
	size_t column;
	char function[1024];
	char path[PATH_MAX];
	bool is_return;
	int64_t number;
};

/* Copies without surrounding quotes. Returns false if the text is empty or too long. */
static bool copy_unquoted(const char *from, size_t length, char *ret, size_t size)
{
	if (length > 1 && from[0] == '"' && from[length - 1] == '"') {
		from++;
		length -= 2;
	}
	if (!length || length >= size)
		return false;
	memcpy(ret, from, length);
	ret[length] = '\0';
	return true;
}

/* Where the file's name begins; an @ in quotes belongs to the function's name. NULL: no file. */
static const char *find_at(const char *text)
{
	bool is_quoted = false;

	for (; *text; text++) {
		if (*text == '"')
			is_quoted = !is_quoted;
		else if (*text == '@' && !is_quoted)
			return text;
	}
	return NULL;
}

static bool split(const struct sprof_trace_probes *probes, const struct sprof_event_suffix *name,
	struct wanted *ret, struct sprof_error *err)
{
	const char *at = find_at(name->text);
	const size_t length = at ? (size_t)(at - name->text) : strlen(name->text);

	*ret = (struct wanted){.column = name->column,
		.is_return = name->type == SPROF_TRACE_RETURN,
		.number = probes->next_number};
	if (!copy_unquoted(name->text, length, ret->function, sizeof(ret->function)))
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: the name of a function is missing", name->column);
	if (!at)
		return sprof_program_find(probes->program, probes->pid, ret->path, err);
	if (copy_unquoted(at + 1, strlen(at + 1), ret->path, sizeof(ret->path)))
		return true;
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "column %zu: the path of a file is missing", name->column);
	return sprof_error_hint(err, "a path has quotes: uprobe:malloc@\"/path/of/libc.so.6\"");
}

static bool is_called(const char *linkage, const char *name)
{
	SPROF_AUTO_FREE char *plain = NULL;

	if (!strcmp(linkage, name))
		return true;
	plain = sprof_is_mangled(linkage) ? sprof_demangle(linkage) : NULL;
	return plain && !strcmp(plain, name);
}

static bool add_probe(struct sprof_trace_probes *probes, const struct wanted *wanted,
	uint64_t address, uint64_t offset, bool is_listed, struct sprof_error *err)
{
	char *path = strdup(wanted->path);
	struct stat status = {0};

	if (!path ||
		!sprof_array_reserve(&probes->items, &probes->capacity, probes->count + 1,
			sizeof(*probes->items))) {
		free(path);
		return sprof_error_no_memory(err);
	}
	(void)stat(path, &status);
	probes->items[probes->count++] = (struct sprof_trace_place){
		.path = path,
		.device = status.st_dev,
		.inode = status.st_ino,
		.address = address,
		.offset = offset,
		.is_return = wanted->is_return,
		.is_listed = is_listed,
		.number = wanted->number,
	};
	return true;
}

static bool is_known(const struct sprof_trace_probes *probes, size_t first, uint64_t offset)
{
	for (size_t i = first; i < probes->count; i++) {
		if (probes->items[i].offset == offset)
			return true;
	}
	return false;
}

static bool is_listed(const struct sprof_listing *listing, uint64_t address)
{
	for (size_t i = 0; i < listing->count; i++) {
		if (listing->items[i].address == address)
			return true;
	}
	return false;
}

/* An address of code, or all functions of the name; several names may begin at one place. */
static bool add_all(struct sprof_trace_probes *probes, const struct wanted *wanted,
	const struct sprof_image *image, const struct sprof_listing *listing,
	struct sprof_error *err)
{
	const size_t first = probes->count;
	uint64_t offset, address;
	char *end;

	if (!strncmp(wanted->function, "0x", 2)) {
		address = strtoull(wanted->function, &end, 16);
		return *end || !sprof_image_executable(image, address) ||
			!sprof_image_offset(image, address, &offset) ||
			add_probe(
				probes, wanted, address, offset, is_listed(listing, address), err);
	}
	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *listed = &listing->items[i];

		if (is_called(listed->name, wanted->function) &&
			sprof_image_offset(image, listed->address, &offset) &&
			!is_known(probes, first, offset) &&
			!add_probe(probes, wanted, listed->address, offset, true, err))
			return false;
	}
	return true;
}

static bool find_functions(struct sprof_trace_probes *probes, const struct wanted *wanted,
	struct sprof_module *module, struct sprof_error *err)
{
	struct sprof_debug_places places = {0};
	struct sprof_listing listing = {0};
	struct sprof_image *image = NULL;
	const size_t before = probes->count;
	bool done = sprof_image_open(module, &image, err) &&
		sprof_listing_create(module, &places, NULL, SPROF_LISTING_FILE, &listing, err) &&
		add_all(probes, wanted, image, &listing, err);

	if (done && probes->count == before) {
		done = sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: there is no function '%s' in %s", wanted->column,
			wanted->function, wanted->path);
		sprof_error_hint(err, "sprof symbols %s lists them", wanted->path);
	}
	sprof_listing_finish(&listing);
	sprof_image_close(image);
	return done;
}

static const struct sprof_trace_place *find_equal(
	const struct sprof_trace_probes *probes, size_t end, const struct sprof_trace_place *wanted)
{
	for (size_t i = 0; i < end; i++) {
		const struct sprof_trace_place *probe = &probes->items[i];

		if (probe->offset == wanted->offset && probe->is_return == wanted->is_return &&
			!strcmp(probe->path, wanted->path))
			return probe;
	}
	return NULL;
}

/* The same functions again are the same probes: one event takes part in both positions. */
static bool find_same(const struct sprof_trace_probes *probes, size_t added, int64_t *ret_number)
{
	const struct sprof_trace_place *first = find_equal(probes, added, &probes->items[added]);

	for (size_t i = added; first && i < probes->count; i++) {
		const struct sprof_trace_place *equal =
			find_equal(probes, added, &probes->items[i]);

		if (!equal || equal->number != first->number)
			return false;
	}
	if (first)
		*ret_number = first->number;
	return first;
}

static void drop_from(struct sprof_trace_probes *probes, size_t first)
{
	while (probes->count > first)
		free((void *)probes->items[--probes->count].path);
}

bool sprof_trace_probes_add(struct sprof_trace_probes *probes,
	const struct sprof_event_suffix *name, int64_t *ret_number, struct sprof_error *err)
{
	struct sprof_modules *modules = sprof_modules_create();
	const size_t before = probes->count;
	struct sprof_module *module;
	struct wanted wanted;
	bool done;

	if (!modules)
		return sprof_error_no_memory(err);
	*ret_number = probes->next_number;
	done = split(probes, name, &wanted, err) &&
		sprof_program_open(modules, wanted.path, &module, err) &&
		find_functions(probes, &wanted, module, err);
	if (done && probes->count > before && find_same(probes, before, ret_number))
		drop_from(probes, before);
	else
		probes->next_number++;
	sprof_modules_destroy(modules);
	return done;
}

bool sprof_trace_probes_have_returns(const struct sprof_trace_probes *probes)
{
	for (size_t i = 0; i < probes->count; i++) {
		if (probes->items[i].is_return)
			return true;
	}
	return false;
}

const struct sprof_probe *sprof_trace_probes_begins(struct sprof_trace_probes *probes)
{
	if (!probes->begins)
		probes->begins = calloc(probes->count + 1, sizeof(*probes->begins));
	for (size_t i = 0; probes->begins && i < probes->count; i++) {
		const struct sprof_trace_place *place = &probes->items[i];

		probes->begins[i] = (struct sprof_probe){place->path, place->offset, place->number};
	}
	return probes->begins;
}

bool sprof_trace_probes_check(const struct sprof_trace_probes *probes, struct sprof_error *err)
{
	for (size_t i = 0; i < probes->count; i++) {
		const struct sprof_trace_place *place = &probes->items[i];

		if (place->is_listed)
			continue;
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"no function begins at 0x%" PRIx64
			" of %s: a breakpoint there may be inside "
			"an instruction",
			place->address, place->path);
		return sprof_error_hint(
			err, "as root, uprobe: without uretprobe: works at any address");
	}
	return true;
}

static bool is_of(const struct sprof_trace_place *place, const struct sprof_module *module)
{
	struct stat status;

	return module->fd >= 0 && !fstat(module->fd, &status) && status.st_dev == place->device &&
		status.st_ino == place->inode;
}

bool sprof_trace_probes_want(const struct sprof_trace_probes *probes,
	const struct sprof_module *module, uint64_t address)
{
	for (size_t i = 0; i < probes->count; i++) {
		if (probes->items[i].address == address && is_of(&probes->items[i], module))
			return true;
	}
	return false;
}

bool sprof_trace_probes_next(const struct sprof_trace_probes *probes,
	const struct sprof_function *function, bool is_return, size_t *next, int64_t *ret_number)
{
	while (*next < probes->count) {
		const struct sprof_trace_place *place = &probes->items[(*next)++];

		if (place->offset != function->offset || place->is_return != is_return ||
			!is_of(place, function->module))
			continue;
		*ret_number = place->number;
		return true;
	}
	return false;
}

void sprof_trace_probes_finish(struct sprof_trace_probes *probes)
{
	for (size_t i = 0; i < probes->count; i++)
		free((void *)probes->items[i].path);
	free(probes->items);
	free(probes->begins);
	*probes = (struct sprof_trace_probes){0};
}
