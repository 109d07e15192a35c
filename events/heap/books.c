/*
 * Accounts of a heap. Does not handle calls or their order.
 *
 * The peak needs no copy of all sites. Each new peak has a number. When a site changes for the
 * first time after a peak, it saves its value at that peak. A site with an older saved number has
 * not changed since.
 */
#include "events/heap/books.h"

#include <assert.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/interned.h"
#include "base/numbers.h"

/* how many recent blocks of unknown address to search */
enum { ADRIFT_MAX = 4096 };

bool sprof_heap_site(
	struct sprof_heap_books *books, uint32_t thread, uint32_t stack, uint32_t *ret_site)
{
	const struct sprof_heap_site site = {.thread = thread, .stack = stack};
	const struct sprof_interned table = SPROF_INTERNED(
		&books->by_place, books->sites, books->site_count, books->site_capacity);

	return sprof_intern(&table, sprof_key(thread, stack), &site, ret_site);
}

bool sprof_heap_process(struct sprof_heap_books *books, uint32_t *ret_process)
{
	if (!sprof_array_reserve(&books->processes, &books->process_capacity,
		    books->process_count + 1, sizeof(*books->processes)))
		return false;
	*ret_process = (uint32_t)books->process_count++;
	books->processes[*ret_process] = (struct sprof_heap_process){.first = SPROF_HEAP_NONE};
	return true;
}

static void add(struct sprof_heap_sum *sum, uint64_t bytes)
{
	sum->bytes += bytes;
	sum->objects++;
}

static void take(struct sprof_heap_sum *sum, uint64_t bytes)
{
	assert(sum->objects && sum->bytes >= bytes);
	sum->bytes -= bytes;
	sum->objects--;
}

static void count(struct sprof_heap_books *books, uint32_t site, enum sprof_heap_figure figure,
	uint64_t bytes)
{
	add(&books->sites[site].sums[figure], bytes);
	add(&books->totals[figure], bytes);
}

/* Called before the site's use changes. */
static void note_peak(struct sprof_heap_books *books, struct sprof_heap_site *site)
{
	if (site->peak_number == books->peak_number)
		return;
	site->at_peak = site->sums[SPROF_HEAP_LIVE];
	site->peak_number = books->peak_number;
}

static void begin_use(struct sprof_heap_books *books, uint32_t site, uint64_t bytes)
{
	note_peak(books, &books->sites[site]);
	count(books, site, SPROF_HEAP_LIVE, bytes);
}

/* Moves memory in use to that figure. */
static void end_use(struct sprof_heap_books *books, uint32_t site, uint64_t bytes,
	enum sprof_heap_figure figure)
{
	note_peak(books, &books->sites[site]);
	take(&books->sites[site].sums[SPROF_HEAP_LIVE], bytes);
	take(&books->totals[SPROF_HEAP_LIVE], bytes);
	count(books, site, figure, bytes);
}

static void look_for_peak(struct sprof_heap_books *books, uint64_t now_ns)
{
	if (books->totals[SPROF_HEAP_LIVE].bytes <= books->peak.bytes)
		return;
	books->peak = books->totals[SPROF_HEAP_LIVE];
	books->peak_ns = now_ns;
	books->peak_number++;
}

struct sprof_heap_sum sprof_heap_at_peak(
	const struct sprof_heap_books *books, const struct sprof_heap_site *site)
{
	return site->peak_number == books->peak_number ? site->at_peak
						       : site->sums[SPROF_HEAP_LIVE];
}

static bool reserve_block(struct sprof_heap_books *books)
{
	return books->free_block_plus_one ||
		sprof_array_reserve(&books->blocks, &books->block_capacity, books->block_count + 1,
			sizeof(*books->blocks));
}

/* There is room. */
static uint32_t take_block(struct sprof_heap_books *books)
{
	const uint32_t block = books->free_block_plus_one - 1;

	if (!books->free_block_plus_one)
		return (uint32_t)books->block_count++;
	books->free_block_plus_one = books->blocks[block].next + 1;
	return block;
}

static void chain(struct sprof_heap_books *books, uint32_t block)
{
	struct sprof_heap_block *item = &books->blocks[block];
	struct sprof_heap_process *process = &books->processes[item->process];

	process->uncertain += item->alignment != 0;
	item->previous = SPROF_HEAP_NONE;
	item->next = process->first;
	if (item->next != SPROF_HEAP_NONE)
		books->blocks[item->next].previous = block;
	process->first = block;
}

static void unchain(struct sprof_heap_books *books, uint32_t block)
{
	const struct sprof_heap_block *item = &books->blocks[block];
	struct sprof_heap_process *process = &books->processes[item->process];

	process->uncertain -= item->alignment != 0;
	if (item->next != SPROF_HEAP_NONE)
		books->blocks[item->next].previous = item->previous;
	if (item->previous != SPROF_HEAP_NONE)
		books->blocks[item->previous].next = item->next;
	else
		process->first = item->next;
}

/* Frees the entry. */
static void drop(struct sprof_heap_books *books, uint32_t block)
{
	struct sprof_heap_block *item = &books->blocks[block];

	if (item->state == SPROF_HEAP_BLOCK_KNOWN)
		sprof_idmap_remove(&books->by_address, item->process, item->address);
	unchain(books, block);
	*item = (struct sprof_heap_block){.next = books->free_block_plus_one - 1};
	books->free_block_plus_one = block + 1;
}

uint32_t sprof_heap_find(const struct sprof_heap_books *books, uint32_t process, uint64_t address)
{
	return sprof_idmap_find(&books->by_address, process, address);
}

uint32_t sprof_heap_find_adrift(
	const struct sprof_heap_books *books, uint32_t process, uint64_t address)
{
	uint32_t block = books->processes[process].first;

	if (!books->processes[process].uncertain)
		return SPROF_HEAP_NONE;
	for (size_t i = 0; block != SPROF_HEAP_NONE && i < ADRIFT_MAX; i++) {
		const struct sprof_heap_block *item = &books->blocks[block];

		if (item->alignment && item->state != SPROF_HEAP_BLOCK_IN_FLIGHT &&
			address % item->alignment == 0)
			return block;
		block = item->next;
	}
	return SPROF_HEAP_NONE;
}

/*
 * An address is never allocated twice: the block there was freed, or never existed. Returns false
 * if out of memory.
 */
static bool find_by_address(struct sprof_heap_books *books, uint32_t block, uint64_t now_ns)
{
	struct sprof_heap_block *item = &books->blocks[block];
	const uint32_t before = sprof_heap_find(books, item->process, item->address);

	item->state = SPROF_HEAP_BLOCK_ADRIFT;
	if (!item->address)
		return true;
	if (before != SPROF_HEAP_NONE && books->blocks[before].alignment)
		books->blocks[before].state = SPROF_HEAP_BLOCK_ADRIFT;
	else if (before != SPROF_HEAP_NONE) {
		books->replaced++;
		if (!sprof_heap_free(books, before, now_ns, false))
			return false;
	}
	if (!sprof_idmap_put(&books->by_address, item->process, item->address, block))
		return false;
	item->state = SPROF_HEAP_BLOCK_KNOWN;
	return true;
}

static unsigned size_class(uint64_t size)
{
	return size ? 64 - (unsigned)__builtin_clzll(size) : 0;
}

static void count_allocation(
	struct sprof_heap_books *books, const struct sprof_heap_request *request)
{
	count(books, request->site, SPROF_HEAP_ALLOCATED, request->size);
	begin_use(books, request->site, request->size);
	add(&books->sizes[size_class(request->size)], request->size);
}

bool sprof_heap_allocate(struct sprof_heap_books *books, const struct sprof_heap_request *request)
{
	uint32_t block;

	if (!reserve_block(books))
		return false;
	block = take_block(books);
	books->blocks[block] = (struct sprof_heap_block){
		.address = request->address,
		.size = request->size,
		.alignment = request->alignment,
		.born_ns = request->time_ns,
		.serial = ++books->serial,
		.site = request->site,
		.process = request->process,
	};
	chain(books, block);
	count_allocation(books, request);
	/* The block at this address before is not part of a peak. */
	if (!find_by_address(books, block, request->time_ns))
		return false;
	look_for_peak(books, request->time_ns);
	return true;
}

void sprof_heap_release(struct sprof_heap_books *books, uint32_t block, uint32_t site)
{
	count(books, site, SPROF_HEAP_RELEASED, books->blocks[block].size);
}

bool sprof_heap_free(
	struct sprof_heap_books *books, uint32_t block, uint64_t now_ns, bool is_temporary)
{
	const struct sprof_heap_block item = books->blocks[block];

	assert(item.state != SPROF_HEAP_BLOCK_FREE);
	end_use(books, item.site, item.size, SPROF_HEAP_FREED);
	if (is_temporary)
		count(books, item.site, SPROF_HEAP_TEMPORARY, item.size);
	drop(books, block);
	return sprof_histogram_add(&books->lifetimes, sprof_minus(now_ns, item.born_ns));
}

void sprof_heap_take_off(struct sprof_heap_books *books, uint32_t block)
{
	struct sprof_heap_block *item = &books->blocks[block];

	if (item->state == SPROF_HEAP_BLOCK_KNOWN)
		sprof_idmap_remove(&books->by_address, item->process, item->address);
	item->state = SPROF_HEAP_BLOCK_IN_FLIGHT;
}

bool sprof_heap_put_back(struct sprof_heap_books *books, uint32_t block)
{
	return find_by_address(books, block, books->blocks[block].born_ns);
}

static void count_resize(struct sprof_heap_books *books, const struct sprof_heap_block *before,
	const struct sprof_heap_request *request)
{
	struct sprof_heap_resizes *resizes = &books->resizes;

	resizes->count++;
	resizes->grown += request->size > before->size;
	resizes->shrunk += request->size < before->size;
	if (request->address != before->address) {
		resizes->moved++;
		resizes->moved_bytes += request->size < before->size ? request->size : before->size;
	}
	if (before->resizes + 1 > resizes->longest) {
		resizes->longest = before->resizes + 1;
		resizes->longest_site = request->site;
	}
}

bool sprof_heap_resize(
	struct sprof_heap_books *books, uint32_t block, const struct sprof_heap_request *request)
{
	struct sprof_heap_block *item = &books->blocks[block];

	assert(item->state == SPROF_HEAP_BLOCK_IN_FLIGHT && request->process == item->process);
	count_resize(books, item, request);
	end_use(books, item->site, item->size, SPROF_HEAP_FREED);
	count_allocation(books, request);
	item->address = request->address;
	item->size = request->size;
	item->site = request->site;
	books->processes[item->process].uncertain -= item->alignment != 0;
	item->alignment = 0;
	item->resizes++;
	item->serial = ++books->serial;
	if (!find_by_address(books, block, request->time_ns))
		return false;
	look_for_peak(books, request->time_ns);
	return true;
}

void sprof_heap_process_end(struct sprof_heap_books *books, uint32_t process, uint64_t now_ns)
{
	struct sprof_heap_process *ended = &books->processes[process];

	if (ended->has_ended)
		return;
	ended->has_ended = true;
	ended->ended_ns = now_ns;
	for (uint32_t i = ended->first; i != SPROF_HEAP_NONE; i = books->blocks[i].next)
		end_use(books, books->blocks[i].site, books->blocks[i].size, SPROF_HEAP_LEFT);
}

void sprof_heap_process_revive(struct sprof_heap_books *books, uint32_t process)
{
	struct sprof_heap_process *revived = &books->processes[process];

	if (!revived->has_ended)
		return;
	revived->has_ended = false;
	for (uint32_t i = revived->first; i != SPROF_HEAP_NONE; i = books->blocks[i].next) {
		const struct sprof_heap_block *block = &books->blocks[i];

		take(&books->sites[block->site].sums[SPROF_HEAP_LEFT], block->size);
		take(&books->totals[SPROF_HEAP_LEFT], block->size);
		begin_use(books, block->site, block->size);
	}
	look_for_peak(books, revived->ended_ns);
}

void sprof_heap_process_replace(struct sprof_heap_books *books, uint32_t process)
{
	const struct sprof_heap_process *replaced = &books->processes[process];

	while (replaced->first != SPROF_HEAP_NONE) {
		const uint32_t block = replaced->first;

		end_use(books, books->blocks[block].site, books->blocks[block].size,
			SPROF_HEAP_REPLACED);
		drop(books, block);
	}
}

void sprof_heap_finish(struct sprof_heap_books *books)
{
	free(books->sites);
	free(books->processes);
	free(books->blocks);
	sprof_idmap_finish(&books->by_place);
	sprof_idmap_finish(&books->by_address);
	sprof_histogram_finish(&books->lifetimes);
	*books = (struct sprof_heap_books){0};
}
