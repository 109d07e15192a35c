/*
 * Accounts of a heap: which memory is in use, where it was allocated, and sums. A block is one
 * piece of memory of one process. A site is a thread with a stack. A block counts for the site that
 * allocated it, whichever thread frees it; SPROF_HEAP_RELEASED alone is of the other one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"

#define SPROF_HEAP_NONE UINT32_MAX

struct sprof_heap_sum {
	uint64_t bytes, objects;
};

/* Sums, per site and in total. ALLOCATED = FREED + LIVE + LEFT + REPLACED. A resize counts as
 * freeing the old memory and allocating the new. */
enum sprof_heap_figure {
	SPROF_HEAP_ALLOCATED,
	SPROF_HEAP_FREED,
	SPROF_HEAP_LIVE,     /* in use now */
	SPROF_HEAP_LEFT,     /* still in use when its process ended */
	SPROF_HEAP_REPLACED, /* still in use when its process executed another program */
	/* freed blocks: those freed by their allocating thread before its next allocation */
	SPROF_HEAP_TEMPORARY,
	/* freed blocks again, at the site that has freed them, as far as its stack is known */
	SPROF_HEAP_RELEASED,
	SPROF_HEAP_FIGURES,
};

struct sprof_heap_site {
	uint32_t thread, stack;
	struct sprof_heap_sum sums[SPROF_HEAP_FIGURES];
	/* Private: LIVE at the peak with this number; see sprof_heap_at_peak(). */
	struct sprof_heap_sum at_peak;
	uint64_t peak_number;
};

enum sprof_heap_state {
	SPROF_HEAP_BLOCK_FREE,      /* unused entry */
	SPROF_HEAP_BLOCK_KNOWN,     /* can be found by address */
	SPROF_HEAP_BLOCK_IN_FLIGHT, /* being resized: its address may be reused soon */
	SPROF_HEAP_BLOCK_ADRIFT,    /* its address is unknown */
};

struct sprof_heap_block {
	uint64_t address, size;
	/* nonzero: the address is uncertain, except that it is a multiple of this */
	uint64_t alignment;
	uint64_t born_ns; /* of the first allocation; a resize does not change it */
	uint64_t serial;  /* sequence number of its allocation */
	uint32_t site, process;
	uint32_t resizes;
	uint32_t next, previous; /* in the list of its process; SPROF_HEAP_NONE: end */
	enum sprof_heap_state state;
};

struct sprof_heap_process {
	uint32_t first;     /* index of the first block; SPROF_HEAP_NONE: none */
	uint32_t uncertain; /* number of its blocks with an alignment */
	bool has_ended;     /* its blocks are counted as LEFT, not LIVE */
	uint64_t ended_ns;
};

struct sprof_heap_resizes {
	uint64_t count, moved;
	uint64_t grown, shrunk; /* resizes that changed the size */
	/* bytes copied by resizes that moved the block (the smaller of both sizes) */
	uint64_t moved_bytes;
	uint64_t longest;      /* the largest number of resizes of one block */
	uint32_t longest_site; /* the site of the last of them; SPROF_HEAP_NONE: none */
};

enum { SPROF_HEAP_SIZES = 65 };

/* Zeroed is empty and valid. Fields are read-only outside books.c. */
struct sprof_heap_books {
	struct sprof_heap_site *sites;
	size_t site_count, site_capacity;
	struct sprof_idmap by_place;
	struct sprof_heap_process *processes;
	size_t process_count, process_capacity;
	struct sprof_heap_block *blocks;
	size_t block_count, block_capacity;
	uint32_t free_block_plus_one; /* first entry of the list of free entries */
	struct sprof_idmap by_address;
	uint64_t serial; /* of the last allocation */

	struct sprof_heap_sum totals[SPROF_HEAP_FIGURES];
	/* The largest sum of bytes in use at any time. */
	struct sprof_heap_sum peak;
	uint64_t peak_ns, peak_number;
	/* [0]: zero bytes; [n]: from 2^(n-1) up to, but not including, 2^n bytes */
	struct sprof_heap_sum sizes[SPROF_HEAP_SIZES];
	struct sprof_histogram lifetimes; /* lifetimes of freed blocks, in ns */
	struct sprof_heap_resizes resizes;
	uint64_t replaced; /* allocations at an address still in use: the free was missed */
};

/* Finds or adds the site of a thread and stack. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_site(
	struct sprof_heap_books *books, uint32_t thread, uint32_t stack, uint32_t *ret_site);

/* Adds a process without blocks. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_process(struct sprof_heap_books *books, uint32_t *ret_process);
/* Process end: its blocks become LEFT; and the reverse, if it turns out to continue. */
void sprof_heap_process_end(struct sprof_heap_books *books, uint32_t process, uint64_t now_ns);
void sprof_heap_process_revive(struct sprof_heap_books *books, uint32_t process);
/* The process has executed another program: its blocks become REPLACED. */
void sprof_heap_process_replace(struct sprof_heap_books *books, uint32_t process);

struct sprof_heap_request {
	uint64_t time_ns;
	uint64_t address; /* 0: unknown */
	uint64_t size;
	uint64_t alignment; /* as in struct sprof_heap_block */
	uint32_t site, process;
};

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_allocate(
	struct sprof_heap_books *books, const struct sprof_heap_request *request);

/* The process's block at this address; SPROF_HEAP_NONE: unknown. */
uint32_t sprof_heap_find(const struct sprof_heap_books *books, uint32_t process, uint64_t address);
/*
 * The latest block of the process, among those with an uncertain address, that may be at this
 * address.
 */
uint32_t sprof_heap_find_adrift(
	const struct sprof_heap_books *books, uint32_t process, uint64_t address);

/* The site is about to free the block. */
void sprof_heap_release(struct sprof_heap_books *books, uint32_t block, uint32_t site);
/* `is_temporary`: see SPROF_HEAP_TEMPORARY. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_free(
	struct sprof_heap_books *books, uint32_t block, uint64_t now_ns, bool is_temporary);

/* Starts a resize: the block stays in use but is no longer found by address. */
void sprof_heap_take_off(struct sprof_heap_books *books, uint32_t block);
/* The resize failed: the block is found again. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_put_back(struct sprof_heap_books *books, uint32_t block);
/* Completes a resize with the new memory. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_heap_resize(
	struct sprof_heap_books *books, uint32_t block, const struct sprof_heap_request *request);

/* The memory of the site in use at the peak. The sum over all sites is the peak. */
struct sprof_heap_sum sprof_heap_at_peak(
	const struct sprof_heap_books *books, const struct sprof_heap_site *site);

void sprof_heap_finish(struct sprof_heap_books *books);
