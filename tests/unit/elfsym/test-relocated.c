/*
 * elfsym/relocated: words of a file whose addresses are in relocations, in place, or both, and the search for one.
 */
#include "elfsym/elf/relocated.h"

#include "tests/unit/check.h"
#include "tests/unit/elfsym/go-image.h"

/* Places in the file that nothing else uses. */
enum { PLACE = GO_TREES_AT, WORDS = 4 };

static const struct go_image_options in_place = {.section = NULL};
static const struct go_image_options dynamic = {.is_dynamic = true};

static uint64_t target(uint64_t index)
{
	return GO_TEXT + index * 16;
}

/* Four words: the first and the third are addresses. */
static struct go_image make(const struct go_image_options *options)
{
	struct go_image image = go_image_make(options, "", 1);

	for (uint64_t i = 0; i < WORDS; i++)
		go_image_put_word(&image, PLACE + i * 8, i);
	go_image_put_address(&image, PLACE, target(0));
	go_image_put_address(&image, PLACE + 16, target(2));
	return image;
}

static void expect_words(const struct go_image_options *options)
{
	struct go_image made = make(options);
	struct sprof_image *image = go_image_open(&made);
	uint64_t words[WORDS];

	assert_non_null(image);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE, words, sizeof(words)));
	assert_true(words[0] == target(0) && words[1] == 1);
	assert_true(words[2] == target(2) && words[3] == 3);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE + 16, words, 8));
	assert_true(words[0] == target(2) && words[1] == 1);
	sprof_image_close(image);
}

static void addresses_are_as_linked(void **state)
{
	expect_words(&in_place);
	expect_words(&dynamic);
}

/* A relocation that is only half in what was asked for is not applied, nor is anything around it written to. */
static void a_part_of_an_address(void **state)
{
	struct go_image made = make(&dynamic);
	struct sprof_image *image = go_image_open(&made);
	uint64_t words[WORDS] = {0, 0, UINT64_MAX, UINT64_MAX};

	assert_true(sprof_relocated_read(image, GO_BASE + PLACE + 4, words, 16));
	assert_true(words[0] == (uint64_t)1 << 32 && words[1] == 0);
	assert_true(words[2] == UINT64_MAX && words[3] == UINT64_MAX);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE, words, 23));
	assert_true(words[0] == target(0) && words[2] >> 56 == 0xff);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE, words, 0));
	sprof_image_close(image);
}

static void outside_of_the_file(void **state)
{
	struct go_image made = make(&dynamic);
	size_t size = made.size;
	struct sprof_image *image = go_image_open(&made);
	uint64_t word;

	assert_false(sprof_relocated_read(image, 0, &word, sizeof(word)));
	assert_false(sprof_relocated_read(image, GO_BASE + size - 7, &word, sizeof(word)));
	assert_true(sprof_relocated_read(image, GO_BASE + size - 8, &word, sizeof(word)));
	assert_false(sprof_relocated_read(image, UINT64_MAX - 3, &word, sizeof(word)));
	sprof_image_close(image);
}

/* Those by symbol add what isn't known here. */
static void other_relocations_are_left_alone(void **state)
{
	struct go_image made = make(&dynamic);
	struct sprof_image *image;
	uint64_t word;

	go_image_relocate(&made, PLACE + 8, ELF64_R_INFO(1, 1), target(7));
	image = go_image_open(&made);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE + 8, &word, sizeof(word)));
	assert_true(word == 1);
	sprof_image_close(image);
}

/* A program that is not relocated has none to apply, whatever is in its dynamic section. */
static void a_program_at_its_own_place(void **state)
{
	struct go_image made = make(&in_place);
	struct sprof_image *image;
	uint64_t word;

	go_image_relocate(&made, PLACE + 8, ELF64_R_INFO(0, GO_RELATIVE), target(7));
	image = go_image_open(&made);
	assert_true(sprof_relocated_read(image, GO_BASE + PLACE + 8, &word, sizeof(word)));
	assert_true(word == 1);
	sprof_image_close(image);
}

struct visits {
	uint64_t addresses[8];
	size_t count, wanted; /* the visit that is content; 0: none */
};

static bool visit(void *data, uint64_t address)
{
	struct visits *visits = data;

	assert_true(visits->count < 8);
	visits->addresses[visits->count++] = address;
	return visits->count == visits->wanted;
}

static void expect_visits(const struct go_image_options *options)
{
	struct go_image made = make(options);
	struct sprof_image *image;
	struct visits all = {0}, first = {.wanted = 1}, none = {0};

	go_image_put_address(&made, PLACE + 32, target(2));
	/* Neither code nor what lies at no multiple of a word. */
	go_image_put_word(&made, GO_TEXT_AT, target(2));
	go_image_put_word(&made, PLACE + 44, target(2));
	image = go_image_open(&made);
	assert_false(sprof_relocated_find(image, target(2), visit, &all));
	/* A relocation's own addend is a word of loaded data too. */
	assert_int_equal(all.count, options->is_dynamic ? 4 : 2);
	assert_true(all.addresses[0] == GO_BASE + PLACE + 16);
	assert_true(all.addresses[1] == GO_BASE + PLACE + 32);
	assert_true(sprof_relocated_find(image, target(2), visit, &first));
	assert_int_equal(first.count, 1);
	assert_false(sprof_relocated_find(image, target(3), visit, &none));
	assert_int_equal(none.count, 0);
	sprof_image_close(image);
}

static void words_that_hold_an_address(void **state)
{
	expect_visits(&in_place);
	expect_visits(&dynamic);
}

/* The file's last word, and one that the file has only a part of. */
static void at_the_end_of_the_file(void **state)
{
	static const uint64_t table[] = {0, GO_TEXT + 2 * 16};

	for (size_t cut = 0; cut < 2; cut++) {
		struct go_image made = go_image_make(&in_place, table, sizeof(table) - cut);
		struct sprof_image *image = go_image_open(&made);
		struct visits visits = {.wanted = 1};

		assert_int_equal(sprof_relocated_find(image, target(2), visit, &visits), !cut);
		if (!cut)
			assert_true(visits.addresses[0] == GO_TABLE + 8);
		sprof_image_close(image);
	}
}

TEST_MAIN("relocated")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_as_linked),
		cmocka_unit_test(a_part_of_an_address),
		cmocka_unit_test(outside_of_the_file),
		cmocka_unit_test(other_relocations_are_left_alone),
		cmocka_unit_test(a_program_at_its_own_place),
		cmocka_unit_test(words_that_hold_an_address),
		cmocka_unit_test(at_the_end_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
