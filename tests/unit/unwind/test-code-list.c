/* elfsym/code-list: the rows of any bytes are in order, and are there in bounded time. */
#include "unwind/code/flow.h"

#include <time.h>

#include "tests/unit/unwind/code-functions.h"

static void expect_bytes(
	const char *bytes, size_t size, const struct code_expected *rows, size_t count)
{
	struct code_module module;
	struct sprof_code code = {.address = CODE_ADDRESS, .size = (uint32_t)size};
	struct sprof_code_rows found = {0};

	code_module_init(&module, (const uint8_t *)bytes, size);
	code.bytes = module.bytes;
	code_run(&code, &found);
	assert_int_equal(found.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(found.items[i].offset, rows[i].at);
		assert_true(code_is_row(&rows[i], &found.items[i].row));
	}
	sprof_code_rows_finish(&found);
	code_module_finish(&module);
}

#define BYTES(literal) literal, sizeof(literal) - 1
#define COUNT(array) sizeof(array) / sizeof(*(array))

static void ends_and_garbage(void **state)
{
	static const struct code_expected one_row[] = {{.rule = SPROF_CFA_SP, .offset = 8}};
	static const struct code_expected unknown[] = {{.rule = SPROF_CFA_NONE}};
	static const struct code_expected then_unknown[] = {
		{.rule = SPROF_CFA_SP, .offset = 8}, {.at = 1, .rule = SPROF_CFA_NONE}};

	expect_bytes("", 0, NULL, 0);
	/* ret */
	expect_bytes(BYTES("\xc3"), one_row, COUNT(one_row));
	/* push %rbx; and the first half of sub $8, %rsp */
	expect_bytes(BYTES("\x53\x48\x83"), then_unknown, COUNT(then_unknown));
	/* push %rbx, and no instruction */
	expect_bytes(BYTES("\x53\x06"), then_unknown, COUNT(then_unknown));
	/* No instruction at all. */
	expect_bytes(BYTES("\x06\x07\x0e"), unknown, COUNT(unknown));
	/* jmp into the function before; to the end; to itself; jmp *%rax */
	expect_bytes(BYTES("\xeb\xf0"), one_row, COUNT(one_row));
	expect_bytes(BYTES("\xeb\x00"), one_row, COUNT(one_row));
	expect_bytes(BYTES("\xeb\xfe"), one_row, COUNT(one_row));
	expect_bytes(BYTES("\xff\xe0"), one_row, COUNT(one_row));
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* A bound that is far from what any of them takes; sanitizers are slower. */
enum { LONGEST_SECONDS = 60 };

/* The pattern again and again, to the longest function. */
static void expect_an_end(const char *pattern, size_t size)
{
	static uint8_t bytes[SPROF_CODE_LONGEST];
	struct code_module module;
	struct sprof_code code = {.bytes = bytes,
		.size = sizeof(bytes),
		.address = CODE_ADDRESS,
		.image = &module.image};
	struct sprof_code_flow *flow = sprof_code_flow_create();
	struct sprof_code_rows rows = {0};
	double begin = seconds();
	bool done;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)pattern[i % size];
	code_module_init(&module, bytes, sizeof(bytes));
	/* Too many blocks are too much memory. */
	done = sprof_code_flow_run(flow, &code, &rows);
	code_check_rows(&rows, code.size);
	print_message(
		"%zu rows%s, %.2f s\n", rows.count, done ? "" : " (no memory)", seconds() - begin);
	assert_true(seconds() - begin < LONGEST_SECONDS);
	sprof_code_rows_finish(&rows);
	sprof_code_flow_destroy(flow);
	code_module_finish(&module);
}

static void the_longest_functions(void **state)
{
	expect_an_end(BYTES("\x90"));
	expect_an_end(BYTES("\x53"));                     /* push %rbx */
	expect_an_end(BYTES("\x74\x00"));                 /* je, to the next one */
	expect_an_end(BYTES("\x74\x10\x53"));             /* je; push %rbx */
	expect_an_end(BYTES("\x75\xf0\x53\x5b"));         /* jne back; push %rbx; pop %rbx */
	expect_an_end(BYTES("\x53\xff\xd0"));             /* push %rbx; call *%rax */
	expect_an_end(BYTES("\xff\xd0\x90\x53"));         /* call *%rax; nop; push %rbx */
	expect_an_end(BYTES("\xc3\x53"));                 /* ret; push %rbx */
	expect_an_end(BYTES("\xff\xd0\x53\xc3"));         /* call *%rax; push %rbx; ret */
	expect_an_end(BYTES("\xff\xd0\xc3\x53\xeb\x02")); /* and a jump into the next one */
}

/* What takes longest: gaps, each of which is tried with every state that calls were in. */
static void long_functions_of_gaps(void **state)
{
	/* push %rbx; call *%rax; pop %rbx; call *%rax; ret; push %rbx; call *%rax; push %rbx; ret */
	expect_an_end(BYTES("\x53\xff\xd0\x5b\xff\xd0\xc3\x53\xff\xd0\x53\xc3"));
}

static void a_function_that_is_too_long(void **state)
{
	uint8_t *bytes = calloc(1, SPROF_CODE_LONGEST + 1);
	const struct sprof_code code = {
		.bytes = bytes, .size = SPROF_CODE_LONGEST + 1, .address = CODE_ADDRESS};
	struct sprof_code_rows rows = {0};

	assert_non_null(bytes);
	code_run(&code, &rows);
	assert_int_equal(rows.count, 0);
	sprof_code_rows_finish(&rows);
	free(bytes);
}

static void any_bytes(void **state)
{
	srandom(1);
	for (int round = 0; round < 3000; round++) {
		size_t size = 1 + (size_t)random() % 300;
		uint8_t *exact = malloc(size);
		const struct sprof_code code = {
			.bytes = exact, .size = (uint32_t)size, .address = CODE_ADDRESS};
		struct sprof_code_rows rows = {0};

		assert_non_null(exact);
		for (size_t i = 0; i < size; i++)
			exact[i] = (uint8_t)random();
		code_run(&code, &rows);
		assert_true(rows.count > 0);
		sprof_code_rows_finish(&rows);
		free(exact);
	}
}

TEST_MAIN("code-list")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_and_garbage),
		cmocka_unit_test(the_longest_functions),
		cmocka_unit_test(long_functions_of_gaps),
		cmocka_unit_test(a_function_that_is_too_long),
		cmocka_unit_test(any_bytes),
	};
	int skipped = code_tests_skipped();

	return skipped ? skipped : cmocka_run_group_tests(tests, NULL, NULL);
}
