/*
 * libunwind on a copied stack, through its remote interface (libunwind-dynamic(3), unw_init_remote
 * and the accessors). Never touches the process: no ptrace, no reading of its memory. CFI is read
 * from the mapped files.
 */
#include "unwind/full.h"

#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

#define dwarf_search_unwind_table UNW_OBJ(dwarf_search_unwind_table)

/* libunwind exports this for remote unwinders, and perf uses it, but no header declares it. */
extern int dwarf_search_unwind_table(unw_addr_space_t space, unw_word_t ip, unw_dyn_info_t *info,
	unw_proc_info_t *ret, int need_unwind_info, void *argument);

struct sprof_full_unwinder {
	unw_addr_space_t space;
	struct sprof_images *images;
	uint64_t signature_mask;
	uint64_t generation; /* of the maps that libunwind's cache describes */
	/* During a walk: */
	const struct sprof_snapshot *snapshot;
	const struct sprof_maps *maps;
	struct sprof_place place; /* the last module read from */
	uint64_t bias;            /* its run-time addresses minus its link-time addresses */
	bool beyond_copy, unknown_register;
};

/* LSB Core, "Program Unwind Tables"; libunwind aborts on other encodings (its issue 161). */
struct eh_frame_hdr {
	uint8_t version, eh_frame_encoding, count_encoding, table_encoding;
	int32_t eh_frame;
	uint32_t count;
};

enum {
	ENCODING_UDATA4 = 0x03,
	ENCODING_PCREL_SDATA4 = 0x1b,
	ENCODING_DATAREL_SDATA4 = 0x3b,
};

static bool enter_module(struct sprof_full_unwinder *full, uint64_t address)
{
	struct sprof_place place;

	if (!sprof_images_locate(full->images, full->maps, address, &place) || !place.image)
		return false;
	full->place = place;
	full->bias = address - place.address;
	return true;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *ret,
	int need_unwind_info, void *argument)
{
	struct sprof_full_unwinder *full = argument;
	unw_dyn_info_t info = {.format = UNW_INFO_FORMAT_REMOTE_TABLE, .end_ip = UINT64_MAX};
	struct eh_frame_hdr header;
	const uint8_t *bytes;
	uint64_t address;

	if (!enter_module(full, ip))
		return -UNW_ENOINFO;
	address = full->place.image->eh_frame_hdr_address;
	bytes = address ? sprof_image_at(full->place.image, address, sizeof(header)) : NULL;
	if (!bytes)
		return -UNW_ENOINFO;
	memcpy(&header, bytes, sizeof(header));
	if (header.version != 1 || header.eh_frame_encoding != ENCODING_PCREL_SDATA4 ||
		header.count_encoding != ENCODING_UDATA4 ||
		header.table_encoding != ENCODING_DATAREL_SDATA4 ||
		header.count > full->place.image->size / 8)
		return -UNW_ENOINFO;
	info.u.rti.segbase = address + full->bias;
	info.u.rti.table_data = info.u.rti.segbase + sizeof(header);
	info.u.rti.table_len = header.count * 8 / sizeof(unw_word_t);
	return dwarf_search_unwind_table(space, ip, &info, ret, need_unwind_info, argument);
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *argument)
{
}

static int no_dynamic_info(unw_addr_space_t space, unw_word_t *ret, void *argument)
{
	return -UNW_ENOINFO;
}

/*
 * Also accepts addresses that are not code: libunwind reads cached DWARF expressions again from
 * .eh_frame, which most files map separately from the code.
 */
static bool enter_module_around(struct sprof_full_unwinder *full, uint64_t address)
{
	for (size_t i = 0; i < full->maps->count; i++) {
		const struct sprof_mapping *mapping = &full->maps->items[i];
		struct sprof_place place;

		if (!mapping->executable ||
			!sprof_images_locate(full->images, full->maps, mapping->start, &place) ||
			!place.image ||
			!sprof_image_at(place.image, address - mapping->start + place.address, 1))
			continue;
		full->place = place;
		full->bias = mapping->start - place.address;
		return true;
	}
	return false;
}

/* A word of code or CFI from the mapped file. */
static bool read_image(struct sprof_full_unwinder *full, uint64_t address, unw_word_t *ret)
{
	const uint8_t *bytes = NULL;

	if (full->place.image)
		bytes = sprof_image_at(full->place.image, address - full->bias, sizeof(*ret));
	if (!bytes && (enter_module(full, address) || enter_module_around(full, address)))
		bytes = sprof_image_at(full->place.image, address - full->bias, sizeof(*ret));
	if (bytes)
		memcpy(ret, bytes, sizeof(*ret));
	return bytes;
}

/*
 * libunwind before 1.7 does not handle signed return addresses, and does not say which words it
 * takes for one. No other pointer to code has these bits.
 */
static unw_word_t without_signature(const struct sprof_full_unwinder *full, unw_word_t word)
{
	uint64_t address = word & ~full->signature_mask;
	const struct sprof_mapping *mapping;

	if (address == word)
		return word;
	mapping = sprof_maps_find(full->maps, address);
	return mapping && mapping->executable ? address : word;
}

static int access_memory(
	unw_addr_space_t space, unw_word_t address, unw_word_t *value, int write, void *argument)
{
	struct sprof_full_unwinder *full = argument;
	enum sprof_stack_read got;

	if (write)
		return -UNW_EINVAL;
	got = sprof_snapshot_word(full->snapshot, address, value);
	if (got == SPROF_STACK_OK)
		*value = without_signature(full, *value);
	if (got == SPROF_STACK_OK || read_image(full, address, value))
		return 0;
	full->beyond_copy = got == SPROF_STACK_BEYOND_COPY;
	return -UNW_EINVAL;
}

static int access_register(
	unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write, void *argument)
{
	struct sprof_full_unwinder *full = argument;

	if (write)
		return -UNW_EREADONLYREG;
	if (number < 0 || !sprof_regs_has(&full->snapshot->regs, (unsigned)number)) {
		full->unknown_register = true;
		return -UNW_EBADREG;
	}
	*value = without_signature(full, full->snapshot->regs.values[number]);
	return 0;
}

static int no_float_register(
	unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write, void *argument)
{
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument)
{
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size,
	unw_word_t *offset, void *argument)
{
	return -UNW_ENOINFO;
}

struct sprof_full_unwinder *sprof_full_unwinder_create(
	struct sprof_images *images, uint64_t signature_mask)
{
	unw_accessors_t accessors = {
		/* copied by libunwind */
		.find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dynamic_info,
		.access_mem = access_memory,
		.access_reg = access_register,
		.access_fpreg = no_float_register,
		.resume = no_resume,
		.get_proc_name = no_name,
	};
	struct sprof_full_unwinder *full = calloc(1, sizeof(*full));

	if (!full)
		return NULL;
	full->images = images;
	full->signature_mask = signature_mask;
	full->space = unw_create_addr_space(&accessors, 0);
	if (!full->space) {
		free(full);
		return NULL;
	}
	unw_set_caching_policy(full->space, UNW_CACHE_GLOBAL);
	return full;
}

void sprof_full_unwinder_destroy(struct sprof_full_unwinder *full)
{
	if (!full)
		return;
	unw_destroy_addr_space(full->space);
	free(full);
}

/* libunwind's cache only stores addresses, so it is valid for one state of one process's maps. */
static void begin(struct sprof_full_unwinder *full, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps)
{
	if (full->generation != maps->generation)
		unw_flush_cache(full->space, 0, 0);
	full->generation = maps->generation;
	full->snapshot = snapshot;
	full->maps = maps;
	full->place = (struct sprof_place){0};
	full->beyond_copy = full->unknown_register = false;
}

/*
 * When CFI ends, libunwind guesses by frame pointers, and then returns 0 for "no more". So a walk
 * is complete only if its last frame has CFI without a caller.
 */
static enum sprof_full_end end_of(struct sprof_full_unwinder *full, int step, uint64_t last_pc)
{
	unw_proc_info_t info;

	if (step == 0 && !find_proc_info(full->space, last_pc - 1, &info, 0, full))
		return SPROF_FULL_ROOT;
	if (full->beyond_copy)
		return SPROF_FULL_STACK_COPY;
	return full->unknown_register ? SPROF_FULL_REGISTER : SPROF_FULL_FAILED;
}

/* Uses the CFI: unw_is_signal_frame(3) recognizes only frames that libunwind stepped out of without
 * CFI. */
static bool is_signal_frame(struct sprof_full_unwinder *full, uint64_t pc, bool is_return)
{
	struct sprof_place place;

	return sprof_images_locate(full->images, full->maps, pc - is_return, &place) &&
		place.rows && sprof_rows_find(place.rows, place.address).cfa == SPROF_CFA_SIGNAL;
}

enum sprof_full_end sprof_full_unwinder_walk(struct sprof_full_unwinder *full,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps,
	struct sprof_full_frame *frames, size_t size, size_t *ret_count)
{
	bool is_return = false;
	unw_cursor_t cursor;
	unw_word_t pc = 0, sp;
	struct sprof_full_frame last = {0};
	int step = -1;

	*ret_count = 0;
	begin(full, snapshot, maps);
	if (unw_init_remote(&cursor, full->space, full))
		return end_of(full, step, pc);
	for (;;) {
		if (unw_get_reg(&cursor, UNW_REG_IP, &pc))
			return SPROF_FULL_FAILED;
		if (*ret_count == size)
			return SPROF_FULL_DEPTH;
		if (unw_get_reg(&cursor, UNW_REG_SP, &sp))
			sp = 0;
		/*
		 * CFI that libunwind does not know, as for signed return addresses, may lead
		 * anywhere.
		 */
		if (sp && last.pc == pc && last.sp == sp)
			return SPROF_FULL_FAILED;
		last = (struct sprof_full_frame){pc, sp, is_return};
		frames[(*ret_count)++] = last;
		is_return = !is_signal_frame(full, pc, is_return);
		step = unw_step(&cursor);
		if (step <= 0)
			return end_of(full, step, pc);
	}
}
