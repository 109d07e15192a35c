/*
 * Two sources must agree on each call: DWARF names the called function, and the instruction shows
 * which code it enters. So an ambiguous name or one of several copies can't lead to the wrong
 * function, and no name is looked up. Most call instructions enter the function found on the stack:
 * then DWARF is not read. A debug file has no instructions: there, DWARF and symbol names must
 * suffice (call-entries.c).
 *
 * A call through the PLT enters no function of this file. Such a tail call, an indirect one, and
 * one without a description may lead anywhere. So may a function without DWARF, or one whose
 * compiler doesn't say that all its tail calls are described.
 *
 * Each function's calls are read once, and each path is searched once. The effort per file is
 * limited; beyond the limit, functions may lead anywhere.
 */
#include "elfsym/code/tail-calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/interned.h"
#include "base/search.h"
#include "elfsym/code/call-decode.h"
#include "elfsym/code/call-entries.h"
#include "elfsym/dwarf/call-sites.h"

/* The largest programs take a small part of each. */
enum { MAX_DIES = 16 << 20, MAX_SITES = 2 << 20, MAX_SEARCHED = 16 << 20 };

/* The calls of one function: slices of all sites and of all tail calls. */
struct entry {
	size_t first_site, site_count; /* by address */
	size_t first, count;
	bool has_tail_calls; /* these were looked for */
	bool leads_anywhere;
};

struct sprof_tail_calls {
	struct sprof_dwarf *dwarf;
	const struct sprof_image *image;
	struct sprof_call_entries *by_name; /* NULL: the image has code */
	struct sprof_idmap by_function;     /* (0, DIE of the function) -> entry */
	struct entry *entries;
	size_t entry_count, entry_capacity;
	struct sprof_call_sites sites;
	struct sprof_tail_call *calls;
	size_t call_count, call_capacity;
	struct sprof_idmap by_ends; /* (function, function) -> path */
	struct sprof_tail_path *paths;
	size_t path_count, path_capacity;
	size_t left; /* calls and functions that searches may still look at */
};

/* A call in a function, and where it goes to. */
struct call {
	const struct sprof_dwarf_function *caller;
	const struct sprof_call_site *site;
};

bool sprof_tail_calls_create(const struct sprof_tail_calls_source *source,
	struct sprof_tail_calls **ret, struct sprof_error *err)
{
	struct sprof_tail_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return sprof_error_no_memory(err);
	*calls = (struct sprof_tail_calls){
		.dwarf = source->dwarf,
		.image = source->image,
		.sites.left = {.dies = MAX_DIES, .sites = MAX_SITES},
		.left = MAX_SEARCHED,
	};
	if (source->symtab)
		calls->by_name = sprof_call_entries_create(source->dwarf, source->symtab);
	if (source->symtab && !calls->by_name) {
		free(calls);
		return sprof_error_no_memory(err);
	}
	*ret = calls;
	return true;
}

void sprof_tail_calls_destroy(struct sprof_tail_calls *calls)
{
	if (!calls)
		return;
	for (size_t i = 0; i < calls->path_count; i++)
		sprof_tail_path_finish(&calls->paths[i]);
	sprof_idmap_finish(&calls->by_function);
	sprof_idmap_finish(&calls->by_ends);
	sprof_call_entries_destroy(calls->by_name);
	free(calls->entries);
	free(calls->calls);
	free(calls->paths);
	sprof_call_sites_finish(&calls->sites);
	free(calls);
}

static int compare_sites(const void *left, const void *right)
{
	const struct sprof_call_site *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/*
 * The calls of a function, read once. *ret is valid until the next one is read. Returns false if
 * out of memory.
 */
static bool read_sites(struct sprof_tail_calls *calls, const struct sprof_dwarf_function *function,
	struct entry **ret)
{
	const struct sprof_interned entries = SPROF_INTERNED(
		&calls->by_function, calls->entries, calls->entry_count, calls->entry_capacity);
	const size_t before = calls->entry_count;
	struct entry entry = {.first_site = calls->sites.count};
	Dwarf_Die die = function->die;
	uint32_t index;
	bool has_all;

	if (!sprof_intern(&entries, sprof_key(0, (uintptr_t)die.addr), &entry, &index))
		return false;
	*ret = &calls->entries[index];
	if (index < before)
		return true;
	if (!sprof_call_sites_add(&calls->sites, &die, &has_all))
		return false;
	entry.site_count = calls->sites.count - entry.first_site;
	entry.leads_anywhere = !has_all;
	if (entry.site_count)
		qsort(calls->sites.items + entry.first_site, entry.site_count,
			sizeof(*calls->sites.items), compare_sites);
	**ret = entry;
	return true;
}

/*
 * Whether the call's function begins at the target of its instruction. Returns false if out of
 * memory.
 */
static bool enters(
	struct sprof_tail_calls *calls, const struct call *call, uint64_t target, bool *ret)
{
	struct sprof_dwarf_function function;
	Dwarf_Die origin;

	*ret = false;
	if (!sprof_image_executable(calls->image, target))
		return true;
	if (!sprof_dwarf_find_function(calls->dwarf, target, &function))
		return false;
	*ret = function.scopes && function.entry == target &&
		sprof_call_site_origin(call->site, &call->caller->die, &origin) &&
		sprof_call_origin_is(&origin, &function.die);
	return true;
}

/* The bytes of a jump of this size, if the call is one; NULL: not in the file. */
static const uint8_t *jump_at(
	const struct sprof_tail_calls *calls, const struct sprof_call_site *site, size_t size)
{
	return site->address < size
		? NULL
		: sprof_image_at(calls->image, site->address - (site->is_behind ? size : 0), size);
}

/* If only the jump's end is known, each size is tried, and the target shows which is right. */
static bool find_jump(struct sprof_tail_calls *calls, const struct call *call,
	struct sprof_tail_call *ret, bool *ret_found)
{
	static const uint8_t sizes[] = {5, 4, 6, 2};
	const struct sprof_call_site *site = call->site;

	for (size_t i = 0; !*ret_found && i < sizeof(sizes); i++) {
		const uint8_t *code = jump_at(calls, site, sizes[i]);
		uint64_t begin = site->address - (site->is_behind ? sizes[i] : 0);

		if (!code ||
			sprof_call_decode_jump(SPROF_MACHINE, code, sizes[i], begin,
				&ret->target) != SPROF_CALL_DIRECT)
			continue;
		ret->place = begin;
		if (!enters(calls, call, ret->target, ret_found))
			return false;
	}
	return true;
}

/* 0: not certain. */
static bool find_by_name(struct sprof_tail_calls *calls, const struct call *call, uint64_t *ret)
{
	Dwarf_Die origin;

	*ret = 0;
	return !sprof_call_site_origin(call->site, &call->caller->die, &origin) ||
		sprof_call_entries_find(calls->by_name, &origin, call->caller, ret);
}

/* *ret_found is false if the tail call is none of a known function. */
static bool find_tail_call(struct sprof_tail_calls *calls, const struct call *call,
	struct sprof_tail_call *ret, bool *ret_found)
{
	*ret_found = false;
	if (!calls->by_name)
		return find_jump(calls, call, ret, ret_found);
	ret->place = call->site->address - call->site->is_behind;
	if (!find_by_name(calls, call, &ret->target))
		return false;
	*ret_found = ret->target;
	return true;
}

static bool add_tail_calls(struct sprof_tail_calls *calls,
	const struct sprof_dwarf_function *function, struct entry *entry)
{
	for (size_t i = 0; i < entry->site_count; i++) {
		const struct call call = {function, &calls->sites.items[entry->first_site + i]};
		struct sprof_tail_call found;
		bool is_found;

		if (!call.site->is_tail)
			continue;
		if (!find_tail_call(calls, &call, &found, &is_found))
			return false;
		entry->leads_anywhere |= !is_found;
		if (!is_found)
			continue;
		if (!SPROF_ARRAY_APPEND(
			    calls->calls, calls->call_count, calls->call_capacity, found))
			return false;
	}
	return true;
}

static bool read_tail_calls(struct sprof_tail_calls *calls,
	const struct sprof_dwarf_function *function, struct entry **ret)
{
	if (!read_sites(calls, function, ret))
		return false;
	if ((*ret)->has_tail_calls)
		return true;
	(*ret)->has_tail_calls = true;
	(*ret)->first = calls->call_count;
	if (!add_tail_calls(calls, function, *ret))
		return false;
	(*ret)->count = calls->call_count - (*ret)->first;
	return true;
}

/* Returns false if the limit for this file is reached. */
static bool take(struct sprof_tail_calls *calls, size_t count)
{
	bool has_enough = count <= calls->left;

	calls->left = has_enough ? calls->left - count : 0;
	return has_enough;
}

static bool list_calls(void *data, uint64_t address, struct sprof_tail_list *ret)
{
	struct sprof_tail_calls *calls = data;
	struct sprof_dwarf_function function;
	struct entry *entry;

	*ret = (struct sprof_tail_list){.leads_anywhere = true};
	if (!take(calls, 1))
		return true;
	if (!sprof_dwarf_find_function(calls->dwarf, address, &function))
		return false;
	if (!function.scopes || function.entry != address)
		return true;
	if (!read_tail_calls(calls, &function, &entry))
		return false;
	if (!take(calls, entry->count))
		return true;
	*ret = (struct sprof_tail_list){
		.items = calls->calls + entry->first,
		.count = entry->count,
		.leads_anywhere = entry->leads_anywhere,
	};
	return true;
}

/* The call, which is no tail call, that returns to this address; NULL if there is none. */
static const struct sprof_call_site *find_site(
	const struct sprof_tail_calls *calls, const struct entry *entry, uint64_t behind)
{
	const struct sprof_call_site *begin = calls->sites.items + entry->first_site;
	size_t low = sprof_lower_bound(begin, entry->site_count, SPROF_KEY(begin, address, behind));

	for (; low < entry->site_count && begin[low].address == behind; low++) {
		if (begin[low].is_behind && !begin[low].is_tail)
			return &begin[low];
	}
	return NULL;
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

/*
 * Keeps *target if DWARF agrees that the call enters it, so that there is no tail call; else sets
 * it to 0.
 */
static bool confirm(struct sprof_tail_calls *calls, uint64_t behind, uint64_t *target)
{
	struct sprof_dwarf_function caller;
	struct call call = {.caller = &caller};
	struct entry *entry;
	bool is_target;

	if (!sprof_dwarf_find_function(calls->dwarf, behind - 1, &caller))
		return false;
	if (caller.scopes && !read_sites(calls, &caller, &entry))
		return false;
	call.site = caller.scopes ? find_site(calls, entry, behind) : NULL;
	if (call.site && calls->by_name)
		return find_by_name(calls, &call, target);
	if (call.site && !enters(calls, &call, *target, &is_target))
		return false;
	if (!call.site || !is_target)
		*target = 0;
	return true;
}

static bool copy_path(const struct sprof_tail_path *path, struct sprof_tail_path *ret)
{
	*ret = *path;
	if (!path->count)
		return true;
	ret->steps = calloc(path->count, sizeof(*ret->steps));
	if (!ret->steps)
		return false;
	memcpy(ret->steps, path->steps, path->count * sizeof(*ret->steps));
	return true;
}

static bool find_path(
	struct sprof_tail_calls *calls, uint64_t from, uint64_t to, struct sprof_tail_path *ret)
{
	const struct sprof_tail_graph graph = {.data = calls, .calls = list_calls};
	uint32_t index = sprof_idmap_find(&calls->by_ends, from, to);

	if (index != SPROF_IDMAP_NONE)
		return copy_path(&calls->paths[index], ret);
	index = (uint32_t)calls->path_count;
	if (!sprof_array_reserve(&calls->paths, &calls->path_capacity, calls->path_count + 1,
		    sizeof(*calls->paths)) ||
		!sprof_idmap_put(&calls->by_ends, from, to, index))
		return false;
	calls->paths[calls->path_count++] = (struct sprof_tail_path){0};
	return sprof_tail_path_find(&graph, from, to, &calls->paths[index]) &&
		copy_path(&calls->paths[index], ret);
}

static bool find(struct sprof_tail_calls *calls, uint64_t behind, uint64_t place,
	struct sprof_tail_path *ret)
{
	uint64_t target = calls->by_name ? 0 : target_of(calls, behind);
	struct sprof_dwarf_function function;

	if (!calls->by_name && (!target || target == place))
		return true;
	if (!sprof_dwarf_find_function(calls->dwarf, place, &function))
		return false;
	if (!function.scopes || function.entry == target)
		return true;
	if (!confirm(calls, behind, &target))
		return false;
	return !target || target == function.entry || find_path(calls, target, function.entry, ret);
}

bool sprof_tail_calls_find(struct sprof_tail_calls *calls, uint64_t behind, uint64_t place,
	struct sprof_tail_path *ret, struct sprof_error *err)
{
	*ret = (struct sprof_tail_path){0};
	return find(calls, behind, place, ret) || sprof_error_no_memory(err);
}
