/*
 * elfsym/computed: the rows of a program's functions, what a signal handler returns to, and how often the rows are those
 * of the unwind tables, in this program and in the C library.
 */
#include "unwind/code/computed.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "elfsym/cfi/cfi.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/code/frame-distance.h"
#include "tests/unit/unwind/code-functions.h"

__asm__(".pushsection .text\n"
	"code_begin:\n"
	"first: push %rbx; call second; pop %rbx; ret\n"
	"second: sub $24, %rsp; call third; add $24, %rsp; ret\n"
	"third: test %edi, %edi; je 1f; call never; 1: ret\n"
	"never: sub $8, %rsp; ud2\n"
	"nop\n"
	"signal_return: mov $15, %rax; syscall\n"
	"nop\n"
	"short_signal_return: mov $15, %eax; syscall\n"
	"nop; nop; nop; nop\n"
	"code_end:\n"
	".popsection\n");

extern const uint8_t code_begin[], code_end[], first[], second[], third[], never[], signal_return[],
	short_signal_return[];

/* `count` symbols tell of functions that nothing calls. */
static struct sprof_image *open_program(size_t count)
{
	const struct code_symbol symbols[] = {{"first", 0},
		{"signal_return", (uint32_t)(signal_return - code_begin)},
		{"short_signal_return", (uint32_t)(short_signal_return - code_begin)}};
	const struct code_program program = {.code = code_begin,
		.size = (size_t)(code_end - code_begin),
		.symbols = symbols,
		.symbol_count = count};
	struct sprof_image *image = code_image_open(&program);

	assert_non_null(image);
	return image;
}

static struct sprof_cfi_row find(
	struct sprof_computed *computed, const uint8_t *function, uint64_t at)
{
	uint64_t address = CODE_ADDRESS + (uint64_t)(function - code_begin) + at;
	struct sprof_cfi_row row = sprof_computed_find(computed, address);

	assert_true(row.end > address);
	return row;
}

static void expect_sp(struct sprof_computed *computed, const uint8_t *function, uint64_t at,
	int32_t offset, uint64_t end)
{
	struct sprof_cfi_row row = find(computed, function, at);

	assert_int_equal(row.cfa, SPROF_CFA_SP);
	assert_int_equal(row.cfa_offset, offset);
	assert_int_equal(row.end, CODE_ADDRESS + (uint64_t)(function - code_begin) + end);
}

static void rows_of_a_program(void **state)
{
	struct sprof_image *image = open_program(3);
	struct sprof_computed *computed = sprof_computed_create(image);

	expect_sp(computed, second, 0, 8, 4);
	expect_sp(computed, second, 4, 32, 13);
	expect_sp(computed, second, 12, 32, 13);
	expect_sp(computed, second, 13, 8, 14);
	expect_sp(computed, first, 0, 8, 1);
	expect_sp(computed, first, 1, 16, 7);
	expect_sp(computed, first, 7, 8, 8);
	/* The call before doesn't return; the depth is the same. */
	expect_sp(computed, third, 9, 8, 10);
	expect_sp(computed, never, 4, 16, 6);
	expect_sp(computed, second, 4, 32, 13);
	sprof_computed_destroy(computed);
	sprof_image_close(image);
}

static void what_a_handler_returns_to(void **state)
{
	struct sprof_image *image = open_program(3);
	struct sprof_computed *computed = sprof_computed_create(image);

	assert_int_equal(find(computed, signal_return, 0).cfa, SPROF_CFA_SIGNAL);
	/* It is looked up as a return address is. */
	assert_int_equal(find(computed, signal_return, (uint64_t)-1).cfa, SPROF_CFA_SIGNAL);
	assert_int_equal(find(computed, short_signal_return, 0).cfa, SPROF_CFA_SIGNAL);
	assert_int_not_equal(find(computed, short_signal_return, 5).cfa, SPROF_CFA_SIGNAL);
	sprof_computed_destroy(computed);
	sprof_image_close(image);
}

static void expect_none(struct sprof_computed *computed, uint64_t address)
{
	struct sprof_cfi_row row = sprof_computed_find(computed, address);

	assert_int_equal(row.cfa, SPROF_CFA_NONE);
	assert_true(row.end == address + 1);
}

static void where_no_function_is(void **state)
{
	struct sprof_image *image = open_program(0);
	struct sprof_computed *computed = sprof_computed_create(image);

	expect_none(computed, 0);
	expect_none(computed, CODE_ADDRESS - 1);
	/* Nothing calls the first one, and it has no symbol. */
	expect_none(computed, CODE_ADDRESS);
	expect_none(computed, CODE_ADDRESS + (uint64_t)(code_end - code_begin));
	expect_none(computed, UINT64_MAX);
	expect_sp(computed, second, 4, 32, 13);
	sprof_computed_destroy(computed);
	sprof_computed_destroy(NULL);
	sprof_image_close(image);
}

static void without_a_decoder(void **state)
{
	struct sprof_image *image = open_program(3);
	struct sprof_computed *computed = sprof_computed_create(image);

	expect_none(computed, CODE_ADDRESS);
	sprof_computed_destroy(computed);
	sprof_image_close(image);
}

/* A file whose own unwind tables are the truth. */
struct truth {
	struct sprof_image *image;
	struct sprof_cfi *cfi;
	struct sprof_code_starts starts;
	struct sprof_code_returns *returns;
	struct sprof_code_flow *flow;
	uint64_t equal, unknown, different;
};

/* The CFA may be told by the other register: then its distance to the saved word tells. */
static bool is_equal(const struct sprof_cfi_row *cfi, const struct sprof_cfi_row *computed)
{
	if (cfi->ra == SPROF_REG_UNDEFINED || computed->ra == SPROF_REG_UNDEFINED)
		return cfi->ra == computed->ra;
	if (cfi->cfa == computed->cfa)
		return cfi->cfa_offset == computed->cfa_offset && cfi->cfa_add == computed->cfa_add;
	return computed->fp == SPROF_REG_SAVED && cfi->fp == SPROF_REG_SAVED &&
		cfi->fp_offset == computed->fp_offset;
}

static void compare_at(struct truth *truth, const struct sprof_cfi_row *computed, uint64_t address)
{
	struct sprof_cfi_row cfi = sprof_cfi_find(truth->cfi, address);

	if (cfi.cfa == SPROF_CFA_OTHER)
		return;
	if (computed->cfa == SPROF_CFA_NONE && computed->ra != SPROF_REG_UNDEFINED)
		truth->unknown++;
	else if (is_equal(&cfi, computed))
		truth->equal++;
	else
		truth->different++;
}

/* Padding never runs. */
static bool is_padding(const struct sprof_code *code, uint32_t at)
{
	struct sprof_instruction one;

	return sprof_instruction_decode(
		       code->bytes + at, code->size - at, code->address + at, &one) &&
		one.effect == SPROF_EFFECT_PADDING;
}

static void compare_function(
	struct truth *truth, const struct sprof_code *code, const struct sprof_code_rows *rows)
{
	size_t row = 0, length;

	for (uint32_t at = 0; at < code->size; at += (uint32_t)length) {
		length = sprof_instruction_size_x86_64(code->bytes + at, code->size - at);
		if (!length)
			return;
		while (row + 1 < rows->count && rows->items[row + 1].offset <= at)
			row++;
		if (!is_padding(code, at))
			compare_at(truth, &rows->items[row].row, code->address + at);
	}
}

/* Parts of functions, which are jumped to, are none that can be computed alone. */
static void compare_fde(struct truth *truth, const struct sprof_fde *fde)
{
	struct sprof_cfi_row entry = sprof_cfi_find(truth->cfi, fde->address);
	struct sprof_code code = {.image = truth->image,
		.returns = truth->returns,
		.address = fde->address,
		.size = (uint32_t)fde->size};
	struct sprof_code_rows rows = {0};

	if (entry.cfa != SPROF_CFA_SP || entry.cfa_offset != 8 || entry.ra == SPROF_REG_UNDEFINED ||
		fde->size > SPROF_CODE_LONGEST)
		return;
	code.bytes = sprof_image_at(truth->image, code.address, code.size);
	if (!code.bytes)
		return;
	assert_true(sprof_code_flow_run(truth->flow, &code, &rows));
	code_check_rows(&rows, code.size);
	if (rows.count)
		compare_function(truth, &code, &rows);
	sprof_code_rows_finish(&rows);
}

static void compare_file(struct truth *truth, const char *path)
{
	struct sprof_fdes fdes = {0};
	struct sprof_error err;

	*truth = (struct truth){.flow = sprof_code_flow_create()};
	assert_true(sprof_image_open_path(path, &truth->image, &err));
	assert_true(sprof_fdes_load(&fdes, truth->image, &err));
	assert_true(sprof_code_starts_load(&truth->starts, truth->image, true, &err));
	truth->returns = sprof_code_returns_create(truth->image, &truth->starts);
	truth->cfi = sprof_cfi_create(truth->image);
	assert_true(truth->flow && truth->returns && truth->cfi);
	for (size_t i = 0; i < fdes.count; i++)
		compare_fde(truth, &fdes.items[i]);
	sprof_cfi_destroy(truth->cfi);
	sprof_code_returns_destroy(truth->returns);
	sprof_code_starts_finish(&truth->starts);
	sprof_fdes_finish(&fdes);
	sprof_image_close(truth->image);
	sprof_code_flow_destroy(truth->flow);
}

static void expect_truth(const char *path, uint64_t least)
{
	struct truth truth;
	uint64_t all;

	compare_file(&truth, path);
	all = truth.equal + truth.unknown + truth.different;
	print_message("%llu instructions: %llu unknown, %llu different\n", (unsigned long long)all,
		(unsigned long long)truth.unknown, (unsigned long long)truth.different);
	assert_true(all >= least);
	assert_true(truth.equal * 1000 >= all * 995);
	assert_true(truth.different * 10000 < all * 5);
}

/* What the address sanitizer adds behind its reports is never reached, and its tables say what it likes. */
#if defined(__SANITIZE_ADDRESS__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#endif
#endif

#if !defined(IS_SANITIZED)
static void rows_as_in_the_tables_of_this_program(void **state)
{
	expect_truth("/proc/self/exe", 1000);
}
#endif

static void rows_as_in_the_tables_of_libc(void **state)
{
	Dl_info info;

	assert_true(dladdr((void *)(uintptr_t)&abort, &info));
	if (!strstr(info.dli_fname, "libc.so")) {
		print_message("skipped: abort() is in %s\n", info.dli_fname);
		skip();
	}
	expect_truth(info.dli_fname, 100000);
}

TEST_MAIN("computed")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_a_program),
		cmocka_unit_test(what_a_handler_returns_to),
		cmocka_unit_test(where_no_function_is),
#if !defined(IS_SANITIZED)
		cmocka_unit_test(rows_as_in_the_tables_of_this_program),
#endif
		cmocka_unit_test(rows_as_in_the_tables_of_libc),
	};
	const struct CMUnitTest no_tests[] = {cmocka_unit_test(without_a_decoder)};

	return sprof_instruction_has_decoder() ? cmocka_run_group_tests(tests, NULL, NULL)
					       : cmocka_run_group_tests(no_tests, NULL, NULL);
}
