/*
 * What an ELF file that contains CPython tells about it: where its state is, and which code is its
 * evaluation loop.
 */
#ifndef SPROF_ELFSYM_PYTHON_FILE_H
#define SPROF_ELFSYM_PYTHON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/image.h"

enum sprof_python_part {
	SPROF_PYTHON_OTHER, /* any other code */
	SPROF_PYTHON_LOOP,  /* the evaluation loop: one native frame for each entry from C */
	/* instructions of a loop that has a function for each: called by the loop */
	SPROF_PYTHON_INSTRUCTION,
	/* calls that lead from one loop to the next, and how the program or a thread begins */
	SPROF_PYTHON_PLUMBING,
	/* what the loop calls before it has its frame, or when it has taken it away */
	SPROF_PYTHON_EDGE,
	SPROF_PYTHON_NAMELESS, /* code without a symbol */
};

/* Code between two offsets of the file. */
struct sprof_python_range {
	uint64_t begin, end;
	enum sprof_python_part part;
};

struct sprof_python_file {
	uint64_t runtime;                  /* _PyRuntime: link-time address */
	uint64_t code_type;                /* the type of code objects; 0: not known */
	uint32_t version;                  /* 0x030b: 3.11; 0: the file doesn't say */
	struct sprof_python_range *ranges; /* sorted, without overlap; from malloc() */
	size_t range_count, range_capacity;
	bool is_stripped; /* only exported functions have symbols */
};

/*
 * False: the file has no CPython in it (or there is no memory). Only link-time facts are used: the
 * caller checks in the process that _PyRuntime is what it claims to be.
 */
SPROF_MUST_USE bool sprof_python_file_read(
	const struct sprof_image *image, struct sprof_python_file *ret);
/* Zeroed is accepted. */
void sprof_python_file_finish(struct sprof_python_file *file);

/* Which code is at an offset of the file. */
enum sprof_python_part sprof_python_file_part(
	const struct sprof_python_file *file, uint64_t offset);

#endif
