/*
 * Lists the functions of a file once and keeps the wanted ones. Does not handle indirect functions
 * (STT_GNU_IFUNC): their name belongs to the resolver.
 */
#include "cmd/functions/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elfsym/elf/image.h"
#include "elfsym/names/demangle.h"

static bool add(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_listed *listed, uint64_t offset)
{
	const struct sprof_functions_options *options = table->options;
	char *name = strdup(listed->name);

	if (!name ||
		!sprof_array_reserve(
			&table->items, &table->capacity, table->count + 1, sizeof(*table->items))) {
		free(name);
		return false;
	}
	table->items[table->count++] = (struct sprof_function){
		name, module, offset, options->is_brief && options->is_brief(options->data, name)};
	return true;
}

/*
 * Another name of the function that was added last; the listing is sorted by address. NULL: it is of another
 * place.
 */
static struct sprof_function *find_known(const struct sprof_function_table *table,
	const struct sprof_module *module, uint64_t offset)
{
	struct sprof_function *last = table->count ? &table->items[table->count - 1] : NULL;

	return last && last->module == module && last->offset == offset ? last : NULL;
}

/* Of "__GI___nanosleep", "__nanosleep" and "nanosleep", the last is the common name. */
static bool is_plainer(const char *name, const char *than)
{
	return !sprof_is_mangled(name) && !sprof_is_mangled(than) &&
		strspn(name, "_") < strspn(than, "_");
}

static bool rename_function(struct sprof_function *function, const char *name)
{
	char *copy = strdup(name);

	if (!copy)
		return false;
	free((void *)function->name);
	function->name = copy;
	return true;
}

/* One of several names of a place. */
static bool add_name(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_listed *listed, uint64_t offset)
{
	const struct sprof_functions_options *options = table->options;
	struct sprof_function *known = find_known(table, module, offset);

	if (known && !is_plainer(listed->name, known->name))
		return true;
	if (!options->wants(options->data, module, listed))
		return true;
	return known ? rename_function(known, listed->name) : add(table, module, listed, offset);
}

static bool add_wanted(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_image *image, const struct sprof_listing *listing)
{
	uint64_t offset;

	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *listed = &listing->items[i];

		if (sprof_image_executable(image, listed->address) &&
			sprof_image_offset(image, listed->address, &offset) &&
			!add_name(table, module, listed, offset))
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
