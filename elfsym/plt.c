/*
 * PLT entries have no symbols of their own. An entry jumps through a slot of the GOT, and a
 * relocation says whose address goes into the slot: so the entry's jump is decoded, and its slot is
 * looked up. Linkers differ in what stands around the jump, so it is searched for; the first entry
 * of .plt, which all others fall back to, jumps through no named slot and stays nameless.
 */
#include "elfsym/plt.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/dynamic.h"

struct slot {
	uint64_t address;
	const char *name;
};

struct slots {
	struct slot *items;
	size_t count;
};

enum {
	ENTRY_SIZE = 16,
	SMALL_ENTRY_SIZE = 8, /* .plt.got of x86_64 without IBT */
};

static int compare(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

static void add_slots(struct slots *slots, const struct sprof_dynamic *dynamic,
	const ElfW(Rela) * relocations, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = sprof_dynamic_name(dynamic, ELF64_R_SYM(relocations[i].r_info));

		if (name)
			slots->items[slots->count++] = (struct slot){relocations[i].r_offset, name};
	}
}

static bool read_slots(const struct sprof_dynamic *dynamic, struct slots *slots)
{
	slots->items = calloc(dynamic->plt_relocation_count + dynamic->relocation_count + 1,
		sizeof(*slots->items));
	if (!slots->items)
		return false;
	add_slots(slots, dynamic, dynamic->plt_relocations, dynamic->plt_relocation_count);
	add_slots(slots, dynamic, dynamic->relocations, dynamic->relocation_count);
	qsort(slots->items, slots->count, sizeof(*slots->items), compare);
	return true;
}

static const char *name_of_slot(const struct slots *slots, uint64_t address)
{
	const struct slot key = {.address = address};
	const struct slot *found =
		bsearch(&key, slots->items, slots->count, sizeof(*slots->items), compare);

	return found ? found->name : NULL;
}

#if defined(__x86_64__)
enum {
	JUMP_SIZE = 6
};

/* jmp *displacement(%rip), perhaps behind endbr64 and bnd; or push index, of a lazy IBT .plt. */
static const char *name_of_entry(const struct slots *slots, const struct sprof_dynamic *dynamic,
	const uint8_t *entry, size_t size, uint64_t address)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = memcmp(entry, endbr64, sizeof(endbr64)) ? 0 : sizeof(endbr64);
	int32_t operand;

	if (size - at >= 5 && entry[at] == 0x68 && at) {
		memcpy(&operand, entry + at + 1, sizeof(operand));
		if (operand < 0 || (size_t)operand >= dynamic->plt_relocation_count)
			return NULL;
		return sprof_dynamic_name(
			dynamic, ELF64_R_SYM(dynamic->plt_relocations[operand].r_info));
	}
	at += size - at > JUMP_SIZE && entry[at] == 0xf2;
	if (size - at < JUMP_SIZE || entry[at] != 0xff || entry[at + 1] != 0x25)
		return NULL;
	memcpy(&operand, entry + at + 2, sizeof(operand));
	return name_of_slot(slots, address + at + JUMP_SIZE + (uint64_t)(int64_t)operand);
}
#elif defined(__aarch64__)
/* adrp x16, page; ldr x17, [x16, offset]; perhaps behind bti c (Arm ARM, C6.2). */
static const char *name_of_entry(const struct slots *slots, const struct sprof_dynamic *dynamic,
	const uint8_t *entry, size_t size, uint64_t address)
{
	uint32_t words[3];
	size_t at;
	int64_t page;

	if (size < sizeof(words))
		return NULL;
	memcpy(words, entry, sizeof(words));
	at = words[0] == 0xd503245f;
	if ((words[at] & 0x9f00001f) != 0x90000010 || (words[at + 1] & 0xffc003ff) != 0xf9400211)
		return NULL;
	page = (int64_t)((uint64_t)(words[at] >> 5 & 0x7ffff) << 45) >> 43;
	page = (page | (words[at] >> 29 & 3)) * 4096;
	return name_of_slot(slots, ((address + at * 4) & ~(uint64_t)4095) + (uint64_t)page +
					   (words[at + 1] >> 10 & 0xfff) * 8);
}
#endif

static bool visit_section(const struct sprof_section *section, size_t step,
	const struct slots *slots, const struct sprof_dynamic *dynamic, sprof_plt_visitor *visit,
	void *data)
{
	for (size_t at = 0; section->size - at >= step; at += step) {
		struct sprof_plt_entry entry = {
			.address = section->address + at,
			.size = step,
			.name = name_of_entry(
				slots, dynamic, section->bytes + at, step, section->address + at),
		};

		if (entry.name && !visit(data, &entry))
			return false;
	}
	return true;
}

bool sprof_plt_visit(const struct sprof_image *image, sprof_plt_visitor *visit, void *data)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got"};
	struct sprof_dynamic dynamic;
	struct slots slots = {0};
	struct sprof_section section;
	bool ok;

	if (!sprof_dynamic_read(image, &dynamic) || !dynamic.symbols)
		return true;
	ok = read_slots(&dynamic, &slots);
	for (size_t i = 0; ok && i < sizeof(names) / sizeof(names[0]); i++) {
		if (!sprof_image_section(image, names[i], &section))
			continue;
		ok = visit_section(&section,
			section.entry_size == SMALL_ENTRY_SIZE ? SMALL_ENTRY_SIZE : ENTRY_SIZE,
			&slots, &dynamic, visit, data);
	}
	free(slots.items);
	return ok;
}
