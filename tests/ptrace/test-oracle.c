/*
 * unwind/ against libunwind, on whole stacks of running programs: the same copies, walked by
 * compiled rows and by the full unwinder, give the same frames.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/ptrace/scene.h"
#include "tests/ptrace/stacks.h"
#include "tests/unit/check.h"

/*
 * The kernel's frame and what was interrupted. The handler's own are missing where a stop falls
 * between its return and the end of the system call that restores the registers.
 */
enum { SIGNAL_FRAMES = 2 };

/*
 * libunwind 1.6 takes the CFI instruction that says that a return address is signed for another
 * machine's (DW_CFA_AARCH64_negate_ra_state, DW_CFA_GNU_window_save), and finds one frame twice.
 */
#if defined(__ARM_FEATURE_PAC_DEFAULT)
enum { ORACLE_KNOWS = 0 };
#else
enum { ORACLE_KNOWS = 1 };
#endif

/* Where a leaf's return address is in a register, its caller is found without its stack. */
#if defined(__aarch64__)
enum { FOUND_WITHOUT_STACK = 1 };
#else
enum { FOUND_WITHOUT_STACK = 0 };
#endif

struct tally {
	unsigned samples, complete, equal;
	unsigned at_switch; /* ended behind a signal frame, where the copied stack does not lead on
			     */
	size_t frames, deepest;
};

static void print_difference(struct stacks *stacks, size_t common)
{
	print_message("end %s after %zu frames, full end %d after %zu, %zu in common\n",
		sprof_end_name(stacks->stack.end), stacks->stack.count, stacks->full_end,
		stacks->full_count, common);
	for (size_t i = common ? common - 1 : 0; i < common + 2; i++) {
		if (i < stacks->stack.count) {
			const struct sprof_frame *frame = &stacks->stack.frames[i];
			const struct sprof_module *module =
				sprof_modules_get(stacks->modules, frame->module);

			print_message("  %zu: %s+%#lx %s\n", i, sprof_module_name(module),
				(unsigned long)frame->offset, frame->is_return ? "return" : "");
		}
		if (i < stacks->full_count)
			print_message(
				"  %zu: full %#lx\n", i, (unsigned long)stacks->full_frames[i].pc);
	}
}

static bool ends_at_switch(const struct sprof_stack_view *stack)
{
	if (stack->end != SPROF_END_STACK_COPY || stack->count < SIGNAL_FRAMES)
		return false;
	return !stack->frames[stack->count - 1].is_return ||
		!stack->frames[stack->count - 1 - FOUND_WITHOUT_STACK].is_return;
}

static void compare(struct stacks *stacks, struct tally *tally)
{
	size_t common = stacks_common(stacks, 0, 0), count = stacks->stack.count;
	bool equal = !ORACLE_KNOWS || (common == count && common == stacks->full_count);

	tally->samples++;
	tally->complete += stacks->stack.end == SPROF_END_ROOT;
	tally->equal += equal;
	tally->at_switch += ends_at_switch(&stacks->stack);
	tally->frames += count;
	tally->deepest = count > tally->deepest ? count : tally->deepest;
	if (!equal && tally->samples - tally->equal < 4)
		print_difference(stacks, common);
}

static struct tally sample(struct scene *scene, unsigned samples)
{
	struct stacks *stacks = stacks_create();
	struct tally tally = {0};

	scene_attach(scene);
	for (unsigned i = 0; i < samples; i++) {
		stacks_take(stacks, scene);
		compare(stacks, &tally);
	}
	stacks_destroy(stacks);
	print_message("%u samples, %u complete, %u equal, %.1f frames, %zu at most\n",
		tally.samples, tally.complete, tally.equal, (double)tally.frames / tally.samples,
		tally.deepest);
	return tally;
}

static struct tally sample_target(
	struct scene *scene, const char *name, const char *argument, unsigned samples)
{
	scene_start(scene, name, argument);
	return sample(scene, samples);
}

static void expect_all_equal(const struct tally *tally)
{
	assert_int_equal(tally->complete, tally->samples);
	assert_int_equal(tally->equal, tally->samples);
}

static void threads_without_frame_pointers(void **state)
{
	struct tally tally = sample_target(*state, "answer", "4", 600);

	expect_all_equal(&tally);
}

static void a_deep_recursion(void **state)
{
	struct tally tally = sample_target(*state, "deep", "4000", 60);

	expect_all_equal(&tally);
	assert_true(tally.deepest > 4000);
}

static void signal_handlers(void **state)
{
	struct tally tally = sample_target(*state, "signal-frame", "async", 400);

	expect_all_equal(&tally);
}

static void signal_handlers_in_a_system_call(void **state)
{
	struct tally tally = sample_target(*state, "signal-frame", "raise", 400);

	expect_all_equal(&tally);
}

/*
 * The copy is of the stack that sp is in. A handler's stack ends at what it interrupted, for which
 * the other stack would be needed, in both walks alike.
 */
static void signal_handlers_on_an_alternate_stack(void **state)
{
	struct tally tally = sample_target(*state, "signal-frame", "alt", 400);

	assert_int_equal(tally.equal, tally.samples);
	assert_int_equal(tally.complete + tally.at_switch, tally.samples);
	assert_true(tally.at_switch > 0);
}

static void the_vdso(void **state)
{
	struct tally tally = sample_target(*state, "vdso", NULL, 600);

	expect_all_equal(&tally);
}

/*
 * In a leaf that has set up no frame (gcc leaves it out, clang does not) libunwind takes rbp for
 * its frame pointer, which is its caller's, and so loses the caller, and a few frames on itself.
 * Ours is there, between two frames that libunwind has too, and our walk goes on to the root.
 */
static void expect_caller_of_leaf(struct stacks *stacks)
{
	if (!ORACLE_KNOWS)
		return;
	if (stacks_common(stacks, 0, 0) == 1)
		assert_true(stacks_common(stacks, 2, 1) >= 2);
	else
		assert_true(stacks_common(stacks, 0, 0) >= 3);
}

static void code_without_cfi(void **state)
{
	struct stacks *stacks = stacks_create();
	struct scene *scene = *state;

	scene_start(scene, "spin-two-fp", NULL);
	scene_attach(scene);
	for (int i = 0; i < 300; i++) {
		stacks_take(stacks, scene);
		assert_int_equal(stacks->stack.end, SPROF_END_ROOT);
		/* The leaf, its caller, main, two of the C library, and _start; or main in the
		 * library. */
		if (stacks->stack.count == 6)
			expect_caller_of_leaf(stacks);
	}
	stacks_destroy(stacks);
}

static const char python_script[] =
	"import json, re, sys, threading\n"
	"stop = threading.Event()\n"
	"text = json.dumps({str(i): list(range(i % 50)) for i in range(500)})\n"
	"def parse():\n"
	"    while not stop.is_set(): json.dumps(json.loads(text), indent=1)\n"
	"def search():\n"
	"    while not stop.is_set(): re.sub(r'(\\d+), (\\d+)', lambda m: m[2] + m[1], text)\n"
	"def order():\n"
	"    while not stop.is_set(): sorted(text.split(), key=lambda w: (len(w), w))\n"
	"for work in (parse, search, order):\n"
	"    threading.Thread(target=work, daemon=True).start()\n"
	"print('ready', flush=True)\n"
	"sys.stdin.read()\n"
	"stop.set()\n";

static void an_interpreter_with_threads(void **state)
{
	char program[] = "/usr/bin/python3", option[] = "-c", script[sizeof(python_script)];
	char *arguments[] = {program, option, script, NULL};
	struct tally tally;

	if (access(program, X_OK))
		skip(); /* not installed */
	memcpy(script, python_script, sizeof(script));
	scene_start_command(*state, arguments);
	tally = sample(*state, 800);
	expect_all_equal(&tally);
}

TEST_MAIN("oracle")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(threads_without_frame_pointers),
		traced(a_deep_recursion),
		traced(signal_handlers),
		traced(signal_handlers_in_a_system_call),
		traced(signal_handlers_on_an_alternate_stack),
		traced(the_vdso),
		traced(code_without_cfi),
		traced(an_interpreter_with_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
