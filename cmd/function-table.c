/*
 * Lists the functions of a file once and keeps those that are wanted. Does not handle functions that
 * the loader chooses when the program runs (STT_GNU_IFUNC): the one that chooses is what has the name.
 */
#include "cmd/function-table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/image.h"

static bool add(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_listed *listed, uint64_t offset)
{
	char *name = strdup(listed->name);

	if (!name ||
		!sprof_array_reserve(
			&table->items, &table->capacity, table->count + 1, sizeof(*table->items))) {
		free(name);
		return false;
	}
	table->items[table->count++] = (struct sprof_function){name, module, offset};
	return true;
}

/* The listing is sorted by address: names of one place follow each other. */
static bool is_known(const struct sprof_function_table *table, const struct sprof_module *module,
	uint64_t offset)
{
	const struct sprof_function *last = table->count ? &table->items[table->count - 1] : NULL;

	return last && last->module == module && last->offset == offset;
}

/*
 * Who throws exceptions, or moves stacks, in programs that do: the C++ runtime, Rust's, Go's. They end
 * the program when a return address is not the one that the compiler knows.
 */
static bool is_unwinder(const char *name)
{
	return !strcmp(name, "_Unwind_RaiseException") || !strcmp(name, "runtime.gopanic");
}

static bool add_wanted(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_image *image, const struct sprof_listing *listing)
{
	const struct sprof_functions_options *options = table->options;
	uint64_t offset;

	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *listed = &listing->items[i];

		table->has_unwinder |= is_unwinder(listed->name);
		if (sprof_image_executable(image, listed->address) &&
			sprof_image_offset(image, listed->address, &offset) &&
			!is_known(table, module, offset) &&
			options->wants(options->data, module, listed) &&
			!add(table, module, listed, offset))
			return false;
	}
	return true;
}

static bool scan(struct sprof_function_table *table, struct sprof_module *module)
{
	const struct sprof_debug_places places = {0};
	struct sprof_listing listing = {0};
	struct sprof_image *image = NULL;
	struct sprof_error err = {0};
	bool done = true;

	if (sprof_image_open(module, &image, &err) &&
		sprof_listing_create(module, &places, NULL, SPROF_LISTING_FILE, &listing, &err))
		done = add_wanted(table, module, image, &listing);
	else
		table->unreadable++;
	sprof_listing_finish(&listing);
	sprof_image_close(image);
	return done;
}

bool sprof_function_table_scan(struct sprof_function_table *table, struct sprof_module *module)
{
	if (module->kind != SPROF_MODULE_FILE ||
		sprof_idmap_find(&table->scanned, 0, module->id) != SPROF_IDMAP_NONE)
		return true;
	return sprof_idmap_put(&table->scanned, 0, module->id, 0) && scan(table, module);
}

void sprof_function_table_finish(struct sprof_function_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free((void *)table->items[i].name);
	free(table->items);
	sprof_idmap_finish(&table->scanned);
}
