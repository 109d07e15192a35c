/*
 * Two sources must agree on each call: DWARF says which function it is meant for, and the
 * instruction says which code it enters. So neither a name that several functions have, nor one of
 * several copies of a function, can lead to the wrong one, and no name is looked up. The
 * instruction of most calls enters the function that is found on the stack: then DWARF isn't read.
 *
 * A call through the PLT enters no function of this file. Such a tail call, an indirect one, and
 * one without a description may lead anywhere. So may a function without DWARF, or one whose
 * compiler doesn't say that all its tail calls are described.
 */
#include "elfsym/tail-calls.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/idmap.h"
#include "elfsym/call-decode.h"
#include "elfsym/call-sites.h"

/* The tail calls of one function, a slice of all. */
struct entry {
	size_t first, count;
	bool leads_anywhere;
};

struct sprof_tail_calls {
	struct sprof_dwarf *dwarf;
	const struct sprof_image *image;
	struct sprof_idmap by_function; /* (0, address of the function) -> entry */
	struct entry *entries;
	size_t entry_count, entry_capacity;
	struct sprof_tail_call *calls;
	size_t call_count, call_capacity;
	struct sprof_call_sites sites; /* of the function that is being read */
};

struct sprof_tail_calls *sprof_tail_calls_create(
	struct sprof_dwarf *dwarf, const struct sprof_image *image)
{
	struct sprof_tail_calls *calls = calloc(1, sizeof(*calls));

	if (calls)
		*calls = (struct sprof_tail_calls){.dwarf = dwarf, .image = image};
	return calls;
}

void sprof_tail_calls_destroy(struct sprof_tail_calls *calls)
{
	if (!calls)
		return;
	sprof_idmap_finish(&calls->by_function);
	free(calls->entries);
	free(calls->calls);
	sprof_call_sites_finish(&calls->sites);
	free(calls);
}

/* Whether the call site's function begins at the target of its instruction. False: no memory. */
static bool enters(struct sprof_tail_calls *calls, const struct sprof_call_site *site,
	uint64_t target, bool *ret)
{
	struct sprof_dwarf_function function;

	*ret = false;
	if (!sprof_image_executable(calls->image, target))
		return true;
	if (!sprof_dwarf_find_function(calls->dwarf, target, &function))
		return false;
	*ret = function.dies && function.entry == target &&
		sprof_call_site_enters(site, &function.die);
	return true;
}

/* The first address that a jump of this size, which ends behind the site, has. */
static const uint8_t *jump_at(
	const struct sprof_tail_calls *calls, const struct sprof_call_site *site, size_t size)
{
	return site->address < size
		? NULL
		: sprof_image_at(calls->image, site->address - (site->is_behind ? size : 0), size);
}

/*
 * The jump's target. Where only the jump's end is known, each size is tried, and the target tells
 * whether it was the right one. *ret_found is false if the jump is none to a known function.
 */
static bool find_target(struct sprof_tail_calls *calls, const struct sprof_call_site *site,
	struct sprof_tail_call *ret, bool *ret_found)
{
	static const uint8_t sizes[] = {5, 4, 6, 2};

	*ret_found = false;
	for (size_t i = 0; !*ret_found && site->has_origin && i < sizeof(sizes); i++) {
		const uint8_t *code = jump_at(calls, site, sizes[i]);
		uint64_t begin = site->address - (site->is_behind ? sizes[i] : 0);

		if (!code ||
			sprof_call_decode_jump(SPROF_MACHINE, code, sizes[i], begin,
				&ret->target) != SPROF_CALL_DIRECT)
			continue;
		ret->place = begin;
		if (!enters(calls, site, ret->target, ret_found))
			return false;
	}
	return true;
}

static bool add_call(struct sprof_tail_calls *calls, const struct sprof_tail_call *call)
{
	if (!sprof_array_reserve(&calls->calls, &calls->call_capacity, calls->call_count + 1,
		    sizeof(*calls->calls)))
		return false;
	calls->calls[calls->call_count++] = *call;
	return true;
}

static bool add_tail_calls(struct sprof_tail_calls *calls, struct entry *entry)
{
	for (size_t i = 0; i < calls->sites.count; i++) {
		const struct sprof_call_site *site = &calls->sites.items[i];
		struct sprof_tail_call call;
		bool found;

		if (!site->is_tail)
			continue;
		if (!find_target(calls, site, &call, &found) || (found && !add_call(calls, &call)))
			return false;
		entry->leads_anywhere |= !found;
	}
	entry->count = calls->call_count - entry->first;
	return true;
}

static bool read_function(struct sprof_tail_calls *calls, uint64_t address, struct entry *entry)
{
	struct sprof_dwarf_function function;

	*entry = (struct entry){.first = calls->call_count};
	if (!sprof_dwarf_find_function(calls->dwarf, address, &function))
		return false;
	entry->leads_anywhere = true;
	if (!function.dies || function.entry != address)
		return true;
	if (!sprof_call_sites_read(&calls->sites, function.dies, &function.die))
		return false;
	entry->leads_anywhere = !calls->sites.has_all_tail_calls;
	return add_tail_calls(calls, entry);
}

static bool list_calls(void *data, uint64_t function, struct sprof_tail_list *ret)
{
	struct sprof_tail_calls *calls = data;
	uint32_t index = sprof_idmap_find(&calls->by_function, 0, function);
	const struct entry *entry;

	if (index == SPROF_IDMAP_NONE) {
		index = (uint32_t)calls->entry_count;
		if (!sprof_array_reserve(&calls->entries, &calls->entry_capacity,
			    calls->entry_count + 1, sizeof(*calls->entries)) ||
			!read_function(calls, function, &calls->entries[index]) ||
			!sprof_idmap_put(&calls->by_function, 0, function, index))
			return false;
		calls->entry_count++;
	}
	entry = &calls->entries[index];
	*ret = (struct sprof_tail_list){
		.items = calls->calls + entry->first,
		.count = entry->count,
		.leads_anywhere = entry->leads_anywhere,
	};
	return true;
}

/* Whether DWARF too says that the call, which is no tail call, is one of the target. */
static bool is_call_of(struct sprof_tail_calls *calls, uint64_t behind, uint64_t target, bool *ret)
{
	struct sprof_dwarf_function caller;

	*ret = false;
	if (!sprof_dwarf_find_function(calls->dwarf, behind - 1, &caller))
		return false;
	if (!caller.dies)
		return true;
	if (!sprof_call_sites_read(&calls->sites, caller.dies, &caller.die))
		return false;
	for (size_t i = 0; i < calls->sites.count; i++) {
		const struct sprof_call_site *site = &calls->sites.items[i];

		if (site->address == behind && site->is_behind && !site->is_tail)
			return enters(calls, site, target, ret);
	}
	return true;
}

/* 0: no direct call ends there. */
static uint64_t target_of(const struct sprof_tail_calls *calls, uint64_t behind)
{
	const uint8_t *before = behind < SPROF_CALL_LONGEST
		? NULL
		: sprof_image_at(calls->image, behind - SPROF_CALL_LONGEST, SPROF_CALL_LONGEST);
	uint64_t target;

	return before &&
			sprof_call_decode(SPROF_MACHINE, before, behind, &target) ==
				SPROF_CALL_DIRECT
		? target
		: 0;
}

static bool find(struct sprof_tail_calls *calls, uint64_t behind, uint64_t place,
	struct sprof_tail_path *ret)
{
	const struct sprof_tail_graph graph = {.data = calls, .calls = list_calls};
	uint64_t target = target_of(calls, behind);
	struct sprof_dwarf_function function;
	bool is_call;

	if (!target || target == place)
		return true;
	if (!sprof_dwarf_find_function(calls->dwarf, place, &function))
		return false;
	if (!function.dies || function.entry == target)
		return true;
	return is_call_of(calls, behind, target, &is_call) &&
		(!is_call || sprof_tail_path_find(&graph, target, function.entry, ret));
}

bool sprof_tail_calls_find(struct sprof_tail_calls *calls, uint64_t behind, uint64_t place,
	struct sprof_tail_path *ret, struct sprof_error *err)
{
	*ret = (struct sprof_tail_path){0};
	return find(calls, behind, place, ret) || sprof_error_no_memory(err);
}
