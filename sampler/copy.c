/*
 * Copying a stack. Runs between a thread's stop and its continuation: one system call, no allocation
 * (two calls while it is on another stack than its own, or deeper than where it was looked for, or on
 * one that is not known yet, whose red zone may be a guard page).
 */
#include "sampler/copy.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "sampler/sampler-internal.h"

enum {
	FIRST_COPY = 32 * 1024,
	FIRST_GOROUTINE_COPY = 1024 * 1024, /* room for what is in use: its end is known */
	LARGEST_HANDLER_STACK = 1 << 20,
	LARGEST_COPY = 8 * 1024 * 1024, /* the usual stack limit */
};

void sprof_copy_plan_init(struct copy_plan *plan)
{
	*plan = (struct copy_plan){.size = FIRST_COPY};
}

void sprof_copy_plan_expect_all(struct copy_plan *plan)
{
	plan->size = LARGEST_COPY;
	plan->wants_system = true;
}

static size_t grown(size_t size)
{
	return size < LARGEST_COPY / 4 ? 4 * size : LARGEST_COPY;
}

void sprof_copy_plan_grow(struct copy_plan *plan)
{
	plan->size = grown(plan->size);
}

void sprof_copy_plan_expect_goroutine(struct copy_plan *plan)
{
	if (!plan->goroutine_size)
		plan->goroutine_size =
			plan->size > FIRST_GOROUTINE_COPY ? plan->size : FIRST_GOROUTINE_COPY;
}

void sprof_copy_plan_grow_goroutine(struct copy_plan *plan)
{
	/* Perhaps it was called by C. */
	if (plan->wants_system)
		plan->goroutine_size = grown(plan->goroutine_size);
	plan->wants_system = true;
}

static size_t largest(const struct copy_plan *plan)
{
	return plan->goroutine_size > plan->size ? plan->goroutine_size : plan->size;
}

void sprof_copy_plan_forget_program(struct copy_plan *plan)
{
	plan->home_end = plan->home_sp = plan->goroutine_size = 0;
	plan->wants_system = false;
}

bool sprof_copy_reserve(struct copy_buffer *buffer, const struct copy_plan *plan)
{
	/* As much again for the thread's own stack, while a signal handler runs on another one. */
	return sprof_array_reserve(&buffer->bytes, &buffer->capacity, 2 * largest(plan), 1);
}

bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct copy_plan *plan)
{
	return buffer->capacity >= 2 * largest(plan);
}

static size_t read_memory(
	const struct sprof_thread *thread, uint64_t address, uint8_t *bytes, size_t size)
{
	/* Not by the id of the process: that has no memory once its leader has ended. */
	return sprof_process_read_memory(thread->process, thread->tid, address, bytes, size);
}

/* The memory that a stack may lie in: [start, end). */
struct area {
	uint64_t start, end;
};

static struct area area_of(const struct sprof_mapping *mapping)
{
	return mapping ? (struct area){mapping->start, mapping->end} : (struct area){0, UINT64_MAX};
}

static void copy(const struct sprof_thread *thread, uint64_t base, struct area area, size_t size,
	uint8_t *bytes, struct sprof_stack_copy *ret)
{
	if (base < area.start)
		base = area.start;
	if (area.end - base < size)
		size = area.end - base;
	ret->base = base;
	ret->bytes = bytes;
	ret->size = read_memory(thread, base, bytes, size);
	ret->floor = base;
	ret->limit = area.end;
	if (!ret->size)
		ret->limit = ret->floor;
}

static uint64_t word_at(const struct sprof_stack_copy *copy, size_t offset)
{
	uint64_t word;

	memcpy(&word, copy->bytes + offset, sizeof(word));
	return word;
}

/*
 * Where sp was when the signal came whose handler's stack this is; 0: not found. The kernel's frame has what
 * sigaltstack(2) was told: the handlers' stack, on which it lies itself, and its size (struct ucontext in
 * arch/x86/include/uapi/asm/ucontext.h: flags, link, stack, then the registers, r8 first and sp the 16th).
 */
static uint64_t find_interrupted(const struct sprof_stack_copy *handler)
{
#if defined(__x86_64__)
	enum { WORD = 8, LINK = WORD, STACK = 2 * WORD, SIZE = 4 * WORD, SP = 20 * WORD, END = SP + WORD };

	for (size_t at = SPROF_RED_ZONE; at + END <= handler->size; at += WORD) {
		uint64_t size = word_at(handler, at + SIZE);

		if (!word_at(handler, at + LINK) && size <= LARGEST_HANDLER_STACK &&
			handler->base + at - word_at(handler, at + STACK) < size)
			return word_at(handler, at + SP);
	}
#else
	(void)handler;
	(void)word_at;
#endif
	return 0;
}

void sprof_copy_plan_find_home(struct copy_plan *plan, const struct sprof_snapshot *snapshot)
{
	if (!plan->home_sp)
		plan->home_sp = find_interrupted(&snapshot->stack);
}

/*
 * On a signal stack, or in a coroutine: the thread's own stack too, around where its sp was last, so
 * that a walk can go on behind the signal frame.
 */
static void copy_home(const struct sprof_thread *thread, struct copy_buffer *buffer,
	const struct sprof_mapping *stack, struct sprof_snapshot *snapshot)
{
	struct sampling *sampling = thread->sampling;
	const struct sprof_mapping *home;

	snapshot->home = snapshot->third = (struct sprof_stack_copy){0};
	if (stack && stack->end == sampling->copy.home_end) {
		sampling->copy.home_sp = snapshot->regs.values[SPROF_REG_SP];
		return;
	}
	home = sprof_maps_find(&thread->process->maps, sampling->copy.home_sp);
	if (!stack || !home)
		return;
	copy(thread, sampling->copy.home_sp - sampling->copy.size / 4, area_of(home),
		sampling->copy.size, buffer->bytes + sampling->copy.size, &snapshot->home);
	snapshot->home.floor = home->start;
}

/* What lies below the copy made ahead goes in front of it; so much room is left there. */
static size_t room_ahead(const struct copy_plan *plan)
{
	return plan->size / 4;
}

void sprof_copy_ahead(
	const struct sprof_thread *thread, struct copy_buffer *buffer, struct sprof_stack_copy *ret)
{
	const struct sampling *sampling = thread->sampling;
	size_t room = room_ahead(&sampling->copy);
	const struct sprof_mapping *stack =
		sprof_maps_find(&thread->process->maps, sampling->copy.home_sp);

	*ret = (struct sprof_stack_copy){0};
	if (stack && stack->end == sampling->copy.home_end && !sampling->copy.goroutine_size)
		copy(thread, sampling->copy.home_sp - SPROF_RED_ZONE, area_of(stack),
			sampling->copy.size, buffer->bytes + room, ret);
}

/* Whether what is left of a copy from base on is all of the stack, or nearly as much as is wanted. */
static bool is_enough(const struct sprof_stack_copy *ahead, uint64_t base, size_t copy_size)
{
	uint64_t end = ahead->base + ahead->size;

	return base < end && (end == ahead->limit || end - base >= copy_size / 4 * 3);
}

/* Makes the copy begin at base; false: that lies elsewhere, or what is missing could not be read. */
static bool begin_at(struct sprof_stack_copy *ahead, struct copy_buffer *buffer,
	const struct sprof_thread *thread, uint64_t base)
{
	size_t room = (size_t)(ahead->bytes - buffer->bytes);
	uint64_t missing = ahead->base - base;

	if (base >= ahead->base && base - ahead->base < ahead->size)
		missing = 0;
	else if (missing > room ||
		read_memory(thread, base, buffer->bytes + room - missing, missing) < missing)
		return false;
	ahead->bytes += (int64_t)(base - ahead->base);
	ahead->size -= base - ahead->base;
	ahead->base = ahead->floor = base;
	return true;
}

void sprof_copy_plan_settle(
	struct copy_plan *plan, const struct sprof_snapshot *snapshot, uint64_t outermost_sp)
{
	const struct sprof_stack_copy *stack = &snapshot->stack;

	if (outermost_sp < stack->base || outermost_sp >= stack->limit ||
		stack->limit == UINT64_MAX || stack->limit == plan->home_end)
		return;
	plan->home_end = stack->limit;
	plan->home_sp = snapshot->regs.values[SPROF_REG_SP];
}

static struct area system_area(const struct sprof_thread *thread,
	const struct sprof_goroutine *goroutine, uint64_t sp)
{
	if (sp >= goroutine->system_low && sp < goroutine->system_high)
		return (struct area){goroutine->system_low, goroutine->system_high};
	return area_of(sprof_maps_find(&thread->process->maps, sp));
}

/* A signal came while the thread was on its own stack: behind that is the goroutine's, if there is room for it. */
static void copy_third(const struct sprof_thread *thread, struct copy_buffer *buffer,
	struct sprof_snapshot *snapshot)
{
	const struct sampling *sampling = thread->sampling;
	const struct copy_plan *plan = &sampling->copy;
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;
	uint64_t left = sprof_goroutine_left_at(goroutine);

	if (left && largest(plan) >= 2 * plan->size)
		copy(thread, left, (struct area){goroutine->low, goroutine->high},
			largest(plan) - plan->size, buffer->bytes + plan->size, &snapshot->third);
}

/*
 * A thread of Go's is on a goroutine's stack, which ends where the runtime says, or on its own; then where the
 * goroutine's was left is copied too.
 */
static void copy_goroutine(const struct sprof_thread *thread, struct copy_buffer *buffer,
	struct sprof_snapshot *snapshot)
{
	const struct sampling *sampling = thread->sampling;
	const struct copy_plan *plan = &sampling->copy;
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;
	struct area area = {goroutine->low, goroutine->high};
	uint64_t sp = snapshot->regs.values[SPROF_REG_SP], left;
	uint8_t *home = buffer->bytes + largest(plan);
	size_t size = plan->goroutine_size;

	snapshot->stack = snapshot->home = snapshot->third = (struct sprof_stack_copy){0};
	if (sp >= area.start && sp < area.end) {
		copy(thread, sp - SPROF_RED_ZONE, area, plan->goroutine_size, buffer->bytes,
			&snapshot->stack);
		left = goroutine->system_sp;
		if (left)
			copy(thread, left, system_area(thread, goroutine, left), plan->size,
				home, &snapshot->home);
		return;
	}
	copy(thread, sp - SPROF_RED_ZONE, system_area(thread, goroutine, sp), plan->size,
		buffer->bytes, &snapshot->stack);
	left = goroutine->is_interrupted
		       ? find_interrupted(&snapshot->stack)
		       : sprof_goroutine_left_at(goroutine);
	if (left && (left < area.start || left >= area.end)) {
		copy_third(thread, buffer, snapshot);
		area = area_of(sprof_maps_find(&thread->process->maps, left));
		size = plan->size;
	}
	if (left)
		copy(thread, left - SPROF_RED_ZONE, area, size, home, &snapshot->home);
}

bool sprof_copy_stack(const struct sprof_thread *thread, struct copy_buffer *buffer,
	const struct sprof_stack_copy *ahead, struct sprof_snapshot *snapshot)
{
	const struct sampling *sampling = thread->sampling;
	uint64_t sp = snapshot->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *stack = sprof_maps_find(&thread->process->maps, sp);

	errno = 0;
	if (sampling->copy.goroutine_size &&
		sprof_goroutine_read(thread, &snapshot->regs, &snapshot->goroutine)) {
		copy_goroutine(thread, buffer, snapshot);
		return snapshot->stack.size || errno != ESRCH;
	}
	snapshot->stack = ahead ? *ahead : (struct sprof_stack_copy){0};
	/* The red zone of an sp at the start of its mapping lies in the guard page. */
	if (!ahead || !ahead->size || !stack || sp - SPROF_RED_ZONE < stack->start ||
		ahead->limit != stack->end ||
		!is_enough(ahead, sp - SPROF_RED_ZONE, sampling->copy.size) ||
		!begin_at(&snapshot->stack, buffer, thread, sp - SPROF_RED_ZONE))
		copy(thread, sp - SPROF_RED_ZONE, area_of(stack), sampling->copy.size,
			buffer->bytes, &snapshot->stack);
	if (!snapshot->stack.size && !stack)
		copy(thread, sp, area_of(NULL), sampling->copy.size, buffer->bytes, &snapshot->stack);
	copy_home(thread, buffer, stack, snapshot);
	return snapshot->stack.size || errno != ESRCH;
}
