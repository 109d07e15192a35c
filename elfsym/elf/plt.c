/*
 * Names PLT entries, which have no symbols. An entry jumps through a GOT slot. A relocation defines
 * the slot's content: a symbol's address, or an IFUNC resolver's result. So this file decodes the
 * entry's jump and looks up its slot. The first entry of .plt, the fallback of all others, has no
 * such slot and gets no name. Static programs have entries for IFUNCs, and relocations in a section
 * only.
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/elf/plt.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/dynamic.h"
#include "elfsym/elf/plt-decode.h"

/* The value that a relocation writes. */
struct target {
	const char *name; /* NULL: see resolver */
	uint64_t resolver;
};

struct slot {
	uint64_t address;
	struct target target;
};

struct slots {
	struct slot *items;
	size_t count;
	struct sprof_dynamic dynamic;
};

enum {
	ENTRY_SIZE = 16,
	SMALL_ENTRY_SIZE = 8, /* of x86_64 without IBT: .plt.got, and .plt of a static program */
	ARM_ENTRY_SIZE = 24,  /* at most */
	ARM_STEP = 4,
	ARM_GLOB_DAT = 1025,
	ARM_JUMP_SLOT = 1026,
	ARM_IRELATIVE = 1032, /* R_AARCH64_IRELATIVE: not every <elf.h> has it */
};

static int compare(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Other relocations of a symbol initialise variables, which may change. */
static bool is_of_slot(uint64_t type)
{
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == ARM_JUMP_SLOT ||
		type == ARM_GLOB_DAT;
}

static bool find_target(
	const struct sprof_dynamic *dynamic, const ElfW(Rela) *relocation, struct target *ret)
{
	uint64_t type = ELF64_R_TYPE(relocation->r_info);

	*ret = (struct target){0};
	if (is_of_slot(type))
		ret->name = sprof_dynamic_name(dynamic, ELF64_R_SYM(relocation->r_info));
	else if (type == R_X86_64_IRELATIVE || type == ARM_IRELATIVE)
		ret->resolver = (uint64_t)relocation->r_addend;
	return ret->name || ret->resolver;
}

static void add_slots(struct slots *slots, const ElfW(Rela) *relocations, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct slot slot = {.address = relocations[i].r_offset};

		if (find_target(&slots->dynamic, &relocations[i], &slot.target))
			slots->items[slots->count++] = slot;
	}
}

/* Reads the relocations that the linker leaves for a static program's start-up code. */
static void read_static(const struct sprof_image *image, struct sprof_dynamic *dynamic)
{
	struct sprof_section section;

	if (!sprof_image_section(image, ".rela.plt", &section) ||
		(uintptr_t)section.bytes % sizeof(uint64_t))
		return;
	dynamic->plt_relocations = (const void *)section.bytes;
	dynamic->plt_relocation_count = section.size / sizeof(*dynamic->plt_relocations);
}

static bool read_slots(const struct sprof_image *image, struct slots *slots)
{
	struct sprof_dynamic *dynamic = &slots->dynamic;

	if (!sprof_dynamic_read(image, dynamic))
		read_static(image, dynamic);
	slots->items = calloc(dynamic->plt_relocation_count + dynamic->relocation_count + 1,
		sizeof(*slots->items));
	if (!slots->items)
		return false;
	add_slots(slots, dynamic->plt_relocations, dynamic->plt_relocation_count);
	add_slots(slots, dynamic->relocations, dynamic->relocation_count);
	qsort(slots->items, slots->count, sizeof(*slots->items), compare);
	return true;
}

static bool target_of(
	const struct slots *slots, const struct sprof_plt_jump *jump, struct target *ret)
{
	const struct slot key = {.address = jump->slot}, *found;

	if (jump->is_index)
		return jump->index < slots->dynamic.plt_relocation_count &&
			find_target(
				&slots->dynamic, &slots->dynamic.plt_relocations[jump->index], ret);
	found = bsearch(&key, slots->items, slots->count, sizeof(*slots->items), compare);
	if (found)
		*ret = found->target;
	return found;
}

#if defined(__x86_64__)
/* A static program's section doesn't give its entry size; all of its entries are jumps. */
static size_t step_of(const struct sprof_section *section)
{
	struct sprof_plt_jump jump;

	if (section->entry_size)
		return section->entry_size == SMALL_ENTRY_SIZE ? SMALL_ENTRY_SIZE : ENTRY_SIZE;
	if (section->size >= ENTRY_SIZE &&
		!sprof_plt_decode(SPROF_MACHINE, section->bytes + SMALL_ENTRY_SIZE,
			SMALL_ENTRY_SIZE, 0, &jump))
		return ENTRY_SIZE;
	return SMALL_ENTRY_SIZE;
}

static bool decode(
	const struct sprof_section *section, size_t at, size_t step, struct sprof_plt_jump *ret)
{
	return sprof_plt_decode(
		SPROF_MACHINE, section->bytes + at, step, section->address + at, ret);
}
#elif defined(__aarch64__)
static size_t step_of(const struct sprof_section *section)
{
	return ARM_STEP;
}

static bool decode(
	const struct sprof_section *section, size_t at, size_t step, struct sprof_plt_jump *ret)
{
	size_t left = section->size - at;

	return sprof_plt_decode(SPROF_MACHINE, section->bytes + at,
		left < ARM_ENTRY_SIZE ? left : ARM_ENTRY_SIZE, section->address + at, ret);
}
#endif

static bool visit_section(const struct sprof_section *section, const struct slots *slots,
	sprof_plt_visitor *visit, void *data)
{
	size_t step = step_of(section);

	for (size_t at = 0; at < section->size && section->size - at >= step;) {
		struct sprof_plt_entry entry = {.address = section->address + at};
		struct sprof_plt_jump jump;
		struct target target;

		if (!decode(section, at, step, &jump)) {
			at += step;
			continue;
		}
		at += jump.size;
		entry.size = jump.size;
		if (!target_of(slots, &jump, &target))
			continue;
		entry.name = target.name;
		entry.resolver = target.resolver;
		if (!visit(data, &entry))
			return false;
	}
	return true;
}

bool sprof_plt_visit(const struct sprof_image *image, sprof_plt_visitor *visit, void *data)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
	struct slots slots = {0};
	struct sprof_section section;
	bool ok = read_slots(image, &slots);

	for (size_t i = 0; ok && i < sizeof(names) / sizeof(names[0]); i++) {
		if (sprof_image_section(image, names[i], &section))
			ok = visit_section(&section, &slots, visit, data);
	}
	free(slots.items);
	return ok;
}

bool sprof_plt_visit_slots(const struct sprof_image *image, sprof_plt_visitor *visit, void *data)
{
	struct slots slots = {0};
	bool ok = read_slots(image, &slots);

	for (size_t i = 0; ok && i < slots.count; i++)
		ok = visit(data,
			&(struct sprof_plt_entry){
				.address = slots.items[i].address,
				.size = sizeof(uint64_t),
				.name = slots.items[i].target.name,
				.resolver = slots.items[i].target.resolver,
			});
	free(slots.items);
	return ok;
}
