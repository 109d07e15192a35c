/*
 * The books of a heap: which memory is in use, who asked for it, and sums of it. A block is one piece of
 * memory of one process. A site is a thread with a stack; what it allocates is charged to it until
 * its end, whoever frees it.
 */
#ifndef SPROF_EVENTS_HEAP_BOOKS_H
#define SPROF_EVENTS_HEAP_BOOKS_H

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

/* What is summed up, of each site and of all. ALLOCATED is the sum of FREED, LIVE, LEFT and REPLACED. A
 * resize frees the old memory and allocates the new one. */
enum sprof_heap_figure {
	SPROF_HEAP_ALLOCATED,
	SPROF_HEAP_FREED,
	SPROF_HEAP_LIVE,      /* in use now */
	SPROF_HEAP_LEFT,      /* still in use when its process ended */
	SPROF_HEAP_REPLACED,  /* still in use when its process became another program */
	SPROF_HEAP_TEMPORARY, /* of those freed: by the thread that has allocated nothing since */
	SPROF_HEAP_FIGURES,
};

struct sprof_heap_site {
	uint32_t thread, stack;
	struct sprof_heap_sum sums[SPROF_HEAP_FIGURES];
	/* Private: LIVE at the peak that has this number; see sprof_heap_at_peak(). */
	struct sprof_heap_sum at_peak;
	uint64_t peak_number;
};

enum sprof_heap_state {
	SPROF_HEAP_BLOCK_FREE,      /* the entry is not used */
	SPROF_HEAP_BLOCK_KNOWN,     /* found by its address */
	SPROF_HEAP_BLOCK_IN_FLIGHT, /* being resized: its address may be another block's soon */
	SPROF_HEAP_BLOCK_ADRIFT,    /* its address is not known */
};

struct sprof_heap_block {
	uint64_t address, size;
	uint64_t alignment; /* of a block whose address may be wrong; 0: it is right */
	uint64_t born_ns;   /* a resize makes it no younger */
	uint64_t serial;    /* the number of its allocation */
	uint32_t site, process;
	uint32_t resizes;
	uint32_t next, previous; /* of its process; SPROF_HEAP_NONE: none */
	enum sprof_heap_state state;
};

struct sprof_heap_process {
	uint32_t first;     /* block; SPROF_HEAP_NONE: none */
	uint32_t uncertain; /* how many of its blocks have an alignment */
	bool has_ended;     /* its blocks are LEFT, not LIVE */
	uint64_t ended_ns;
};

/* How memory was resized. */
struct sprof_heap_resizes {
	uint64_t count, moved;
	uint64_t grown, shrunk; /* the others keep their size */
	uint64_t moved_bytes;   /* that had to be copied: the smaller size of each that moved */
	uint64_t longest;       /* the most resizes of one block, */
	uint32_t longest_site;  /* that who asked for the last of them; SPROF_HEAP_NONE: none */
};

enum { SPROF_HEAP_SIZES = 65 };

/* Zeroed is empty and valid. Others only read the fields. */
struct sprof_heap_books {
	struct sprof_heap_site *sites;
	size_t site_count, site_capacity;
	struct sprof_idmap by_place;
	struct sprof_heap_process *processes;
	size_t process_count, process_capacity;
	struct sprof_heap_block *blocks;
	size_t block_count, block_capacity;
	uint32_t free_block_plus_one; /* the first of those that are not used, by `next` */
	struct sprof_idmap by_address;
	uint64_t serial; /* of the last allocation */

	struct sprof_heap_sum totals[SPROF_HEAP_FIGURES];
	/* The most bytes that were in use at one time. */
	struct sprof_heap_sum peak;
	uint64_t peak_ns, peak_number;
	/* [0]: of no byte; [n]: from 2^(n-1) bytes on, below 2^n */
	struct sprof_heap_sum sizes[SPROF_HEAP_SIZES];
	struct sprof_histogram lifetimes; /* of blocks that were freed, in ns */
	struct sprof_heap_resizes resizes;
	uint64_t replaced; /* addresses that were given again without a free that was seen */
};

/* The site of that thread and stack. False: no memory. */
SPROF_MUST_USE bool sprof_heap_site(
	struct sprof_heap_books *books, uint32_t thread, uint32_t stack, uint32_t *ret_site);

/* A new process, without a block. False: no memory. */
SPROF_MUST_USE bool sprof_heap_process(struct sprof_heap_books *books, uint32_t *ret_process);
/* Its end: what it has not freed is LEFT. And that it goes on nevertheless. */
void sprof_heap_process_end(struct sprof_heap_books *books, uint32_t process, uint64_t now_ns);
void sprof_heap_process_revive(struct sprof_heap_books *books, uint32_t process);
/* Its memory is gone, because it has become another program. */
void sprof_heap_process_replace(struct sprof_heap_books *books, uint32_t process);

/* What a block is to be. */
struct sprof_heap_request {
	uint64_t time_ns;
	uint64_t address; /* 0: not known */
	uint64_t size;
	uint64_t alignment; /* as in a block */
	uint32_t site, process;
};

/* False: no memory. */
SPROF_MUST_USE bool sprof_heap_allocate(
	struct sprof_heap_books *books, const struct sprof_heap_request *request);

/* The process's block at this address; SPROF_HEAP_NONE: no one has allocated it. */
uint32_t sprof_heap_find(const struct sprof_heap_books *books, uint32_t process, uint64_t address);
/* The last block of the process that may be at this address, because its own is not certain. */
uint32_t sprof_heap_find_adrift(
	const struct sprof_heap_books *books, uint32_t process, uint64_t address);

/* `is_temporary`: see SPROF_HEAP_TEMPORARY. False: no memory. */
SPROF_MUST_USE bool sprof_heap_free(
	struct sprof_heap_books *books, uint32_t block, uint64_t now_ns, bool is_temporary);

/* The block stays in use, but another one may be found at its address. */
void sprof_heap_take_off(struct sprof_heap_books *books, uint32_t block);
/* It was not resized. False: no memory. */
SPROF_MUST_USE bool sprof_heap_put_back(struct sprof_heap_books *books, uint32_t block);
/* Its memory is what the request says from now on. False: no memory. */
SPROF_MUST_USE bool sprof_heap_resize(
	struct sprof_heap_books *books, uint32_t block, const struct sprof_heap_request *request);

/* What of the site was in use at the peak. All sites together have the peak's sum. */
struct sprof_heap_sum sprof_heap_at_peak(
	const struct sprof_heap_books *books, const struct sprof_heap_site *site);

void sprof_heap_finish(struct sprof_heap_books *books);

#endif
