/*
 * Where CPython stores its interpreters, threads, frames and code objects: offsets in bytes, which
 * differ between minor versions and not within one.
 */
#ifndef SPROF_INTERP_PYTHON_OFFSETS_H
#define SPROF_INTERP_PYTHON_OFFSETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	SPROF_PYTHON_NOWHERE = UINT32_MAX, /* this version has no such field */
	/* of struct _Py_DebugOffsets; a longer one has the same beginning */
	SPROF_PYTHON_DEBUG_BYTES = 888,
	/* bytes that are read at most, of a thread's state, a frame and a code object */
	SPROF_PYTHON_MOST_STATE = 1024,
	SPROF_PYTHON_MOST_FRAME = 256,
	SPROF_PYTHON_MOST_CODE = 512,
};

struct sprof_python_offsets {
	uint32_t version; /* 0x030b: 3.11 */
	/* in _PyRuntime, the interpreter, the state of a thread */
	uint32_t runtime_interpreters;
	uint32_t interpreter_next, interpreter_threads;
	uint32_t thread_next, thread_frame;
	uint32_t thread_id;    /* of pthread_self(); from 3.11 on the kernel's */
	uint32_t cframe_frame; /* thread_frame leads to a cframe, which leads to the frame */
	uint32_t thread_base;  /* leads to a frame below the outermost one; 0: there is none */
	/* in a frame */
	uint32_t frame_size, frame_previous, frame_code, frame_instruction;
	uint32_t frame_is_entry, frame_owner; /* one byte each */
	uint32_t frame_copy; /* four bytes: which copy of the bytecode it runs; 0: there are none */
	/* in a code object; the bytecode lies in it, or is an object of its own */
	uint32_t code_file, code_name, code_line, code_table, code_bytecode;
	uint32_t
		code_copies; /* leads to a number of copies, and their addresses; 0: there are none */
	/* in objects */
	uint32_t object_type, bytes_size, bytes_data;
	uint32_t text_length, text_state, ascii_data, wide_data;
	uint32_t
		text_kind; /* bits of a string's state in front of the kind; 0: two, as always with a GIL */
};

/* The kernel's id of a thread is in its state; earlier, what pthread_self() returns. */
static inline bool sprof_python_has_kernel_ids(const struct sprof_python_offsets *offsets)
{
	return offsets->version >= 0x030b;
}

/* From 3.11 on the bytecode lies in the code object, and frames point into it. */
static inline bool sprof_python_has_pointers(const struct sprof_python_offsets *offsets)
{
	return offsets->version >= 0x030b;
}

/* Of 3.8 to 3.12, from the headers that each version installs. NULL: another version. */
const struct sprof_python_offsets *sprof_python_offsets_of(uint32_t version);

/*
 * From 3.13 on, _PyRuntime begins with its own table, which is read from the process. False: these
 * bytes are no such table, it is of a version that is not known, or an offset is implausible.
 */
SPROF_MUST_USE bool sprof_python_offsets_parse(
	const uint8_t *bytes, size_t size, struct sprof_python_offsets *ret);

#endif
