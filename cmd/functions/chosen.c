/*
 * Finds the functions that a running program has chosen for its IFUNCs: their resolvers were called
 * before sprof attached. The loader has stored the results in slots, which relocations describe. A
 * slot that is bound at its first call is not set yet; its resolver will be called.
 */
#include "cmd/functions/state.h"

#include <string.h>

#include "attach/breakpoints/breakpoints.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/plt.h"
#include "events/functions/breakpoint-events.h"

/* The slots of one file in a process. */
struct search {
	struct sprof_functions *functions;
	struct sprof_process *process;
	const struct sprof_module *module;
	const struct sprof_image *image;
	uint64_t bias; /* of the file's addresses */
};

static bool is_of(const struct search *search, const struct sprof_plt_entry *slot,
	const struct sprof_function *function)
{
	if (function->way != SPROF_BREAKPOINT_RESOLVER)
		return false;
	if (slot->name)
		return !strcmp(slot->name, function->name);
	return function->module == search->module && slot->resolver == function->address;
}

/* Until the first call, a slot leads back to the file's own entry for it. */
static bool is_unbound(
	const struct search *search, const struct sprof_plt_entry *slot, uint64_t chosen)
{
	const uint8_t *bytes = sprof_image_at(search->image, slot->address, sizeof(uint64_t));
	uint64_t initial = 0;

	if (bytes)
		memcpy(&initial, bytes, sizeof(initial));
	return initial && chosen == search->bias + initial;
}

static void watch_slot(const struct search *search, const struct sprof_plt_entry *slot,
	const struct sprof_function *function, int64_t number)
{
	struct sprof_process *process = search->process;
	const struct sprof_mapping *mapping;
	uint64_t chosen;

	if (sprof_process_read_memory(process, process->pid, search->bias + slot->address, &chosen,
		    sizeof(chosen)) != sizeof(chosen))
		return;
	mapping = sprof_maps_find(&process->maps, chosen);
	if (!mapping || !mapping->executable || mapping->module != function->module->id ||
		is_unbound(search, slot, chosen) || sprof_breakpoint_is_tagged(process, chosen))
		return;
	if (!sprof_breakpoint_events_add(process, chosen, number, SPROF_BREAKPOINT_CALL))
		search->functions->not_watched++;
}

static bool take_slot(void *data, const struct sprof_plt_entry *slot)
{
	const struct search *search = data;
	const struct sprof_function_table *table = &search->functions->table;

	for (size_t i = 0; i < table->count; i++) {
		if (is_of(search, slot, &table->items[i]))
			watch_slot(search, slot, &table->items[i], (int64_t)i);
	}
	return true;
}

static void search_module(struct search *search, const struct sprof_mapping *mapping)
{
	struct sprof_image *image = NULL;
	struct sprof_error ignored;
	uint64_t address;

	search->module = sprof_modules_get(search->functions->options.modules, mapping->module);
	if (search->module->kind != SPROF_MODULE_FILE ||
		!sprof_image_open(search->module, &image, &ignored))
		return;
	if (sprof_image_code_address(image, mapping->offset, &address)) {
		search->image = image;
		search->bias = mapping->start - address;
		if (!sprof_plt_visit_slots(image, take_slot, search))
			search->functions->out_of_memory = true;
	}
	sprof_image_close(image);
}

static bool has_indirect(const struct sprof_function_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->items[i].way == SPROF_BREAKPOINT_RESOLVER)
			return true;
	}
	return false;
}

void sprof_functions_watch_chosen(struct sprof_functions *functions, struct sprof_process *process)
{
	struct search search = {.functions = functions, .process = process};
	const struct sprof_maps *maps = &process->maps;

	if (!functions->breakpoints || !has_indirect(&functions->table))
		return;
	for (size_t i = 0; i < maps->count; i++) {
		if (maps->items[i].executable && maps->items[i].module != SPROF_MAPPING_NO_MODULE)
			search_module(&search, &maps->items[i]);
	}
}
