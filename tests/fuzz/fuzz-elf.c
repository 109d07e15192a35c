/*
 * A whole ELF file in memory, through everything that elfsym does with one: names with inline chains,
 * symbols, PLT, FDEs, CFI rows, explanations, inlined calls. Mutations go where they have an effect: the custom
 * mutator changes bytes inside of a section or of the headers more often than elsewhere.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/locals/caller.h"
#include "elfsym/dwarf/inlined.h"
#include "elfsym/locals/locals.h"
#include "elfsym/names/listing.h"
#include "elfsym/names/symbols.h"
#include "tests/fuzz/fuzz.h"

enum { PLACES = 24 };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static struct sprof_module *make_module(
	struct sprof_modules *modules, const uint8_t *data, size_t size, bool from_memory)
{
	const struct sprof_module_key key = {
		.kind = from_memory ? SPROF_MODULE_FILE : SPROF_MODULE_MEMORY, .path = "fuzzed"};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(modules, &key, &is_new);
	module->image = malloc(size ? size : 1);
	module->image_size = size;
	module->image_base = 0x7f0000000000;
	memcpy(module->image, data, size);
	return module;
}

/* Memory that has something everywhere, also addresses that lead on. */
static size_t read_memory(void *memory, uint64_t address, void *buffer, size_t size)
{
	memset(buffer, (int)(address & 0x7f), size);
	return size;
}

static void find_locals(struct sprof_symbols *symbols, uint64_t offset)
{
	const struct sprof_frame_machine machine = {
		.registers = {1, 2, 3}, .known = UINT64_MAX, .cfa = 0x1000, .read = read_memory};
	struct sprof_frame_position frames[] = {
		{.offset = offset, .machine = machine},
		{.offset = offset, .is_return = true, .machine = machine},
		{.offset = offset, .is_return = true, .machine = machine},
	};
	struct sprof_local_place place = {.frames = frames, .frame_count = 3};
	struct sprof_locals locals;
	struct sprof_error err;

	for (; place.level < 3; place.level++) {
		if (sprof_symbols_find_locals(symbols, &place, &locals, &err))
			sprof_locals_finish(&locals);
	}
	fuzz_require(sprof_symbols_leave_frame(symbols, 0, offset, &frames[0].machine, &err));
}

static void resolve(
	struct sprof_modules *modules, const struct sprof_symbols_options *options, size_t size)
{
	struct sprof_symbols *symbols;
	struct sprof_locations locations;
	struct sprof_symbols_gap gap;
	struct sprof_error err;

	if (!sprof_symbols_create(modules, options, &symbols, &err))
		return;
	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t offset = i % 2 ? 0x1000 + i * 16 : i * (size / PLACES);

		if (sprof_symbols_resolve(symbols, 0, offset, &locations, &err) && !locations.count)
			abort();
		find_locals(symbols, offset);
	}
	fuzz_require(sprof_symbols_explain(symbols, 0, &gap, &err));
	sprof_symbols_destroy(symbols);
}

/* By the row and by its expressions. */
static void step(struct sprof_cfi *cfi, uint64_t address)
{
	struct sprof_frame_machine machine = {
		.registers = {1, 2, 3}, .known = UINT64_MAX, .read = read_memory};
	uint64_t pc;

	sprof_cfi_find(cfi, address);
	if (sprof_cfi_find_cfa(cfi, address, &machine) &&
		sprof_cfi_find_caller(cfi, address, &machine, &pc))
		fuzz_require(!machine.cfa);
}

static void find_rows(const struct sprof_module *module, size_t size)
{
	struct sprof_image *image;
	struct sprof_error err;
	struct sprof_cfi *cfi;
	uint64_t address;

	if (!sprof_image_open(module, &image, &err))
		return;
	cfi = sprof_cfi_create(image);
	for (uint64_t i = 0; cfi && i < PLACES; i++) {
		if (sprof_image_address(image, i * (size / PLACES), &address))
			step(cfi, address);
	}
	sprof_cfi_destroy(cfi);
	sprof_image_close(image);
}

static bool is_meant(const void *data, const char *name, const char *linkage)
{
	return (name[0] & 1) || (linkage && strlen(linkage) > 12);
}

static void find_inlined(const struct sprof_module *module, const struct sprof_debug_places *places)
{
	const struct sprof_inlined_wish wish = {NULL, is_meant};
	const struct sprof_inlined found = sprof_inlined_find(module, places, &wish);

	fuzz_require(memchr(found.into, '\0', sizeof(found.into)) != NULL);
	fuzz_require(memchr(found.file, '\0', sizeof(found.file)) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sprof_debug_places nowhere = {.root = "/nonexistent"};
	const struct sprof_symbols_options options = {
		.debug_root = "/nonexistent",
		.no_inlines = size % 4 == 0,
	};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_module *module = make_module(modules, data, size, size % 8 == 1);
	struct sprof_listing listing;
	struct sprof_error err;

	resolve(modules, &options, size);
	if (sprof_listing_create(module, &nowhere, NULL, SPROF_LISTING_FILE, &listing, &err))
		sprof_listing_finish(&listing);
	find_rows(module, size);
	find_inlined(module, &nowhere);
	sprof_modules_destroy(modules);
	return 0;
}

/* The part of the file that the mutation goes to: a section's beginning, its whole, or the headers. */
static void choose(const uint8_t *data, size_t size, size_t *ret_offset, size_t *ret_size)
{
	const Elf64_Ehdr *header = (const void *)data;
	size_t count = header->e_shnum, table = header->e_shoff;
	Elf64_Shdr section;

	*ret_offset = 0;
	*ret_size = size;
	if (!count || table > size || size - table < count * sizeof(section) || random() % 16 == 0)
		return;
	if (random() % 8 == 0) {
		*ret_offset = table;
		*ret_size = count * sizeof(section);
		return;
	}
	memcpy(&section, data + table + (size_t)random() % count * sizeof(section),
		sizeof(section));
	if (section.sh_type == SHT_NOBITS || !section.sh_size || section.sh_offset > size ||
		section.sh_size > size - section.sh_offset)
		return;
	*ret_offset = section.sh_offset;
	*ret_size = section.sh_size > 64 && random() % 2 ? 64 : section.sh_size;
}

/* Most mutations keep the length, or all that follows would be at the wrong place. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};
	size_t offset, room;

	srandom(seed);
	if (size < sizeof(Elf64_Ehdr) || random() % 32 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	for (long i = random() % 6; i >= 0; i--) {
		choose(data, size, &offset, &room);
		data[offset + (size_t)random() % room] =
			random() % 2 ? (uint8_t)random() : values[random() % sizeof(values)];
	}
	return size;
}
