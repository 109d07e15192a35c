/*
 * Broken files: cut off anywhere, with bytes changed anywhere. What comes out does not matter as
 * long as something does, soon, and the sanitizers are content.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/dwarf/inlined.h"
#include "elfsym/names/symbols.h"
#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

enum { CUTS = 200, MUTANTS = 400, CHANGES = 20, PLACES = 40 };

static bool is_meant(const void *data, const char *name, const char *linkage)
{
	return strlen(name) > 4 || linkage;
}

/* Names places all over the file and around those of the subject. */
static void look_at(const void *bytes, size_t size, uint64_t text)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module *module = memory_module(modules, "broken", bytes, size);
	struct sprof_symbols_options options = {.no_inlines = random() % 4 == 0};
	struct sprof_symbols *symbols;
	struct sprof_locations locations;
	struct sprof_error err;

	assert_true(sprof_symbols_create(modules, &options, &symbols, &err));
	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t offset = i % 2 ? text + i * 4 : i * (size / PLACES);

		assert_true(sprof_symbols_resolve(symbols, module->id, offset, &locations, &err));
		assert_true(locations.count >= 1);
		for (size_t k = 0; k < locations.count; k++)
			assert_true(strlen(locations.items[k].function) > 0);
	}
	sprof_symbols_destroy(symbols);
	sprof_inlined_find(module, &(struct sprof_debug_places){.root = "/nowhere"},
		&(struct sprof_inlined_wish){NULL, is_meant});
	sprof_modules_destroy(modules);
}

static void test_cut(void **state)
{
	size_t size;
	unsigned char *bytes = read_file(subject_path("subject"), &size);
	uint64_t text = subject_place("subject", "main").offset;

	for (size_t i = 0; i < CUTS; i++)
		look_at(bytes, size * i / CUTS, text);
	free(bytes);
}

/* The places where a change has an effect: headers, and sections that elfsym reads. */
static size_t pick(const unsigned char *bytes, size_t size)
{
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);
	size_t index = (size_t)random() % (header->e_shnum + 2u);
	const Elf64_Shdr *section = &sections[index % header->e_shnum];

	if (index == header->e_shnum)
		return header->e_shoff + (size_t)random() % (header->e_shnum * sizeof(*section));
	if (index > header->e_shnum || !section->sh_size || section->sh_type == SHT_NOBITS)
		return (size_t)random() % size;
	/* The beginning of a section has its own headers more often. */
	if (random() % 2)
		return section->sh_offset +
			(size_t)random() % (section->sh_size < 64 ? section->sh_size : 64);
	return section->sh_offset + (size_t)random() % section->sh_size;
}

static void change_and_look(const char *subject)
{
	static const unsigned char values[] = {0, 1, 0x7f, 0x80, 0xff};
	size_t size;
	unsigned char *bytes = read_file(subject_path(subject), &size);
	unsigned char *mutant = malloc(size);
	uint64_t text = subject_place(subject, "main").offset;

	for (int i = 0; i < MUTANTS; i++) {
		memcpy(mutant, bytes, size);
		for (long k = random() % CHANGES; k >= 0; k--)
			mutant[pick(bytes, size)] =
				random() % 2 ? (unsigned char)random() : values[random() % 5];
		look_at(mutant, size, text);
	}
	free(mutant);
	free(bytes);
}

static void test_changed(void **state)
{
	srandom(1);
	change_and_look("subject");
	change_and_look("subject-dwarf4");
	change_and_look("subject-zlib");
}

/* The strings of the symbols don't end: each section of strings loses its last NUL. */
static void test_endless_strings(void **state)
{
	size_t size;
	unsigned char *bytes = read_file(subject_path("subject-no-dwarf"), &size);
	const Elf64_Ehdr *header = (const void *)bytes;
	const Elf64_Shdr *sections = (const void *)(bytes + header->e_shoff);

	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_STRTAB)
			memset(bytes + sections[i].sh_offset + sections[i].sh_size / 2, 'x',
				sections[i].sh_size - sections[i].sh_size / 2);
	look_at(bytes, size, subject_place("subject-no-dwarf", "main").offset);
	free(bytes);
}

TEST_MAIN("hostile")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_changed),
		cmocka_unit_test(test_endless_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
