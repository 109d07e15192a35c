/*
 * Offsets in bytes of CPython's interpreters, threads, frames and code objects. They differ between
 * minor versions, but not within one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	SPROF_PYTHON_NOWHERE = UINT32_MAX, /* no such field in this version */
	/* of struct _Py_DebugOffsets; longer versions begin with the same fields */
	SPROF_PYTHON_DEBUG_BYTES = 888,
	/* maximum bytes read of a thread state, a frame and a code object */
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
	uint32_t thread_id;    /* pthread_self(); since 3.11 the kernel's tid */
	uint32_t cframe_frame; /* thread_frame points to a cframe, which points to the frame */
	uint32_t thread_base;  /* points to a frame below the outermost one; 0: none */
	/* in a frame */
	uint32_t frame_size, frame_previous, frame_code, frame_instruction;
	uint32_t frame_is_entry, frame_owner; /* one byte each */
	uint32_t frame_copy; /* four bytes: which copy of the bytecode it runs; 0: no copies */
	/* in a code object; the bytecode is inside it, or a separate object */
	uint32_t code_file, code_name, code_line, code_table, code_bytecode;
	uint32_t code_copies; /* points to the number of copies and their addresses; 0: no copies */
	/* in objects */
	uint32_t object_type, bytes_size, bytes_data;
	uint32_t text_length, text_state, ascii_data, wide_data;
	/* bits before the kind in a string's state; 0: two, as always with a GIL */
	uint32_t text_kind;
};

/* The kernel's tid is in the thread state; earlier versions store pthread_self(). */
static inline bool sprof_python_has_kernel_ids(const struct sprof_python_offsets *offsets)
{
	return offsets->version >= 0x030b;
}

/* Since 3.11 the bytecode is in the code object, and frames point into it. */
static inline bool sprof_python_has_pointers(const struct sprof_python_offsets *offsets)
{
	return offsets->version >= 0x030b;
}

/* For 3.8 to 3.12, from the installed headers of each version. NULL: another version. */
const struct sprof_python_offsets *sprof_python_offsets_of(uint32_t version);

/*
 * Since 3.13, _PyRuntime begins with a table of offsets, which is read from the process. Returns
 * false if these bytes are not such a table, its version is unknown, or an offset is implausible.
 */
SPROF_MUST_USE bool sprof_python_offsets_parse(
	const uint8_t *bytes, size_t size, struct sprof_python_offsets *ret);
