/* Decides by name only: every function with an allocator's name is an allocator. */
#include "cmd/heap/choice.h"

#include <string.h>

/*
 * Lists the file's symbols again, because unwanted names were not kept. Returns false if that
 * fails.
 */
static bool has_runtime(const struct sprof_module *module)
{
	const struct sprof_debug_places places = {0};
	struct sprof_listing listing = {0};
	struct sprof_error err = {0};
	bool has_handler = false, has_own = false;

	if (sprof_listing_create(module, &places, NULL, SPROF_LISTING_FILE, &listing, &err)) {
		for (size_t i = 0; i < listing.count; i++) {
			has_handler |= !strcmp(listing.items[i].name, "_ZSt15get_new_handlerv");
			has_own |= !strcmp(listing.items[i].name, "mallocx");
		}
	}
	sprof_listing_finish(&listing);
	return has_handler && !has_own;
}

/*
 * operator new of the C++ runtime only calls malloc(). If the kernel watched it, it would change
 * its return address, and the exception that it throws without memory would not find its way. Other
 * allocators have operators that do the work themselves.
 */
static bool wants_operators(struct sprof_heap_choice *choice, const struct sprof_module *module)
{
	if (choice->listed != module) {
		choice->listed = module;
		choice->listed_has_runtime = has_runtime(module);
	}
	return !choice->listed_has_runtime;
}

const struct sprof_allocator *sprof_heap_choice_find(struct sprof_heap_choice *choice,
	const struct sprof_module *module, const struct sprof_listed *function)
{
	const struct sprof_allocator *allocator = sprof_allocator_find(function->name);

	if (!allocator || strncmp(function->name, "_Z", 2) != 0 || wants_operators(choice, module))
		return allocator;
	return NULL;
}
