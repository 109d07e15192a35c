/*
 * Reads the frames of a stopped thread. One system call reads the thread's state and the blocks
 * where its frames were last time, together with the native stack if the caller wants; frames
 * elsewhere take one more each. Frames on the native stack were copied with it. Does not allocate.
 * Trusts no pointer: every frame must be readable, and their number is limited.
 */
#include <string.h>

#include "base/search.h"
#include "interp/python/python.h"

enum {
	WORD = 8,
	MOST_MISSES = 1024, /* system calls in one copy */
	CALLERS = 1,        /* pieces that the caller reads for itself */
	BEFORE = 1024,      /* bytes in front of a missed frame, where its callers are */
	PAGE = 4096,
	SHIM_OWNER = 3, /* this and all later owners: no frame of Python code */
	TAGS = 7,       /* of the pointer to a code object, since 3.14 */
};

struct reading {
	const struct sprof_python_offsets *offsets;
	const struct sprof_interp_memory *memory;
	const struct sprof_interp_stack *stack;
	struct sprof_interp_copy *copy;
	struct sprof_memory_piece *pieces; /* the last read's, then those that a frame lacked */
	size_t count, most;
	size_t known; /* the last read's: sorted, no two overlap */
	size_t last;  /* the piece of the last frame: the next one is near */
	bool is_full; /* there was no room for a frame, or too many calls were needed */
	uint8_t frame[SPROF_PYTHON_MOST_FRAME];
};

static uint64_t word_at(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static const uint8_t *within(const struct sprof_memory_piece *piece, uint64_t address, size_t size)
{
	const uint64_t offset = address - piece->address;

	return offset < piece->got && piece->got - offset >= size
		? (const uint8_t *)piece->buffer + offset
		: NULL;
}

static const uint8_t *find_known(struct reading *reading, uint64_t address, size_t size)
{
	const size_t low = sprof_upper_bound(
		reading->pieces, reading->known, SPROF_KEY(reading->pieces, address, address));

	if (!low)
		return NULL;
	reading->last = low - 1;
	return within(&reading->pieces[low - 1], address, size);
}

static const uint8_t *find(struct reading *reading, uint64_t address, size_t size)
{
	const uint64_t above = address - reading->stack->base;
	const uint8_t *found = NULL;

	if (reading->count)
		found = within(&reading->pieces[reading->last], address, size);
	if (!found && above < reading->stack->size && reading->stack->size - above >= size)
		found = reading->stack->bytes + above;
	if (!found)
		found = find_known(reading, address, size);
	for (size_t i = reading->known; !found && i < reading->count; i++) {
		found = within(&reading->pieces[i], address, size);
		if (found)
			reading->last = i;
	}
	return found;
}

/* Reads a frame and the bytes before it in its page: since 3.11 its callers are there. */
static const uint8_t *read_around(struct reading *reading, uint64_t address, size_t size)
{
	struct sprof_interp_copy *copy = reading->copy;
	uint64_t begin = address - address % PAGE;
	size_t wanted, got;

	if (address - begin > BEFORE)
		begin = address - BEFORE;
	wanted = address - begin + size;
	if (reading->count == reading->most || copy->capacity - copy->size < wanted)
		return NULL;
	got = reading->memory->read(reading->memory->data, begin, copy->bytes + copy->size, wanted);
	if (got < wanted)
		return NULL;
	reading->pieces[reading->count] = (struct sprof_memory_piece){
		.address = begin, .buffer = copy->bytes + copy->size, .size = got, .got = got};
	reading->last = reading->count++;
	copy->size += got;
	return copy->bytes + copy->size - size;
}

/* NULL: it can't be read, or too many can't be found at once. */
static const uint8_t *bytes_at(struct reading *reading, uint64_t address, size_t size)
{
	const uint8_t *found = find(reading, address, size);

	if (found || size > sizeof(reading->frame))
		return found;
	if (reading->copy->misses++ == MOST_MISSES) {
		reading->is_full = true;
		return NULL;
	}
	if (sprof_python_has_pointers(reading->offsets))
		found = read_around(reading, address, size);
	if (found)
		return found;
	if (reading->memory->read(reading->memory->data, address, reading->frame, size) < size)
		return NULL;
	return reading->frame;
}

/* A shim has no code object; the field must not be followed. */
static struct sprof_interp_frame frame_of(
	const struct sprof_python_offsets *offsets, uint64_t address, const uint8_t *bytes)
{
	struct sprof_interp_frame frame = {.address = address};
	uint32_t number;

	frame.is_shim = offsets->frame_owner != SPROF_PYTHON_NOWHERE &&
		bytes[offsets->frame_owner] >= SHIM_OWNER;
	frame.is_entry = frame.is_shim || !sprof_python_has_pointers(offsets) ||
		(offsets->frame_is_entry != SPROF_PYTHON_NOWHERE && bytes[offsets->frame_is_entry]);
	if (frame.is_shim)
		return frame;
	frame.code = word_at(bytes, offsets->frame_code);
	if (offsets->version >= 0x030e)
		frame.code &= ~(uint64_t)TAGS;
	if (sprof_python_has_pointers(offsets)) {
		frame.instruction = word_at(bytes, offsets->frame_instruction);
		if (offsets->frame_copy)
			memcpy(&frame.copy, bytes + offsets->frame_copy, sizeof(frame.copy));
		return frame;
	}
	memcpy(&number, bytes + offsets->frame_instruction, sizeof(number));
	frame.instruction = number;
	return frame;
}

/* To the outermost one, which is above the frame `base`, or 0. */
static bool read_frames(struct reading *reading, uint64_t address, uint64_t base)
{
	struct sprof_interp_copy *copy = reading->copy;

	for (; address && address != base; copy->frame_count++) {
		const uint8_t *bytes;

		if (copy->frame_count == copy->frame_capacity) {
			reading->is_full = true;
			return false;
		}
		bytes = bytes_at(reading, address, reading->offsets->frame_size);
		if (!bytes)
			return false;
		copy->frames[copy->frame_count] = frame_of(reading->offsets, address, bytes);
		address = word_at(bytes, reading->offsets->frame_previous);
	}
	return true;
}

/* How much of a thread's state is read. */
static size_t state_size(const struct sprof_python_offsets *offsets)
{
	uint32_t last = offsets->thread_frame;

	if (last < offsets->thread_id)
		last = offsets->thread_id;
	return (last < offsets->thread_base ? offsets->thread_base : last) + WORD;
}

struct sprof_memory_piece *sprof_python_pieces(const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy, size_t *ret_count)
{
	const size_t size = state_size(&sprof_python_of(process)->offsets);
	struct sprof_memory_piece *pieces = copy->pieces;
	size_t count = CALLERS;

	copy->asked = NULL;
	copy->size = 0;
	if (!thread->state_count || thread->serial != process->serial)
		return NULL;
	for (size_t i = 0; i < thread->state_count; i++)
		pieces[count++] = (struct sprof_memory_piece){
			.address = thread->states[i], .buffer = copy->states[i], .size = size};
	for (size_t i = 0; i < thread->block_count && count < SPROF_MEMORY_MOST_PIECES; i++) {
		const struct sprof_interp_block *block = &thread->blocks[i];

		if (copy->capacity - copy->size < block->size)
			break;
		pieces[count++] = (struct sprof_memory_piece){.address = block->address,
			.buffer = copy->bytes + copy->size,
			.size = block->size};
		copy->size += block->size;
	}
	copy->asked = thread;
	*ret_count = copy->piece_count = count;
	return pieces;
}

/* Whether the states are those of the thread. Reads the pieces, if the caller has not. */
static bool take_known(struct reading *reading, const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread)
{
	struct sprof_interp_copy *copy = reading->copy;
	const size_t before = CALLERS + thread->state_count;
	size_t count = copy->piece_count;

	if (copy->asked != thread && !sprof_python_pieces(process, thread, copy, &count))
		return false;
	if (!copy->pieces[CALLERS].got)
		reading->memory->read_pieces(
			reading->memory->data, copy->pieces + CALLERS, count - CALLERS);
	copy->asked = NULL;
	reading->pieces = copy->pieces + before;
	reading->count = reading->known = count - before;
	reading->most = SPROF_MEMORY_MOST_PIECES - before;
	for (size_t i = 0; i < thread->state_count; i++) {
		const struct sprof_memory_piece *state = &copy->pieces[CALLERS + i];

		if (state->got < state->size ||
			word_at(copy->states[i], reading->offsets->thread_id) != thread->key)
			return false;
	}
	return true;
}

/* The frame that a cframe leads to; 0: none. */
static bool read_cframe(struct reading *reading, uint64_t cframe, uint32_t offset, uint64_t *ret)
{
	const uint8_t *bytes = bytes_at(reading, cframe + offset, WORD);

	if (bytes)
		*ret = word_at(bytes, 0);
	return bytes;
}

/*
 * In 3.11 and 3.12 the state leads to a structure on the native stack, and that to the frame. A
 * loop that begins has made its structure the current one before it stores a frame in it; the
 * structure before it is right then.
 */
static bool read_by_cframe(struct reading *reading, uint64_t cframe)
{
	const uint32_t offset = reading->offsets->cframe_frame;
	const size_t before = reading->copy->frame_count;
	uint64_t innermost;

	if (!read_cframe(reading, cframe, offset, &innermost))
		return false;
	if (read_frames(reading, innermost, 0))
		return true;
	if (reading->is_full)
		return false;
	reading->copy->frame_count = before;
	return read_cframe(reading, cframe, offset + WORD, &cframe) &&
		read_cframe(reading, cframe, offset, &innermost) &&
		read_frames(reading, innermost, 0);
}

static bool read_state(struct reading *reading, const uint8_t *state)
{
	const struct sprof_python_offsets *offsets = reading->offsets;
	const uint64_t found = word_at(state, offsets->thread_frame);

	if (offsets->cframe_frame != SPROF_PYTHON_NOWHERE)
		return !found || read_by_cframe(reading, found);
	return read_frames(
		reading, found, offsets->thread_base ? word_at(state, offsets->thread_base) : 0);
}

/* Which interpreter called which is certain only of the main one: it is the outermost. */
static bool is_order_known(
	const struct sprof_interp_thread *thread, const size_t *active, size_t count)
{
	return count < 2 ||
		(count == 2 && thread->has_main && active[1] + 1 == thread->state_count);
}

/*
 * In 3.11 and 3.12, whether another thread runs the interpreter above the main one, which this
 * thread has made: its structure is not on the part of this stack that is above the main one's.
 */
static bool is_of_another(const struct reading *reading, const struct sprof_interp_thread *thread,
	const size_t *active, size_t count)
{
	const uint32_t offset = reading->offsets->thread_frame;
	uint64_t cframe;

	if (reading->offsets->cframe_frame == SPROF_PYTHON_NOWHERE || count != 2 ||
		!is_order_known(thread, active, count))
		return false;
	cframe = word_at(reading->copy->states[active[0]], offset);
	return cframe < reading->stack->base ||
		cframe >= word_at(reading->copy->states[active[1]], offset);
}

static void leave_out(struct sprof_interp_copy *copy, size_t count)
{
	copy->frame_count -= count;
	memmove(copy->frames, copy->frames + count, copy->frame_count * sizeof(*copy->frames));
}

void sprof_python_copy(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy)
{
	struct reading reading = {.offsets = &sprof_python_of(process)->offsets,
		.memory = memory,
		.stack = stack,
		.copy = copy};
	size_t active[SPROF_INTERP_STATES], active_count = 0, before_last = 0;

	copy->outcome = SPROF_INTERP_NO_STATE;
	copy->frame_count = 0;
	copy->misses = 0;
	if (!take_known(&reading, process, thread))
		return;
	copy->outcome = SPROF_INTERP_READ;
	for (size_t i = 0; i < thread->state_count; i++) {
		const size_t frames = copy->frame_count;

		if (!read_state(&reading, copy->states[i]))
			copy->outcome = SPROF_INTERP_TORN;
		if (copy->frame_count > frames) {
			active[active_count++] = i;
			before_last = frames;
		}
	}
	if (is_of_another(&reading, thread, active, active_count))
		leave_out(copy, before_last);
	else if (!is_order_known(thread, active, active_count))
		copy->outcome = SPROF_INTERP_TORN;
}
