/*
 * What an ELF file with CPython reveals: the address of its state, and which code is its evaluation
 * loop.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"

enum sprof_python_part {
	SPROF_PYTHON_OTHER, /* any other code */
	SPROF_PYTHON_LOOP,  /* the evaluation loop: one native frame per entry from C */
	/* instruction functions, called by the loop */
	SPROF_PYTHON_INSTRUCTION,
	/* calls between nested loops, and the start of program and threads */
	SPROF_PYTHON_PLUMBING,
	/* called by the loop before its frame exists, or after it is removed */
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
	uint64_t code_type;                /* the type object of code objects; 0: unknown */
	uint32_t version;                  /* 0x030b: 3.11; 0: not in the file */
	struct sprof_python_range *ranges; /* sorted, without overlap; from malloc() */
	size_t range_count, range_capacity;
	bool is_stripped; /* only exported functions have symbols */
};

/*
 * Returns false if the file contains no CPython, or out of memory. Uses link-time facts only: the
 * caller checks in the process that _PyRuntime is valid.
 */
SPROF_MUST_USE bool sprof_python_file_read(
	const struct sprof_image *image, struct sprof_python_file *ret);
/* Zeroed is accepted. */
void sprof_python_file_finish(struct sprof_python_file *file);

/* The kind of code at a file offset. */
enum sprof_python_part sprof_python_file_part(
	const struct sprof_python_file *file, uint64_t offset);
