/*
 * Lists the functions of a file once, and keeps the wanted ones with their jumps to their own first
 * instruction. If a function has a second part (f.cold), only the first one is searched for such
 * jumps.
 */
#include "cmd/functions/table.h"

#include <stdlib.h>
#include <string.h>

#include "attach/breakpoints/displace.h"
#include "base/array.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/demangle.h"

enum { LOOPS_MOST = 64 };

static enum sprof_breakpoint_way way_of(
	const struct sprof_functions_options *options, const struct sprof_listed *listed)
{
	if (listed->is_indirect)
		return SPROF_BREAKPOINT_RESOLVER;
	return options->is_brief && options->is_brief(options->data, listed->name)
		? SPROF_BREAKPOINT_BRIEF
		: SPROF_BREAKPOINT_CALL;
}

static bool find_loops(const struct sprof_image *image, const struct sprof_listed *listed,
	struct sprof_function *function)
{
	const uint8_t *code = sprof_image_at(image, listed->address, listed->size);
	uint32_t found[LOOPS_MOST];

	if (!code)
		return true;
	function->loop_count = sprof_displace_find_loops(code, listed->size, found, LOOPS_MOST);
	if (!function->loop_count)
		return true;
	function->loops = malloc(function->loop_count * sizeof(*found));
	if (function->loops)
		memcpy(function->loops, found, function->loop_count * sizeof(*found));
	return function->loops;
}

static bool add(struct sprof_function_table *table, const struct sprof_image *image,
	const struct sprof_listed *listed, const struct sprof_function *place)
{
	struct sprof_function function = *place;

	function.way = way_of(table->options, listed);
	function.name = strdup(listed->name);
	if (!function.name || !find_loops(image, listed, &function) ||
		!sprof_array_reserve(
			&table->items, &table->capacity, table->count + 1, sizeof(*table->items))) {
		free((void *)function.name);
		free(function.loops);
		return false;
	}
	table->items[table->count++] = function;
	return true;
}

/*
 * Another name of the function that was added last; the listing is sorted by address. NULL: it is
 * of another place.
 */
static struct sprof_function *find_known(
	const struct sprof_function_table *table, const struct sprof_function *place)
{
	struct sprof_function *last = table->count ? &table->items[table->count - 1] : NULL;

	return last && last->module == place->module && last->offset == place->offset ? last : NULL;
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

/* Adds a name of a known function. Calls by the name of an IFUNC enter what the code chooses. */
static bool join(struct sprof_function *known, const struct sprof_listed *listed,
	enum sprof_breakpoint_way way)
{
	const bool was_indirect = known->way == SPROF_BREAKPOINT_RESOLVER;
	const bool is_better = listed->is_indirect == was_indirect
		? is_plainer(listed->name, known->name)
		: listed->is_indirect;

	if (!was_indirect && way != SPROF_BREAKPOINT_CALL)
		known->way = way;
	return !is_better || rename_function(known, listed->name);
}

/* One of several names of a place. */
static bool add_name(struct sprof_function_table *table, const struct sprof_image *image,
	const struct sprof_listed *listed, const struct sprof_function *place)
{
	const struct sprof_functions_options *options = table->options;
	struct sprof_function *known = find_known(table, place);

	if (!options->wants(options->data, place->module, listed))
		return true;
	if (!known)
		return add(table, image, listed, place);
	return join(known, listed, way_of(options, listed));
}

/* catch_unwind() calls it with what was caught, in either mangling and of either module. */
static bool is_rust_catch(const char *name)
{
	return sprof_is_mangled(name) &&
		(strstr(name, "9panicking3try7cleanup") ||
			strstr(name, "9panicking12catch_unwind7cleanup"));
}

/*
 * The way to watch a landmark; CALL: the function is none. dlopen(3) and dlclose(3) call the first
 * one (glibc's elf/dl-debug.c, musl's ldso/dynlink.c).
 */
static enum sprof_breakpoint_way landmark_way(const char *name)
{
	static const struct {
		const char *name;
		enum sprof_breakpoint_way way;
	} landmarks[] = {
		{"_dl_debug_state", SPROF_BREAKPOINT_LOADER},
		{"longjmp", SPROF_BREAKPOINT_JUMP},
		{"_longjmp", SPROF_BREAKPOINT_JUMP},
		{"siglongjmp", SPROF_BREAKPOINT_JUMP},
		{"__libc_longjmp", SPROF_BREAKPOINT_JUMP},
		{"__libc_siglongjmp", SPROF_BREAKPOINT_JUMP},
		{"__longjmp_chk", SPROF_BREAKPOINT_JUMP},
		{"__cxa_begin_catch", SPROF_BREAKPOINT_CATCH},
	};

	for (size_t i = 0; i < sizeof(landmarks) / sizeof(landmarks[0]); i++) {
		if (!strcmp(landmarks[i].name, name))
			return landmarks[i].way;
	}
	return is_rust_catch(name) ? SPROF_BREAKPOINT_CATCH : SPROF_BREAKPOINT_CALL;
}

static bool add_landmark(struct sprof_function_table *table, const struct sprof_listed *listed,
	const struct sprof_function *place)
{
	struct sprof_function landmark = *place;

	landmark.way = landmark_way(listed->name);
	if (landmark.way == SPROF_BREAKPOINT_CALL)
		return true;
	if (!sprof_array_reserve(&table->landmarks, &table->landmark_capacity,
		    table->landmark_count + 1, sizeof(landmark)))
		return false;
	table->landmarks[table->landmark_count++] = landmark;
	return true;
}

static bool add_wanted(struct sprof_function_table *table, struct sprof_module *module,
	const struct sprof_image *image, const struct sprof_listing *listing)
{
	struct sprof_function place = {.module = module};

	for (size_t i = 0; i < listing->count; i++) {
		const struct sprof_listed *listed = &listing->items[i];

		place.address = listed->address;
		if (sprof_image_executable(image, listed->address) &&
			sprof_image_offset(image, listed->address, &place.offset) &&
			(!add_landmark(table, listed, &place) ||
				!add_name(table, image, listed, &place)))
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
	for (size_t i = 0; i < table->count; i++) {
		free((void *)table->items[i].name);
		free(table->items[i].loops);
	}
	free(table->items);
	free(table->landmarks);
	sprof_idmap_finish(&table->scanned);
}
