/* elfsym/code-starts: functions by symbols, FDEs and calls, and those that never return by their names. */
#include "elfsym/code/starts.h"

#include "elfsym/cfi/fdes.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/code-image.h"

/* Addresses are for CODE_ADDRESS. */
__asm__(".pushsection .text\n"
	"code_begin:\n"
	"called_twice_here: call called; call called; call into_the_middle; ret\n"
	"called: push %rbx; pop %rbx\n"
	"into_the_middle: nop; push %rbx; pop %rbx; ret\n"
	".nops 5\n"
	"not_called: lea taken(%rip), %rdi; lea data(%rip), %rsi; jmp *%rax\n"
	"taken: mov $(taken_by_number - code_begin + 0x401000), %edi; ud2\n"
	"taken_by_number: lea not_taken - 0x1000(%rip), %rdi; ret\n"
	"not_taken: ret\n"
	"data: .ascii \"\\x06text\"\n"
	"code_end:\n"
	".popsection\n");

extern const uint8_t code_begin[], code_end[], called[], into_the_middle[], not_called[], taken[],
	taken_by_number[], not_taken[];

static uint32_t at(const uint8_t *label)
{
	return (uint32_t)(label - code_begin);
}

static void load(const struct code_program *program, struct sprof_code_starts *starts)
{
	struct sprof_image *image = code_image_open(program);
	struct sprof_error err;

	assert_non_null(image);
	assert_true(sprof_code_starts_load(starts, image, false, &err));
	for (size_t i = 1; i < starts->functions.count; i++)
		assert_true(starts->functions.items[i - 1] < starts->functions.items[i]);
	sprof_image_close(image);
}

static bool has(const struct sprof_code_starts *starts, const uint8_t *label)
{
	size_t found = sprof_code_starts_find(starts, CODE_ADDRESS + at(label));

	return found != SIZE_MAX && starts->functions.items[found] == CODE_ADDRESS + at(label);
}

static void functions_that_are_called_or_taken(void **state)
{
	struct code_program program = {.code = code_begin, .size = at(code_end)};
	struct sprof_code_starts starts = {0};

	load(&program, &starts);
	assert_true(has(&starts, called));
	assert_true(has(&starts, taken));
	assert_true(has(&starts, taken_by_number));
	/* The code before goes on into it. */
	assert_false(has(&starts, into_the_middle));
	assert_false(has(&starts, not_called));
	assert_false(has(&starts, not_taken));
	sprof_code_starts_finish(&starts);
	assert_int_equal(starts.functions.count, 0);
	/* In a program that can lie anywhere a number is no address. */
	program.is_dynamic = true;
	load(&program, &starts);
	assert_true(has(&starts, called));
	assert_false(has(&starts, taken_by_number));
	sprof_code_starts_finish(&starts);
}

static void functions_with_symbols(void **state)
{
	const struct code_symbol symbols[] = {{"main", 0}, {"same", 0},
		{"middle", at(into_the_middle)}, {"abort", at(not_called)},
		{"_ZSt20__throw_length_errorPKc", at(taken)}, {"aborted", at(not_taken)},
		{"_ZSt3maxv", at(taken_by_number)}};
	const struct code_program program = {.code = code_begin,
		.size = at(code_end),
		.symbols = symbols,
		.symbol_count = sizeof(symbols) / sizeof(*symbols)};
	struct sprof_code_starts starts = {0};

	load(&program, &starts);
	for (size_t i = 0; i < program.symbol_count; i++)
		assert_true(has(&starts, code_begin + symbols[i].at));
	assert_true(sprof_code_starts_is_end(&starts, CODE_ADDRESS + at(not_called)));
	assert_true(sprof_code_starts_is_end(&starts, CODE_ADDRESS + at(taken)));
	assert_false(sprof_code_starts_is_end(&starts, CODE_ADDRESS));
	assert_false(sprof_code_starts_is_end(&starts, CODE_ADDRESS + at(not_taken)));
	assert_false(sprof_code_starts_is_end(&starts, CODE_ADDRESS + at(taken_by_number)));
	sprof_code_starts_finish(&starts);
}

static void the_last_start_before_an_address(void **state)
{
	uint64_t items[] = {10, 20, 30};
	const struct sprof_code_starts starts = {.functions = {items, 3, 3}}, none = {0};

	assert_true(sprof_code_starts_find(&none, 0) == SIZE_MAX);
	assert_true(sprof_code_starts_find(&starts, 9) == SIZE_MAX);
	assert_int_equal(sprof_code_starts_find(&starts, 10), 0);
	assert_int_equal(sprof_code_starts_find(&starts, 19), 0);
	assert_int_equal(sprof_code_starts_find(&starts, 20), 1);
	assert_int_equal(sprof_code_starts_find(&starts, UINT64_MAX), 2);
}

static void a_program_without_code(void **state)
{
	const struct code_program program = {.code = code_begin, .size = 0};
	struct sprof_code_starts starts = {0};

	load(&program, &starts);
	assert_int_equal(starts.functions.count, 0);
	sprof_code_starts_finish(&starts);
}

/* This program's own functions: each FDE begins one, and most are there without them too. */
static void the_functions_of_this_program(void **state)
{
	struct sprof_code_starts starts = {0};
	struct sprof_fdes fdes = {0};
	struct sprof_image *image;
	struct sprof_error err;

	assert_true(sprof_image_open_path("/proc/self/exe", &image, &err));
	assert_true(sprof_code_starts_load(&starts, image, false, &err));
	assert_true(sprof_fdes_load(&fdes, image, &err));
	assert_true(fdes.count > 0);
	for (size_t i = 0; i < fdes.count; i++) {
		size_t found = sprof_code_starts_find(&starts, fdes.items[i].address);

		assert_true(found != SIZE_MAX &&
			starts.functions.items[found] == fdes.items[i].address);
	}
	sprof_fdes_finish(&fdes);
	sprof_code_starts_finish(&starts);
	sprof_image_close(image);
}

TEST_MAIN("code-starts")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_are_called_or_taken),
		cmocka_unit_test(functions_with_symbols),
		cmocka_unit_test(the_last_start_before_an_address),
		cmocka_unit_test(a_program_without_code),
		cmocka_unit_test(the_functions_of_this_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
