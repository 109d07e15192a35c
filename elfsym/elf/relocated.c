/*
 * Relative relocations (System V ABI, "Relocation"; R_X86_64_RELATIVE and R_AARCH64_RELATIVE: load
 * bias plus addend). The packed form (DT_RELR) keeps the addend in place, so it is read like any
 * other word. Does not handle relocations by symbol. Does not handle the packed form in an image
 * read from memory, where the bias is already added.
 */
#include "elfsym/elf/relocated.h"

#include <string.h>

#include "elfsym/elf/dynamic.h"

#if defined(__x86_64__)
enum { RELATIVE = R_X86_64_RELATIVE };
#elif defined(__aarch64__)
enum { RELATIVE = R_AARCH64_RELATIVE };
#endif

enum { WORD = 8 };

static bool is_relative(const ElfW(Rela) *relocation)
{
	return ELF64_R_TYPE(relocation->r_info) == RELATIVE;
}

bool sprof_relocated_read(
	const struct sprof_image *image, uint64_t address, void *bytes, size_t size)
{
	const uint8_t *at = sprof_image_at(image, address, size);
	struct sprof_dynamic dynamic;

	if (!at)
		return false;
	memcpy(bytes, at, size);
	if (image->executable_file || !sprof_dynamic_read(image, &dynamic))
		return true;
	for (size_t i = 0; i < dynamic.relocation_count; i++) {
		const ElfW(Rela) *relocation = &dynamic.relocations[i];
		uint64_t offset = relocation->r_offset - address;
		uint64_t value = (uint64_t)relocation->r_addend;

		if (offset < size && size - offset >= WORD && is_relative(relocation))
			memcpy((uint8_t *)bytes + offset, &value, WORD);
	}
	return true;
}

static bool find_in_relocations(const struct sprof_image *image, uint64_t value,
	bool (*visit)(void *data, uint64_t address), void *data)
{
	struct sprof_dynamic dynamic;

	if (image->executable_file || !sprof_dynamic_read(image, &dynamic))
		return false;
	for (size_t i = 0; i < dynamic.relocation_count; i++) {
		const ElfW(Rela) *relocation = &dynamic.relocations[i];

		if ((uint64_t)relocation->r_addend == value && is_relative(relocation) &&
			visit(data, relocation->r_offset))
			return true;
	}
	return false;
}

static bool find_in_segment(const struct sprof_image *image, const struct sprof_segment *segment,
	uint64_t value, bool (*visit)(void *data, uint64_t address), void *data)
{
	uint64_t begin = (segment->address + WORD - 1) / WORD * WORD;
	size_t room = sprof_image_room(image, begin);
	const uint8_t *bytes = room ? sprof_image_at(image, begin, room) : NULL;

	for (size_t at = 0; bytes && room - at >= WORD; at += WORD) {
		if (memcmp(bytes + at, &value, WORD) == 0 && visit(data, begin + at))
			return true;
	}
	return false;
}

bool sprof_relocated_find(const struct sprof_image *image, uint64_t value,
	bool (*visit)(void *data, uint64_t address), void *data)
{
	if (find_in_relocations(image, value, visit, data))
		return true;
	for (size_t i = 0; i < image->segment_count; i++) {
		if (!image->segments[i].executable &&
			find_in_segment(image, &image->segments[i], value, visit, data))
			return true;
	}
	return false;
}
