/*
 * The name that a program gave a thread (threading.Thread.name). Python passes it to the kernel
 * only since 3.14. While the thread runs, its outermost frame is that of Thread._bootstrap(), whose
 * first local variable is the thread object, with an attribute _name. Does not handle free-threaded
 * builds, nor threads that were not started by the module threading.
 *
 * Attributes are in a dict, or (since 3.11) in values owned by the object, with keys owned by its
 * type. Sizes and offsets are those of Objects/dict-common.h (up to 3.10),
 * Include/internal/pycore_dict.h, pycore_object.h and Include/cpython/object.h (since 3.11).
 */
#include <string.h>

#include "interp/python/python.h"

enum {
	WORD = 8,
	MOST_ATTRIBUTES = 128,
	MOST_ENTRY = 24,
	MOST_FRAME_LOCALS = 512,
	/* in a type */
	TYPE_FLAGS = 168,
	TYPE_SIZE = 32,
	TYPE_DICT_OFFSET = 288,
	HAS_MANAGED_DICT = 1 << 4,
	IS_HEAP_TYPE = 1 << 9,
	/* in a dict */
	DICT_KEYS = 32,
	DICT_VALUES = 40,
	/* in a dict's keys */
	KEYS_HEADER = 40,
	MOST_INDEX_BYTES = 1 << 16,
	/* in front of an object, since 3.11 */
	VALUES_BEFORE = 32,
	DICT_BEFORE = 24,
	/* in front of the values, since 3.13 */
	VALUES_HEADER = 8,
	VALUES_VALID = 3,
};

/* Differences between versions. */
static const struct layout {
	uint32_t version;
	uint32_t frame_locals; /* 0: after the frame's fixed part */
	uint32_t type_keys; /* the keys of the attributes that objects have themselves; 0: never */
} layouts[] = {
	{0x0308, 360, 0},
	{0x0309, 360, 0},
	{0x030a, 352, 0},
	{0x030b, 0, 872},
	{0x030c, 0, 880},
	{0x030d, 0, 880},
};

struct reading {
	const struct sprof_python_offsets *offsets;
	const struct sprof_interp_memory *memory;
	const struct layout *layout;
};

struct attributes {
	uint64_t keys;
	uint64_t values; /* 0: after the keys */
};

static bool read_bytes(const struct reading *reading, uint64_t address, void *bytes, size_t size)
{
	return reading->memory->read(reading->memory->data, address, bytes, size) == size;
}

static bool read_word(const struct reading *reading, uint64_t address, uint64_t *ret)
{
	return read_bytes(reading, address, ret, sizeof(*ret));
}

static bool find_in_dict(const struct reading *reading, uint64_t dict, struct attributes *ret)
{
	if (!dict || !read_word(reading, dict + DICT_KEYS, &ret->keys) ||
		!read_word(reading, dict + DICT_VALUES, &ret->values))
		return false;
	if (ret->values && reading->offsets->version >= 0x030d)
		ret->values += VALUES_HEADER;
	return true;
}

/* To 3.10: the type says where objects have their dict. */
static bool find_by_offset(
	const struct reading *reading, uint64_t object, uint64_t type, struct attributes *ret)
{
	uint64_t offset, dict;

	return read_word(reading, type + TYPE_DICT_OFFSET, &offset) && offset &&
		offset < UINT16_MAX && read_word(reading, object + offset, &dict) &&
		find_in_dict(reading, dict, ret);
}

/* Since 3.13 after the object: only if there is no dict. */
static bool find_behind(
	const struct reading *reading, uint64_t object, uint64_t type, struct attributes *ret)
{
	uint8_t header[VALUES_HEADER];
	uint64_t size;

	if (!read_word(reading, type + TYPE_SIZE, &size) || size > UINT16_MAX ||
		!read_bytes(reading, object + size, header, sizeof(header)) ||
		!header[VALUES_VALID])
		return false;
	ret->values = object + size + VALUES_HEADER;
	return true;
}

/* In 3.11 there are two pointers, one of them 0; in 3.12 one, with its lowest bit as the type. */
static bool find_before(
	const struct reading *reading, uint64_t object, uint64_t *ret_dict, struct attributes *ret)
{
	const bool has_two = reading->offsets->version == 0x030b;

	if (!read_word(reading, object - DICT_BEFORE, ret_dict) ||
		(has_two && !read_word(reading, object - VALUES_BEFORE, &ret->values)))
		return false;
	if (reading->offsets->version != 0x030c || !(*ret_dict & 1))
		return true;
	ret->values = *ret_dict + 1;
	*ret_dict = 0;
	return true;
}

static bool find_attributes(const struct reading *reading, uint64_t object, struct attributes *ret)
{
	uint64_t type, flags, dict;

	*ret = (struct attributes){0};
	if (!read_word(reading, object + reading->offsets->object_type, &type) ||
		!read_word(reading, type + TYPE_FLAGS, &flags))
		return false;
	if (!reading->layout->type_keys)
		return find_by_offset(reading, object, type, ret);
	if (!(flags & HAS_MANAGED_DICT) || !(flags & IS_HEAP_TYPE) ||
		!find_before(reading, object, &dict, ret))
		return false;
	if (dict)
		return find_in_dict(reading, dict, ret);
	return (ret->values || find_behind(reading, object, type, ret)) &&
		read_word(reading, type + reading->layout->type_keys, &ret->keys);
}

/* The entries of a dict's keys, in the order in which they were added. */
struct entries {
	uint64_t address, count;
	uint32_t size, key; /* of an entry, and where its key is; the value follows */
};

/* To 3.10: the number of slots; the width of an index follows from it. */
static uint64_t index_bytes(uint64_t slots)
{
	const unsigned width = slots <= 0xff ? 1
		: slots <= 0xffff            ? 2
		: slots <= UINT32_MAX        ? 4
					     : 8;

	return slots > MOST_INDEX_BYTES ? MOST_INDEX_BYTES + 1 : slots * width;
}

static bool find_entries(const struct reading *reading, uint64_t keys, struct entries *ret)
{
	uint8_t header[KEYS_HEADER];
	uint64_t slots, indices, begin;

	if (!keys || !read_bytes(reading, keys, header, sizeof(header)))
		return false;
	*ret = (struct entries){.size = 24, .key = 8};
	if (reading->layout->type_keys) {
		indices = header[9] < 20 ? UINT64_C(1) << header[9] : UINT64_MAX;
		memcpy(&ret->count, header + 24, sizeof(ret->count));
		begin = 32;
		if (header[10]) { /* all keys are texts: there are no hashes */
			ret->size = 16;
			ret->key = 0;
		}
	} else {
		memcpy(&slots, header + 8, sizeof(slots));
		memcpy(&ret->count, header + 32, sizeof(ret->count));
		indices = index_bytes(slots);
		begin = 40;
	}
	ret->address = keys + begin + indices;
	return indices <= MOST_INDEX_BYTES && ret->count <= MOST_ATTRIBUTES;
}

static bool is_name(const struct reading *reading, uint64_t key)
{
	char text[SPROF_PYTHON_TEXT];

	return key &&
		sprof_python_text(reading->offsets, reading->memory, key, text, sizeof(text)) &&
		strcmp(text, "_name") == 0;
}

/* The object that is the attribute _name. */
static bool find_name(
	const struct reading *reading, const struct attributes *attributes, uint64_t *ret)
{
	uint8_t bytes[MOST_ATTRIBUTES * MOST_ENTRY];
	struct entries entries;
	uint64_t key;

	if (!find_entries(reading, attributes->keys, &entries) ||
		!read_bytes(reading, entries.address, bytes, entries.count * entries.size))
		return false;
	for (uint64_t i = 0; i < entries.count; i++) {
		const uint8_t *entry = bytes + i * entries.size + entries.key;

		memcpy(&key, entry, sizeof(key));
		if (!is_name(reading, key))
			continue;
		memcpy(ret, entry + WORD, sizeof(*ret));
		return !attributes->values ||
			read_word(reading, attributes->values + i * WORD, ret);
	}
	return false;
}

/* The first local variable, if the frame is still the same. */
static bool read_local(
	const struct reading *reading, const struct sprof_interp_frame *frame, uint64_t *ret)
{
	const struct sprof_python_offsets *offsets = reading->offsets;
	const uint32_t locals =
		reading->layout->frame_locals ? reading->layout->frame_locals : offsets->frame_size;
	uint8_t bytes[MOST_FRAME_LOCALS];
	uint64_t code;

	if (locals + WORD > sizeof(bytes) || offsets->frame_code + WORD > locals ||
		!read_bytes(reading, frame->address, bytes, locals + WORD))
		return false;
	memcpy(&code, bytes + offsets->frame_code, sizeof(code));
	memcpy(ret, bytes + locals, sizeof(*ret));
	return code == frame->code && *ret;
}

/* The header of an object is larger in a free-threaded build. */
static const struct layout *layout_of(const struct sprof_python_offsets *offsets)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++) {
		if (layouts[i].version == offsets->version && offsets->object_type == WORD)
			return &layouts[i];
	}
	return NULL;
}

bool sprof_python_thread_name(const struct sprof_python_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_frame *frame,
	char *buffer, size_t size)
{
	const struct reading reading = {&process->offsets, memory, layout_of(&process->offsets)};
	struct attributes attributes;
	uint64_t self, name;

	return reading.layout && read_local(&reading, frame, &self) &&
		find_attributes(&reading, self, &attributes) &&
		find_name(&reading, &attributes, &name) &&
		sprof_python_text(reading.offsets, memory, name, buffer, size);
}
