/*
 * Merges native frames with an interpreter's. A native frame of the evaluation loop runs one or
 * more interpreter frames; the outermost of them is the one for which C called the loop. Loops and
 * such frames are counted first: if the numbers differ, nothing is merged, unless the innermost
 * loop is in its prologue or epilogue and has no frame.
 *
 * A greenlet (of the Python module of that name) has a piece of the C stack that is copied back and
 * forth, and while it runs, the interpreter has only its frames. The stack below its piece belongs
 * to other greenlets, which are not its callers, perhaps not even to the one that started it. So
 * its stack begins where greenlet's code called its function, and everything below is left out.
 * Does not read anything.
 */
#include "interp/merge.h"

#include "base/array.h"

struct merging {
	struct sprof_interp_process *process;
	const struct sprof_interp_copy *copy;
	const struct sprof_frame *names; /* of the copied frames */
	const struct sprof_stack_view *native;
	enum sprof_interp_mode mode;
	size_t loops, first_loop; /* native frames: how many, and the innermost one */
	size_t end;               /* of the native frames that are used */
	size_t count;             /* frames of the result so far */
	size_t next;              /* the next copied frame */
};

/* The same few places come again and again. */
static enum sprof_python_part part_of(
	struct sprof_interp_process *process, const struct sprof_frame *frame)
{
	const uint64_t offset = frame->offset - (frame->is_return && frame->offset);
	struct sprof_interp_place *place;

	if (frame->module != process->module)
		return SPROF_PYTHON_OTHER;
	place = &process->places[(offset ^ offset >> 8) % SPROF_INTERP_PLACES];
	if (place->next != offset + 1)
		*place = (struct sprof_interp_place){
			offset + 1, process->runtime->part(process, offset)};
	return place->part;
}

/* All that is counted and chosen below goes by these parts. Returns false if out of memory. */
static bool find_parts(struct merging *merging)
{
	struct sprof_interp_process *process = merging->process;
	const struct sprof_frame *frames = merging->native->frames;
	const size_t count = merging->native->count;
	uint8_t *parts;

	if (!sprof_array_reserve(&process->parts, &process->part_capacity, count, 1))
		return false;
	parts = process->parts;
	merging->first_loop = count;
	for (size_t i = 0; i < count; i++) {
		const enum sprof_python_part part = part_of(process, &frames[i]);

		parts[i] = (uint8_t)part;
		if (part == SPROF_PYTHON_LOOP && !merging->loops++)
			merging->first_loop = i;
	}
	return true;
}

/* Counts entries from C. Returns false if the outermost frame is not an entry. */
static bool count_entries(const struct sprof_interp_copy *copy, size_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < copy->frame_count; i++)
		*ret += copy->frames[i].is_entry;
	return !copy->frame_count || copy->frames[copy->frame_count - 1].is_entry;
}

/*
 * Whether the innermost loop is in its prologue or epilogue: it calls nothing, or only functions
 * called there.
 */
static bool is_at_edge(const struct merging *merging)
{
	const struct sprof_interp_process *process = merging->process;
	enum sprof_python_part part;

	if (!merging->first_loop)
		return true;
	part = process->parts[merging->first_loop - 1];
	/* In a file with all symbols code without one is the way to another function (PLT). */
	return part == SPROF_PYTHON_EDGE ||
		(part == SPROF_PYTHON_NAMELESS && merging->first_loop == 1 &&
			!process->is_stripped);
}

static bool is_greenlet(const struct merging *merging, size_t index)
{
	const uint32_t module = merging->native->frames[index].module;

	return module == merging->process->greenlet && module != SPROF_MAPPING_NO_MODULE;
}

/*
 * Finds the innermost native frames with that many loops: all, or up to the call of a greenlet's
 * function. A greenlet's call may also be of another kind (a trace function): then the number
 * differs.
 */
static bool find_end(const struct merging *merging, size_t loops, size_t *ret_end)
{
	const struct sprof_stack_view *native = merging->native;
	const uint8_t *parts = merging->process->parts;
	size_t found = 0;

	for (size_t i = 0; i < native->count; i++) {
		found += parts[i] == SPROF_PYTHON_LOOP;
		if (found && found == loops && is_greenlet(merging, i)) {
			*ret_end = i + 1;
			return true;
		}
	}
	*ret_end = native->count;
	return found == loops;
}

/*
 * Whether the stack is changing: its native frames are those of one greenlet, Python's of another.
 */
static bool is_switching(const struct merging *merging)
{
	const struct sprof_greenlet_file *file = &merging->process->greenlet_file;

	for (size_t i = 0; i < merging->first_loop; i++) {
		const struct sprof_frame *frame = &merging->native->frames[i];
		const uint64_t offset = frame->offset - (frame->is_return && frame->offset);

		if (!is_greenlet(merging, i))
			continue;
		if (file->switch_begin == file->switch_end ||
			(offset >= file->switch_begin && offset < file->switch_end))
			return true;
	}
	return false;
}

static enum sprof_merge judge(const struct merging *merging, struct sprof_merge_fit *ret)
{
	const struct sprof_interp_copy *copy = merging->copy;
	size_t entries;

	if (!copy || copy->outcome == SPROF_INTERP_NOT_READ)
		return merging->loops ? SPROF_MERGE_NOT_READ : SPROF_MERGE_NONE;
	if (copy->outcome == SPROF_INTERP_NO_STATE)
		return merging->loops ? SPROF_MERGE_NO_STATE : SPROF_MERGE_NONE;
	if (copy->outcome == SPROF_INTERP_TORN)
		return merging->loops ? SPROF_MERGE_TORN : SPROF_MERGE_NONE;
	if (!count_entries(copy, &entries))
		return SPROF_MERGE_MISMATCH;
	if (!merging->loops && !entries)
		return SPROF_MERGE_NONE;
	if (is_switching(merging))
		return SPROF_MERGE_SWITCH;
	if (find_end(merging, entries, &ret->count))
		return SPROF_MERGE_MERGED;
	ret->is_between = is_at_edge(merging) && find_end(merging, entries + 1, &ret->count);
	if (ret->is_between)
		return SPROF_MERGE_MERGED;
	return merging->native->end == SPROF_END_ROOT ? SPROF_MERGE_MISMATCH : SPROF_MERGE_NATIVE;
}

static void append(struct merging *merging, const struct sprof_frame *frame,
	const struct sprof_frame_registers *registers)
{
	struct sprof_interp_process *process = merging->process;

	if (process->registers && merging->native->state)
		process->registers[merging->count] =
			registers ? *registers : (struct sprof_frame_registers){0};
	process->frames[merging->count++] = *frame;
}

static void append_native(struct merging *merging, size_t index)
{
	const struct sprof_stack_view *native = merging->native;

	append(merging, &native->frames[index],
		native->state ? &native->state->frames[index] : NULL);
}

static void append_group(struct merging *merging)
{
	const struct sprof_interp_copy *copy = merging->copy;
	bool is_last = false;

	while (merging->next < copy->frame_count && !is_last) {
		const struct sprof_interp_frame *frame = &copy->frames[merging->next];

		if (!frame->is_shim && merging->names[merging->next].module != SPROF_INTERP_HIDDEN)
			append(merging, &merging->names[merging->next], NULL);
		is_last = frame->is_entry;
		merging->next++;
	}
}

/* Code without a name is of use only where it runs: it is not the way from one loop to another. */
static bool is_wanted(const struct merging *merging, size_t index, enum sprof_python_part part)
{
	if (part == SPROF_PYTHON_INSTRUCTION || merging->mode == SPROF_INTERP_ONLY)
		return false;
	if (part == SPROF_PYTHON_OTHER || part == SPROF_PYTHON_EDGE ||
		merging->mode == SPROF_INTERP_ALL)
		return true;
	return part == SPROF_PYTHON_NAMELESS && !index;
}

static void build(struct merging *merging, bool is_between_frames)
{
	bool skip = is_between_frames;

	for (size_t i = 0; i < merging->end; i++) {
		const enum sprof_python_part part = merging->process->parts[i];

		if (part != SPROF_PYTHON_LOOP) {
			if (is_wanted(merging, i, part))
				append_native(merging, i);
			continue;
		}
		if (!skip)
			append_group(merging);
		skip = false;
	}
}

/* Room for all frames of both. */
static bool reserve(const struct merging *merging)
{
	struct sprof_interp_process *process = merging->process;
	const size_t count = merging->native->count + merging->copy->frame_count + 1;

	return sprof_array_reserve(&process->frames, &process->frame_capacity, count,
		       sizeof(*process->frames)) &&
		(!merging->native->state ||
			sprof_array_reserve(&process->registers, &process->register_capacity, count,
				sizeof(*process->registers)));
}

static void set_result(const struct merging *merging, struct sprof_stack_view *stack)
{
	struct sprof_interp_process *process = merging->process;

	if (stack->state) {
		process->state = *stack->state;
		process->state.frames = process->registers;
		stack->state = &process->state;
	}
	if (merging->end < stack->count) {
		stack->end = SPROF_END_ROOT;
		stack->outermost_sp = 0;
	}
	stack->frames = process->frames;
	stack->count = merging->count;
}

enum sprof_merge sprof_merge_judge(struct sprof_interp_process *process,
	const struct sprof_interp_copy *copy, const struct sprof_stack_view *stack,
	struct sprof_merge_fit *ret)
{
	struct merging merging = {.process = process, .copy = copy, .native = stack};

	*ret = (struct sprof_merge_fit){.count = stack->count};
	if (!find_parts(&merging))
		return SPROF_MERGE_TORN;
	if (!process->is_known)
		return merging.loops ? SPROF_MERGE_VERSION : SPROF_MERGE_NONE;
	return judge(&merging, ret);
}

bool sprof_merge_build(struct sprof_interp_process *process, enum sprof_interp_mode mode,
	const struct sprof_interp_copy *copy, const struct sprof_frame *names,
	const struct sprof_merge_fit *fit, struct sprof_stack_view *stack)
{
	struct merging merging = {
		.process = process,
		.copy = copy,
		.names = names,
		.native = stack,
		.mode = mode,
		.end = fit->count,
	};

	if (!reserve(&merging))
		return false;
	build(&merging, fit->is_between);
	/* A loop in its prologue leaves nothing: only the native frames remain. */
	if (merging.count)
		set_result(&merging, stack);
	return true;
}
