/*
 * Copying a stack. Runs between a thread's stop and its continuation: one system call, no
 * allocation. It takes two calls if the thread is on another stack than its own or deeper than
 * expected, or if the stack is new: its red zone may be a guard page.
 */
#include "sampler/stack/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "interp/interp.h"
#include "sampler/sampled.h"

enum {
	LARGEST_HANDLER_STACK = 1 << 20,
	FIRST_COPY = 32 * 1024,
	FIRST_DEEP_COPY = 256 * 1024,
	FIRST_GOROUTINE_COPY = 1024 * 1024, /* room for the used part: its end is known */
	LARGEST_COPY = 8 * 1024 * 1024,     /* the usual stack limit */
};

void sprof_copy_plan_expect_all(const struct sprof_thread *thread)
{
	thread->sampling->copy.size = LARGEST_COPY;
	thread->process->sampling->mappings.is_go_called = true;
}

void sprof_copy_plan_grow(size_t *size)
{
	*size = *size < LARGEST_COPY / 4 ? 4 * *size : LARGEST_COPY;
}

void sprof_copy_plan_expect(const struct sprof_thread *thread)
{
	const struct sampled_process *process = thread->process->sampling;
	struct copy_plan *plan = &thread->sampling->copy;

	plan->size = sprof_most(plan->size, process->script ? FIRST_DEEP_COPY : FIRST_COPY);
	if (process->mappings.go && !plan->goroutine_size)
		plan->goroutine_size = sprof_most(plan->size, FIRST_GOROUTINE_COPY);
}

static size_t largest_of(const struct copy_plan *plan)
{
	return sprof_most(plan->goroutine_size, plan->size);
}

/* Notes the end of the thread's own stack, and its last sp. */
static void set_home(struct copy_plan *plan, const struct sprof_snapshot *snapshot, uint64_t end)
{
	plan->home_end = end;
	plan->home_sp = snapshot->regs.values[SPROF_REG_SP];
}

struct copying sprof_copying_of(const struct sprof_world *world, const struct sprof_thread *thread,
	struct copy_buffer *buffer)
{
	return (struct copying){
		.world = world,
		.thread = thread,
		.plan = &thread->sampling->copy,
		.buffer = buffer,
		.go = thread->process->sampling->mappings.go,
		.own_tid = thread->sampling->own_tid,
	};
}

void sprof_copy_buffer_finish(struct copy_buffer *buffer)
{
	free(buffer->bytes);
	sprof_interp_copy_destroy(buffer->script);
}

/* With the stack of a signal handler, the thread's own is copied. A Go thread may have a third. */
static size_t room_for(const struct copy_plan *plan)
{
	return (plan->goroutine_size ? 3 : 2) * largest_of(plan);
}

/* The bytes are not cleared: most are never used, and a page costs memory from its first use. */
bool sprof_copy_reserve(struct copy_buffer *buffer, const struct copy_plan *plan)
{
	uint8_t *bytes;

	if (sprof_copy_has_room(buffer, plan))
		return true;
	bytes = realloc(buffer->bytes, room_for(plan));
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->capacity = room_for(plan);
	return true;
}

bool sprof_copy_reserve_most(struct copy_buffer *buffer)
{
	return sprof_copy_reserve(
		buffer, &(struct copy_plan){.size = LARGEST_COPY, .goroutine_size = LARGEST_COPY});
}

bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct copy_plan *plan)
{
	return buffer->capacity && buffer->capacity >= room_for(plan);
}

static size_t read_memory(
	const struct copying *copying, uint64_t address, uint8_t *bytes, size_t size)
{
	return copying->world->read_memory(
		copying->thread->process, copying->thread->tid, address, bytes, size);
}

static const struct sprof_mapping *find_mapping(const struct copying *copying, uint64_t address)
{
	return sprof_maps_find(&copying->thread->process->maps, address);
}

/* The memory that a stack may lie in: [start, end). */
struct area {
	uint64_t start, end;
};

static struct area area_of(const struct sprof_mapping *mapping)
{
	return mapping ? (struct area){mapping->start, mapping->end} : (struct area){0, UINT64_MAX};
}

/* Sets which memory is copied from base on, and where to. Returns the number of bytes. */
static size_t aim(
	uint64_t base, struct area area, size_t size, uint8_t *bytes, struct sprof_stack_copy *ret)
{
	if (base < area.start)
		base = area.start;
	*ret = (struct sprof_stack_copy){
		.base = base, .bytes = bytes, .floor = base, .limit = area.end};
	return area.end - base < size ? area.end - base : size;
}

static void set_size(struct sprof_stack_copy *copy, size_t size)
{
	copy->size = size;
	if (!size)
		copy->limit = copy->floor;
}

static void copy(const struct copying *copying, uint64_t base, struct area area, size_t size,
	uint8_t *bytes, struct sprof_stack_copy *ret)
{
	size = aim(base, area, size, bytes, ret);
	set_size(ret, read_memory(copying, ret->base, bytes, size));
}

/* Copies the current stack, and by the same system call the known frames of an interpreter. */
static void copy_current(const struct copying *copying, uint64_t base, struct area area,
	uint8_t *bytes, struct sprof_stack_copy *ret)
{
	const struct sprof_thread *thread = copying->thread;
	const size_t size = aim(base, area, copying->plan->size, bytes, ret);
	struct sprof_memory_piece *pieces;
	size_t count;

	pieces = sprof_interpreted_pieces(copying, &count);
	if (!pieces) {
		set_size(ret, read_memory(copying, ret->base, bytes, size));
		return;
	}
	pieces[0] =
		(struct sprof_memory_piece){.address = ret->base, .buffer = bytes, .size = size};
	copying->world->read_pieces(thread->process, thread->tid, pieces, count);
	set_size(ret, pieces[0].got);
}

static uint64_t word_at(const struct sprof_stack_copy *copy, size_t offset)
{
	uint64_t word;

	memcpy(&word, copy->bytes + offset, sizeof(word));
	return word;
}

/*
 * The sp that a signal interrupted outside of its handler's stack, if this is that stack; 0: not
 * found. Another signal may have interrupted the handler, on the same stack. The kernel's frame
 * repeats sigaltstack(2): the handlers' stack, which contains the frame, and its size (struct
 * ucontext in arch/x86/include/uapi/asm/ucontext.h: flags, link, stack, then the registers, r8
 * first and sp the 16th; in arch/arm64/include/uapi/asm/ucontext.h the registers are 176 bytes from
 * its start, after a fault address the 31 general ones and sp).
 */
static uint64_t find_interrupted(const struct sprof_stack_copy *handler)
{
	enum { WORD = 8, LINK = WORD, STACK = 2 * WORD, SIZE = 4 * WORD };
#if defined(__x86_64__)
	enum { SP = 20 * WORD, END = SP + WORD };
#else
	enum { SP = 176 + 32 * WORD, END = SP + WORD };
#endif

	for (size_t at = SPROF_RED_ZONE; at + END <= handler->size && at <= LARGEST_HANDLER_STACK;
		at += WORD) {
		const uint64_t size = word_at(handler, at + SIZE),
			       start = word_at(handler, at + STACK);

		if (!word_at(handler, at + LINK) && size <= LARGEST_HANDLER_STACK &&
			handler->base + at - start < size &&
			word_at(handler, at + SP) - start >= size)
			return word_at(handler, at + SP);
	}
	return 0;
}

/*
 * On a signal stack, or in a coroutine: copies also the thread's own stack around its last sp, so
 * that a walk can go on after the signal frame.
 */
static void copy_home(const struct copying *copying, const struct sprof_mapping *stack,
	struct sprof_snapshot *snapshot)
{
	struct copy_plan *plan = copying->plan;
	const struct sprof_mapping *home;

	snapshot->home = snapshot->third = (struct sprof_stack_copy){0};
	if (stack && stack->end == plan->home_end) {
		set_home(plan, snapshot, stack->end);
		return;
	}
	if (!plan->home_sp)
		plan->home_sp = find_interrupted(&snapshot->stack);
	home = find_mapping(copying, plan->home_sp);
	if (!stack || !home)
		return;
	copy(copying, plan->home_sp - plan->size / 4, area_of(home), plan->size,
		copying->buffer->bytes + plan->size, &snapshot->home);
	snapshot->home.floor = home->start;
}

/* Leaves room in front of the copy, for the part of the stack below it. */
void sprof_copy_ahead(const struct copying *copying, struct sprof_stack_copy *ret)
{
	const struct copy_plan *plan = copying->plan;
	const struct sprof_mapping *stack = find_mapping(copying, plan->home_sp);

	*ret = (struct sprof_stack_copy){0};
	if (stack && stack->end == plan->home_end && !plan->goroutine_size)
		copy_current(copying, plan->home_sp - SPROF_RED_ZONE, area_of(stack),
			copying->buffer->bytes + plan->size / 4, ret);
}

/* Makes the copy begin at base. Returns false if a part that is missing can't be read. */
static bool begin_at(struct sprof_stack_copy *ahead, const struct copying *copying, uint64_t base)
{
	const struct copy_buffer *buffer = copying->buffer;
	size_t room = (size_t)(ahead->bytes - buffer->bytes);
	uint64_t missing = ahead->base - base;

	if (base >= ahead->base && base - ahead->base < ahead->size)
		missing = 0;
	else if (missing > room ||
		read_memory(copying, base, buffer->bytes + room - missing, missing) < missing)
		return false;
	ahead->bytes += (int64_t)(base - ahead->base);
	ahead->size -= base - ahead->base;
	ahead->base = ahead->floor = base;
	return true;
}

/*
 * Whether the copy made ahead can become the wanted one: from base on, it is the whole stack, or
 * nearly as much as is wanted.
 */
static bool use_ahead(const struct copying *copying, const struct sprof_stack_copy *ahead,
	const struct sprof_mapping *stack, struct sprof_snapshot *snapshot)
{
	const uint64_t base = snapshot->regs.values[SPROF_REG_SP] - SPROF_RED_ZONE;
	uint64_t end;

	if (!ahead || !ahead->size)
		return false;
	snapshot->stack = *ahead;
	end = ahead->base + ahead->size;
	/* If sp is at the start of its mapping, its red zone is in the guard page. */
	return stack && base >= stack->start && ahead->limit == stack->end && base < end &&
		(end == ahead->limit || end - base >= copying->plan->size / 4 * 3) &&
		begin_at(&snapshot->stack, copying, base);
}

void sprof_copy_settle(
	struct copy_plan *plan, const struct sprof_snapshot *snapshot, uint64_t outermost_sp)
{
	const struct sprof_stack_copy *stack = &snapshot->stack;

	if (outermost_sp < stack->base || outermost_sp >= stack->limit ||
		stack->limit == UINT64_MAX || stack->limit == plan->home_end)
		return;
	set_home(plan, snapshot, stack->limit);
}

struct sprof_stack_copy sprof_copy_by_kernel(
	const struct sprof_maps *maps, const struct sprof_perf_user *user, size_t wanted)
{
	const uint64_t sp = user->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *mapping = sprof_maps_find(maps, sp);

	return (struct sprof_stack_copy){
		.base = sp,
		.size = user->stack_size,
		.bytes = user->stack,
		.floor = sp,
		.limit = user->stack_size < wanted ? sp + user->stack_size : area_of(mapping).end,
	};
}

static struct area system_area(
	const struct copying *copying, const struct sprof_goroutine *goroutine, uint64_t sp)
{
	if (sp >= goroutine->system_low && sp < goroutine->system_high)
		return (struct area){goroutine->system_low, goroutine->system_high};
	return area_of(find_mapping(copying, sp));
}

/*
 * A stack of a Go thread that it is not on now: where it was left (0: nothing to copy), its bounds,
 * and how much is wanted.
 */
struct other_stack {
	uint64_t left;
	struct area area;
	size_t size;
};

static struct other_stack own_stack(
	const struct copying *copying, const struct sprof_goroutine *goroutine, uint64_t left)
{
	return (struct other_stack){
		left, system_area(copying, goroutine, left), copying->plan->size};
}

static struct other_stack goroutine_stack(
	const struct copying *copying, const struct sprof_goroutine *goroutine, uint64_t left)
{
	return (struct other_stack){
		left, {goroutine->low, goroutine->high}, copying->plan->goroutine_size};
}

/* The second or third copy, in that part of the room. */
static void copy_other(const struct copying *copying, const struct other_stack *other, size_t part,
	struct sprof_stack_copy *ret)
{
	if (other->left)
		copy(copying, other->left, other->area, other->size,
			copying->buffer->bytes + part * largest_of(copying->plan), ret);
}

/*
 * A Go thread is on a goroutine's stack, whose end the runtime knows, or on its own. The other one
 * is copied too, from where it was left. If a signal handler runs: the stack that it interrupted,
 * then the other one.
 */
static void copy_goroutine(const struct copying *copying, struct sprof_snapshot *snapshot)
{
	const struct copy_plan *plan = copying->plan;
	const struct sprof_goroutine *goroutine = &snapshot->goroutine;
	const uint64_t sp = snapshot->regs.values[SPROF_REG_SP];
	const bool is_inside = sp >= goroutine->low && sp < goroutine->high;
	struct area area = {goroutine->low, goroutine->high};
	struct other_stack second, third = {.left = 0};
	uint64_t left;

	if (!is_inside)
		area = system_area(copying, goroutine, sp);
	snapshot->stack = snapshot->home = snapshot->third = (struct sprof_stack_copy){0};
	copy(copying, sp - SPROF_RED_ZONE, area, is_inside ? plan->goroutine_size : plan->size,
		copying->buffer->bytes, &snapshot->stack);
	if (is_inside) {
		second = own_stack(copying, goroutine, goroutine->system_sp);
	} else if (!goroutine->is_interrupted) {
		left = sprof_goroutine_left_at(goroutine);
		second = goroutine_stack(copying, goroutine, left ? left - SPROF_RED_ZONE : 0);
	} else {
		left = find_interrupted(&snapshot->stack);
		if (!left)
			return;
		if (left >= goroutine->low && left < goroutine->high) {
			second = goroutine_stack(copying, goroutine, left - SPROF_RED_ZONE);
			third = own_stack(copying, goroutine, goroutine->system_sp);
		} else {
			second = own_stack(copying, goroutine, left - SPROF_RED_ZONE);
			third = goroutine_stack(
				copying, goroutine, sprof_goroutine_left_at(goroutine));
		}
	}
	copy_other(copying, &second, 1, &snapshot->home);
	copy_other(copying, &third, 2, &snapshot->third);
}

static size_t read_for_go(void *data, uint64_t address, void *buffer, size_t size)
{
	return read_memory(data, address, buffer, size);
}

struct sprof_goroutine_reading sprof_copying_goroutine(const struct copying *copying)
{
	return (struct sprof_goroutine_reading){
		.data = (void *)copying,
		.read_memory = read_for_go,
		.runtime = copying->go,
		.own_tid = copying->own_tid,
		.thread_pointer = copying->thread->thread_pointer,
		.wants_system = copying->thread->process->sampling->mappings.is_go_called,
	};
}

bool sprof_copy_stack(const struct copying *copying, const struct sprof_stack_copy *ahead,
	struct sprof_snapshot *snapshot)
{
	uint64_t sp = snapshot->regs.values[SPROF_REG_SP];
	const struct sprof_mapping *stack = find_mapping(copying, sp);
	const struct sprof_goroutine_reading reading = sprof_copying_goroutine(copying);
	uint8_t *bytes = copying->buffer->bytes;

	errno = 0;
	/* The snapshot may have been another thread's before. */
	snapshot->goroutine = (struct sprof_goroutine){0};
	snapshot->script = NULL;
	if (copying->plan->goroutine_size &&
		sprof_goroutine_read(&reading, &snapshot->regs, &snapshot->goroutine)) {
		copy_goroutine(copying, snapshot);
		return snapshot->stack.size || errno != ESRCH;
	}
	if (!use_ahead(copying, ahead, stack, snapshot))
		copy_current(copying, sp - SPROF_RED_ZONE, area_of(stack), bytes, &snapshot->stack);
	if (!snapshot->stack.size && !stack)
		copy(copying, sp, area_of(NULL), copying->plan->size, bytes, &snapshot->stack);
	copy_home(copying, stack, snapshot);
	sprof_interpreted_copy(copying, snapshot);
	return snapshot->stack.size || errno != ESRCH;
}
