/*
 * unwind/unwind on this very thread's own stack, of which backtrace(3) knows as much.
 */
#include "unwind/unwind.h"

#include <execinfo.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

#include "attach/module/read-maps.h"
#include "attach/proc/memory.h"
#include "tests/unit/check.h"

enum { DEPTH = 64 };

/* This process. */
struct world {
	struct sprof_modules *modules;
	struct sprof_maps maps;
	struct sprof_unwinder *unwinder;
};

static int world_create(void **state)
{
	const struct sprof_unwinder_options options = {.max_depth = DEPTH};
	struct world *world = calloc(1, sizeof(*world));
	struct sprof_error err;

	assert_non_null(world);
	world->modules = sprof_modules_create();
	assert_non_null(world->modules);
	assert_true(sprof_maps_read(&world->maps, getpid(), world->modules));
	assert_true(sprof_unwinder_create(world->modules, &options, &world->unwinder, &err));
	*state = world;
	return 0;
}

static int world_destroy(void **state)
{
	struct world *world = *state;

	sprof_unwinder_destroy(world->unwinder);
	sprof_maps_finish(&world->maps);
	sprof_modules_destroy(world->modules);
	free(world);
	return 0;
}

enum { OWN_STACK = 64 * 1024, REGISTER_RBX = 3 };

/* A place on this thread's stack, and backtrace(3)'s opinion of it. */
struct own_place {
	struct sprof_snapshot snapshot;
	uint8_t bytes[OWN_STACK];
	void *addresses[DEPTH];
	int count;
};

void note_place(struct own_place *place); /* called by assembly, too */
void __attribute__((noinline, used)) note_place(struct own_place *place)
{
	ucontext_t context;
	struct sprof_snapshot *snapshot = &place->snapshot;

	getcontext(&context);
	sprof_regs_set(&snapshot->regs, REGISTER_RBX, (uint64_t)context.uc_mcontext.gregs[REG_RBX]);
	place->count = backtrace(place->addresses, DEPTH);
	sprof_regs_set(&snapshot->regs, SPROF_REG_PC, (uint64_t)context.uc_mcontext.gregs[REG_RIP]);
	sprof_regs_set(&snapshot->regs, SPROF_REG_SP, (uint64_t)context.uc_mcontext.gregs[REG_RSP]);
	sprof_regs_set(&snapshot->regs, SPROF_REG_FP, (uint64_t)context.uc_mcontext.gregs[REG_RBP]);
	snapshot->stack.base = snapshot->regs.values[SPROF_REG_SP] - SPROF_RED_ZONE;
	snapshot->stack.bytes = place->bytes;
	/* By the kernel's hand: a sanitizer has its own ideas of what of a stack may be read. */
	snapshot->stack.size = sprof_memory_read(
		getpid(), snapshot->stack.base, place->bytes, sizeof(place->bytes));
}

/* The run-time address of a frame whose module is a file. */
static uint64_t address_of(const struct sprof_maps *maps, const struct sprof_frame *frame)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct sprof_mapping *mapping = &maps->items[i];

		if (mapping->module == frame->module && frame->offset >= mapping->offset &&
			frame->offset - mapping->offset <= mapping->end - mapping->start)
			return mapping->start + (frame->offset - mapping->offset);
	}
	return 0;
}

/*
 * Its CFA is found by rbx, as that of the dynamic linker's resolver. The second function knows no
 * rbx: its own value is a wrong CFA.
 */
void note_place_by_rbx(struct own_place *place);
__asm__(".text\n"
	".type note_place_by_rbx, @function\n"
	"note_place_by_rbx:\n"
	".cfi_startproc\n"
	"pushq %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbx, -16\n"
	"movq %rsp, %rbx\n"
	".cfi_def_cfa_register %rbx\n"
	"andq $-64, %rsp\n"
	"subq $256, %rsp\n"
	"callq note_place_with_another_rbx\n"
	"movq %rbx, %rsp\n"
	".cfi_def_cfa_register %rsp\n"
	"popq %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n"
	"ret\n"
	".cfi_endproc\n"
	".size note_place_by_rbx, . - note_place_by_rbx\n"
	".type note_place_with_another_rbx, @function\n"
	"note_place_with_another_rbx:\n"
	".cfi_startproc\n"
	"pushq %rbx\n"
	".cfi_adjust_cfa_offset 8\n"
	".cfi_offset %rbx, -16\n"
	"movq $0x1230, %rbx\n"
	"callq note_place\n"
	"popq %rbx\n"
	".cfi_adjust_cfa_offset -8\n"
	".cfi_restore %rbx\n"
	"ret\n"
	".cfi_endproc\n"
	".size note_place_with_another_rbx, . - note_place_with_another_rbx\n");

/*
 * The innermost frame is another line of the same function, and a sanitizer's backtrace begins
 * further in; from our caller on all are the same.
 */
static void expect_backtrace(void **state, void (*note)(struct own_place *place))
{
	struct world *world = *state;
	struct own_place *place = calloc(1, sizeof(*place));
	struct sprof_stack_view stack;
	size_t first = 0;

	assert_non_null(place);
	note(place);
	stack = sprof_unwinder_walk(world->unwinder, &place->snapshot, &world->maps);
	assert_int_equal(stack.end, SPROF_END_ROOT);
	assert_true(stack.count > 4);
	while (first < DEPTH &&
		(uintptr_t)place->addresses[first] != address_of(&world->maps, &stack.frames[1]))
		first++;
	assert_int_equal((size_t)place->count - first, stack.count - 1);
	for (size_t i = 1; i < stack.count; i++)
		assert_true((uintptr_t)place->addresses[first + i - 1] ==
			address_of(&world->maps, &stack.frames[i]));
	free(place);
}

static void this_thread_as_backtrace_sees_it(void **state)
{
	expect_backtrace(state, note_place);
}

static void a_cfa_by_another_register(void **state)
{
	expect_backtrace(state, note_place_by_rbx);
}

/* What is on top of the stack follows no call: another word than a return address. */
static void a_pc_in_no_code_with_another_word(void **state)
{
	struct world *world = *state;
	struct sprof_snapshot snapshot = {0};
	uint64_t word;

	snapshot.stack = (struct sprof_stack_copy){
		.base = 0x1000, .size = sizeof(word), .bytes = (const uint8_t *)&word};
	sprof_regs_set(&snapshot.regs, SPROF_REG_PC, 8);
	sprof_regs_set(&snapshot.regs, SPROF_REG_SP, 0x1000);
	for (uint64_t i = 0; i < 2; i++) {
		word = (uintptr_t)note_place + i;
		assert_int_equal(sprof_unwinder_walk(world->unwinder, &snapshot, &world->maps).end,
			SPROF_END_NO_MODULE);
	}
}

#define in_a_world(test) cmocka_unit_test_setup_teardown(test, world_create, world_destroy)

TEST_MAIN("own-stack")
{
	const struct CMUnitTest tests[] = {
		in_a_world(this_thread_as_backtrace_sees_it),
		in_a_world(a_cfa_by_another_register),
		in_a_world(a_pc_in_no_code_with_another_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
