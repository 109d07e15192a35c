/*
 * Private to interp/: CPython in a process.
 */
#pragma once

#include "base/idmap.h"
#include "interp/python/offsets.h"
#include "interp/runtime.h"

enum { SPROF_PYTHON_TEXT = 512 }; /* maximum bytes of a name */

struct sprof_python_codes;

struct sprof_python_process {
	struct sprof_interp_process common;
	const struct sprof_python_file *file;
	struct sprof_python_offsets offsets;
	uint64_t address;   /* of _PyRuntime */
	uint64_t code_type; /* address of the type object of code objects; 0: unknown */
	struct sprof_python_codes *codes;
};

/* A process whose runtime is CPython. */
static inline const struct sprof_python_process *sprof_python_of(
	const struct sprof_interp_process *process)
{
	return (const struct sprof_python_process *)process;
}

/* Functions of the row in the table of runtimes: see runtime.h. */

/* find.c */
void sprof_python_find_thread(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread *thread);
bool sprof_python_has_several(
	const struct sprof_interp_process *process, const struct sprof_interp_memory *memory);

/* frames.c */
struct sprof_memory_piece *sprof_python_pieces(const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy,
	size_t *ret_count);
void sprof_python_copy(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy);

/* blocks.c */
SPROF_MUST_USE bool sprof_python_learn(const struct sprof_interp_process *process,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy);

/* codes.c */
SPROF_MUST_USE bool sprof_python_name_frames(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, struct sprof_modules *modules,
	const struct sprof_interp_copy *copy, const struct sprof_frame **ret);

/* holds.c */
bool sprof_python_holds(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_copy *copy,
	uint64_t semaphore);

/* Shared by these files only. */

/* codes.c: code objects, read once each. Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_python_codes *sprof_python_codes_create(void);
void sprof_python_codes_destroy(struct sprof_python_codes *codes);

/*
 * text.c: the text of a str object in UTF-8. Returns false if it is none, or can't be read.
 */
SPROF_MUST_USE bool sprof_python_text(const struct sprof_python_offsets *offsets,
	const struct sprof_interp_memory *memory, uint64_t address, char *buffer, size_t size);

/*
 * names.c: the name of the thread with this outermost frame, of Thread._bootstrap() in the
 * module threading. Returns false if the thread has ended, or the version has another layout.
 */
SPROF_MUST_USE bool sprof_python_thread_name(const struct sprof_python_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_frame *frame,
	char *buffer, size_t size);

/*
 * lines.c: the line of an instruction (offset in the bytecode, in bytes; negative: the
 * function has not begun), by the code object's table. 0: none.
 */
uint32_t sprof_python_line(
	uint32_t version, const uint8_t *table, size_t size, uint32_t first, int64_t instruction);
