/*
 * Whether a thread's frames are inside a `with` statement of a lock: nothing else records the owner
 * of a threading.Lock. While such a statement lasts, its frame keeps the lock's bound method
 * __exit__ on its stack of values; the code's table of exceptions says how much of that stack is in
 * use. A lock object begins with a pointer to a semaphore, or, in later releases of 3.13, with a
 * mutex. A thread waits for such a mutex on a semaphore on its own stack, behind the mutex's
 * address (Python/parking_lot.c, struct wait_entry). Does not find locks that acquire() has taken.
 */
#include <string.h>

#include "interp/python/python.h"

enum {
	WORD = 8,
	FIRST = 0x030b, /* frames have values at their end, codes a table of exceptions */
	LAST = 0x030d,  /* later frames keep no bound method */
	UNIT = 2,       /* bytes of an instruction, in which the table counts */
	MOST_TABLE = 16 * 1024,
	MOST_VALUES = 64,
	MOST_LOCALS = 4096,
	/* In objects, after the count of references and the type: */
	CODE_EXCEPTIONS = 40,
	METHOD_SELF = 24,
	LOCK_SEMAPHORE = 16, /* or the mutex */
};

/* What a thread waits on. The mutex is 0 if there is none. */
struct waited {
	uint64_t semaphore, mutex;
};

static bool read_all(
	const struct sprof_interp_memory *memory, uint64_t address, void *buffer, size_t size)
{
	return address && memory->read(memory->data, address, buffer, size) == size;
}

/* A number in groups of six bits, the highest first (Objects/exception_handling_notes.txt). */
static bool read_number(const uint8_t **at, const uint8_t *end, uint32_t *ret)
{
	uint8_t byte;

	*ret = 0;
	do {
		if (*at == end || *ret >> 24)
			return false;
		byte = *(*at)++;
		*ret = *ret << 6 | (byte & 0x3f);
	} while (byte & 0x40);
	return true;
}

/*
 * How many values an exception at this instruction (counted, not in bytes) would leave in the
 * frame. 0: also if no handler is there.
 */
static uint32_t depth_at(const uint8_t *table, size_t size, uint64_t instruction)
{
	const uint8_t *at = table, *end = table + size;
	uint32_t start, length, target, depth;

	while (read_number(&at, end, &start) && read_number(&at, end, &length) &&
		read_number(&at, end, &target) && read_number(&at, end, &depth)) {
		if (instruction >= start && instruction - start < length)
			return depth >> 1; /* the lowest bit is a flag */
	}
	return 0;
}

/* How many values of the frame are in use at least; *ret_locals are in front of them. */
static uint32_t count_values(const struct sprof_python_offsets *offsets,
	const struct sprof_interp_memory *memory, const struct sprof_interp_frame *frame,
	uint32_t *ret_locals)
{
	const uint64_t bytecode = frame->code + offsets->code_bytecode;
	uint8_t table[MOST_TABLE];
	uint64_t exceptions, size;

	if (frame->is_shim || frame->instruction < bytecode ||
		!read_all(memory, frame->code + offsets->code_line + sizeof(uint32_t), ret_locals,
			sizeof(*ret_locals)) ||
		*ret_locals > MOST_LOCALS ||
		!read_all(memory, frame->code + CODE_EXCEPTIONS, &exceptions, WORD) ||
		!read_all(memory, exceptions + offsets->bytes_size, &size, WORD) ||
		size > sizeof(table) ||
		!read_all(memory, exceptions + offsets->bytes_data, table, size))
		return 0;
	return depth_at(table, size, (frame->instruction - bytecode) / UNIT);
}

static bool is_method_of(
	const struct sprof_interp_memory *memory, uint64_t value, const struct waited *waited)
{
	uint64_t self, found;

	if (value % WORD || !read_all(memory, value + METHOD_SELF, &self, WORD) || self % WORD)
		return false;
	return (waited->mutex && self + LOCK_SEMAPHORE == waited->mutex) ||
		(read_all(memory, self + LOCK_SEMAPHORE, &found, WORD) &&
			found == waited->semaphore);
}

bool sprof_python_holds(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_copy *copy,
	uint64_t semaphore)
{
	const struct sprof_python_offsets *offsets = &sprof_python_of(process)->offsets;
	struct waited waited = {.semaphore = semaphore};
	uint64_t values[MOST_VALUES];

	if (offsets->version < FIRST || offsets->version > LAST || offsets->object_type != WORD)
		return false;
	if (!read_all(memory, semaphore - WORD, &waited.mutex, WORD))
		waited.mutex = 0;
	for (size_t i = 0; i < copy->frame_count; i++) {
		const struct sprof_interp_frame *frame = &copy->frames[i];
		uint32_t locals, count = count_values(offsets, memory, frame, &locals);

		if (!count || count > MOST_VALUES ||
			!read_all(memory,
				frame->address + offsets->frame_size + (uint64_t)locals * WORD,
				values, count * sizeof(*values)))
			continue;
		for (uint32_t j = 0; j < count; j++) {
			if (is_method_of(memory, values[j], &waited))
				return true;
		}
	}
	return false;
}
