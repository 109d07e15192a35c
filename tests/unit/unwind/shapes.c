/*
 * Functions of many shapes, with what is left of old frames between the real ones. Does not handle other machines.
 */
#include "tests/unit/unwind/shapes.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "attach/proc/memory.h"
#include "tests/targets/target.h"

#if defined(__x86_64__)

enum { SCRATCH = 512, LARGE = 96 * 1024 };

/* Volatile, so that nothing about the way is known to the compiler. */
static volatile unsigned one = 1;
struct place *volatile place_to_fill;

/* By the kernel's hand: a sanitizer has its own ideas of what of a stack may be read. */
static MEASURED void copy_stack(struct place *place, uint64_t pc, uint64_t sp, uint64_t fp)
{
	struct sprof_snapshot *snapshot = &place->snapshot;

	*snapshot = (struct sprof_snapshot){.regs.known = 0};
	sprof_regs_set(&snapshot->regs, SPROF_REG_PC, pc);
	sprof_regs_set(&snapshot->regs, SPROF_REG_SP, sp);
	sprof_regs_set(&snapshot->regs, SPROF_REG_FP, fp);
	snapshot->stack.base = sp - SPROF_RED_ZONE;
	snapshot->stack.bytes = place->bytes;
	snapshot->stack.size = sprof_memory_read(
		getpid(), snapshot->stack.base, place->bytes, sizeof(place->bytes));
	snapshot->stack.floor = snapshot->stack.base;
	snapshot->stack.limit = snapshot->stack.base + snapshot->stack.size;
}

/* The thread stands in the function that this is inlined into. */
static inline __attribute__((always_inline)) void stand(void)
{
	uint64_t pc, sp, fp;

	__asm__ volatile("lea 0(%%rip), %0\n\tmov %%rsp, %1\n\tmov %%rbp, %2"
			 : "=r"(pc), "=r"(sp), "=r"(fp));
	copy_stack(place_to_fill, pc, sp, fp);
}

/* Uses an array without writing to it: what others have left there stays. */
static inline __attribute__((always_inline)) void keep(void *bytes)
{
	__asm__ volatile("" : : "r"(bytes) : "memory");
}

/* The shapes. All that they have of their own below a frame is full of what earlier calls have left. */

MEASURED unsigned litter(unsigned depth)
{
	volatile unsigned room[4] = {depth};

	return depth ? litter(depth - 1) + room[depth % 4] : room[0];
}

MEASURED unsigned litter_by_alloca(unsigned depth)
{
	char *room = __builtin_alloca(16 + depth % 3 * 32);

	keep(room);
	return depth ? litter_by_alloca(depth - 1) + one : one;
}

MEASURED unsigned leaf(unsigned more)
{
	char *room = __builtin_alloca(one * SCRATCH);

	keep(room);
	stand();
	return more + one;
}

/* No frame pointer of its own (but in the other build): the search begins at its caller. */
MEASURED unsigned plain_leaf(unsigned more)
{
	char room[SCRATCH];

	keep(room);
	stand();
	return more + one;
}

MEASURED unsigned by_alloca(step *next, unsigned size)
{
	char *room = __builtin_alloca(one * size);
	unsigned result;

	keep(room);
	result = next(size) + one;
	keep(room);
	return result;
}

MEASURED unsigned middle(unsigned more)
{
	char room[SCRATCH];
	unsigned result;

	keep(room);
	result = leaf(more) + one;
	keep(room);
	return result;
}

MEASURED unsigned above_plain(unsigned more)
{
	char *room = __builtin_alloca(one * SCRATCH);

	keep(room);
	return plain_leaf(more) + one;
}

MEASURED unsigned recursion(unsigned more)
{
	char *room = __builtin_alloca(one * 48);

	keep(room);
	if (!more)
		return middle(more);
	return recursion(more - 1) + one;
}

MEASURED unsigned recursion_to_itself(unsigned more)
{
	char *room = __builtin_alloca(one * 48);

	keep(room);
	if (!more)
		stand();
	return more ? recursion_to_itself(more - 1) + one : one;
}

MEASURED unsigned plain_recursion(unsigned more)
{
	char room[SCRATCH / 4];

	keep(room);
	if (!more)
		stand();
	return more ? plain_recursion(more - 1) + one : one;
}

MEASURED unsigned jumps_on(unsigned more)
{
	return leaf(more + one);
}

static MEASURED unsigned jumps_twice(unsigned more)
{
	return jumps_on(more + one);
}

static MEASURED unsigned jumps_through_pointer(unsigned more)
{
	static step *volatile next = leaf;

	return next(more + one);
}

MEASURED unsigned to_what_jumps(unsigned more)
{
	return jumps_on(more) + one;
}

MEASURED unsigned to_what_jumps_twice(unsigned more)
{
	return jumps_twice(more) + one;
}

MEASURED unsigned to_what_jumps_through_pointer(unsigned more)
{
	return jumps_through_pointer(more) + one;
}

MEASURED unsigned through_pointer(unsigned more)
{
	static step *volatile next = middle;

	return next(more) + one;
}

static MEASURED unsigned in_a_large_frame(unsigned more)
{
	char room[LARGE];

	keep(room);
	stand();
	return more + one;
}

MEASURED unsigned above_a_large_frame(unsigned more)
{
	return in_a_large_frame(more) + one;
}

static MEASURED int compare(const void *left, const void *right)
{
	return (int)plain_leaf(left < right) - 1;
}

static MEASURED int compare_by_alloca(const void *left, const void *right)
{
	return (int)leaf(left < right) - 1;
}

MEASURED unsigned from_qsort_by_alloca(unsigned more)
{
	int numbers[] = {1, 2, (int)one};

	qsort(numbers, 3, sizeof(numbers[0]), compare_by_alloca);
	return more + one;
}

MEASURED unsigned from_qsort(unsigned more)
{
	int numbers[] = {1, 2, (int)one};

	qsort(numbers, 3, sizeof(numbers[0]), compare);
	return more + one;
}

MEASURED unsigned from_bsearch(unsigned more)
{
	const int numbers[] = {1, 2, 3}, key = 2;

	return bsearch(&key, numbers, 3, sizeof(key), compare) ? more : one;
}

static MEASURED void handle(int number)
{
	middle((unsigned)number);
}

MEASURED unsigned from_a_handler(unsigned more)
{
	signal(SIGUSR1, handle);
	raise(SIGUSR1);
	return more + one;
}

#endif
