/*
 * The table at the start of _PyRuntime since CPython 3.13
 * (Include/internal/pycore_debug_offsets.h): a cookie, the version, and groups of offsets. Each
 * minor version has another layout of the table, so there is one map each: the indices, in 64-bit
 * words, of the needed fields. Does not handle later versions with an unknown layout.
 */
#include <string.h>

#include "interp/python/offsets.h"

#define COOKIE "xdebugpy"

enum {
	WORD = 8,
	VERSION = 1,
	IS_FREE_THREADED = 2,
	HEADER = 3,          /* words: cookie, version, whether threads are free */
	MOST_OFFSET = 65536, /* of a field; the first of a runtime or interpreter are nearer */
	MOST_FAR_OFFSET = 1 << 24,
	MOST_STATE = SPROF_PYTHON_MOST_STATE - WORD,
	MOST_FRAME = SPROF_PYTHON_MOST_FRAME,
	MOST_CODE = SPROF_PYTHON_MOST_CODE - WORD,
};

/* Positions in the table. */
struct map {
	uint32_t version;
	uint8_t words; /* how long the table is at least */
	uint8_t runtime_interpreters, interpreter_next, interpreter_threads;
	uint8_t thread_next, thread_frame, thread_base, thread_id;
	uint8_t frame_previous, frame_code, frame_instruction, frame_locals, frame_owner,
		frame_copy;
	uint8_t code_file, code_name, code_table, code_line, code_bytecode, code_copies;
	uint8_t object_type, bytes_size, bytes_data;
	uint8_t text_state, text_length, ascii_data;
};

/* Groups: runtime, interpreter, thread, frame, code, object, then types of objects. */
static const struct map maps[] = {
	{
		.version = 0x030d,
		.words = 73,
		.runtime_interpreters = 5,
		.interpreter_next = 8,
		.interpreter_threads = 9,
		.thread_next = 21,
		.thread_frame = 23,
		.thread_id = 25,
		.frame_previous = 29,
		.frame_code = 30,
		.frame_instruction = 31,
		.frame_locals = 32,
		.frame_owner = 33,
		.code_file = 35,
		.code_name = 37,
		.code_table = 38,
		.code_line = 39,
		.code_bytecode = 43,
		.object_type = 45,
		.bytes_size = 65,
		.bytes_data = 66,
		.text_state = 68,
		.text_length = 69,
		.ascii_data = 70,
	},
	{
		.version = 0x030e,
		.words = 95,
		.runtime_interpreters = 5,
		.interpreter_next = 8,
		.interpreter_threads = 9,
		.thread_next = 24,
		.thread_frame = 26,
		.thread_id = 28,
		.frame_previous = 32,
		.frame_code = 33,
		.frame_instruction = 34,
		.frame_locals = 35,
		.frame_owner = 36,
		.frame_copy = 38,
		.code_file = 40,
		.code_name = 42,
		.code_table = 43,
		.code_line = 44,
		.code_bytecode = 48,
		.code_copies = 49,
		.object_type = 51,
		.bytes_size = 75,
		.bytes_data = 76,
		.text_state = 78,
		.text_length = 79,
		.ascii_data = 80,
	},
	{
		.version = 0x030f,
		.words = 111,
		.runtime_interpreters = 5,
		.interpreter_next = 8,
		.interpreter_threads = 9,
		.thread_next = 24,
		.thread_frame = 26,
		.thread_base = 27,
		.thread_id = 31,
		.frame_previous = 40,
		.frame_code = 41,
		.frame_instruction = 42,
		.frame_locals = 43,
		.frame_owner = 44,
		.frame_copy = 46,
		.code_file = 48,
		.code_name = 50,
		.code_table = 51,
		.code_line = 52,
		.code_bytecode = 56,
		.code_copies = 57,
		.object_type = 59,
		.bytes_size = 87,
		.bytes_data = 88,
		.text_state = 90,
		.text_length = 91,
		.ascii_data = 92,
	},
};

struct table {
	const uint8_t *bytes;
	bool is_plausible; /* no offset so far was too large */
};

static uint64_t word_at(const struct table *table, unsigned position)
{
	uint64_t word;

	memcpy(&word, table->bytes + (size_t)position * WORD, sizeof(word));
	return word;
}

static uint32_t offset_at(struct table *table, unsigned position, uint32_t most)
{
	const uint64_t offset = word_at(table, position);

	table->is_plausible = table->is_plausible && offset < most;
	return (uint32_t)offset;
}

static uint32_t near(struct table *table, unsigned position)
{
	return offset_at(table, position, MOST_OFFSET);
}

static void read_objects(
	struct table *table, const struct map *map, struct sprof_python_offsets *ret)
{
	ret->code_file = near(table, map->code_file);
	ret->code_name = near(table, map->code_name);
	ret->code_line = near(table, map->code_line);
	ret->code_table = near(table, map->code_table);
	ret->code_bytecode = near(table, map->code_bytecode);
	ret->code_copies = map->code_copies ? near(table, map->code_copies) : 0;
	ret->object_type = near(table, map->object_type);
	ret->bytes_size = near(table, map->bytes_size);
	ret->bytes_data = near(table, map->bytes_data);
	ret->text_length = near(table, map->text_length);
	ret->text_state = near(table, map->text_state);
	ret->ascii_data = near(table, map->ascii_data);
	/* A string that is not ASCII also has its length in UTF-8, and a pointer. */
	ret->wide_data = ret->ascii_data + 2 * WORD;
	/* Since 3.14 threads without a GIL change the state's first part as a byte. */
	if (map->version >= 0x030e && word_at(table, IS_FREE_THREADED))
		ret->text_kind = 8;
}

/*
 * Everything must be within the bytes read of a state, a frame, a code object and a string. A code
 * object's type must precede its line table, like the other fields that are compared.
 */
static bool fits(const struct sprof_python_offsets *offsets)
{
	const uint32_t frame = offsets->frame_size;

	return offsets->thread_next <= MOST_STATE && offsets->thread_frame <= MOST_STATE &&
		offsets->thread_id <= MOST_STATE && offsets->thread_base <= MOST_STATE &&
		frame <= MOST_FRAME && offsets->frame_previous + WORD <= frame &&
		offsets->frame_code + WORD <= frame && offsets->frame_instruction + WORD <= frame &&
		offsets->frame_owner < frame && offsets->frame_copy + sizeof(uint32_t) <= frame &&
		offsets->code_file <= MOST_CODE && offsets->code_name <= MOST_CODE &&
		offsets->code_line <= MOST_CODE && offsets->code_table <= MOST_CODE &&
		offsets->object_type + WORD <= offsets->code_table &&
		offsets->bytes_size <= MOST_CODE;
}

static bool parse(struct table *table, const struct map *map, struct sprof_python_offsets *ret)
{
	*ret = (struct sprof_python_offsets){
		.version = map->version,
		.runtime_interpreters = near(table, map->runtime_interpreters),
		.interpreter_next = offset_at(table, map->interpreter_next, MOST_FAR_OFFSET),
		.interpreter_threads = offset_at(table, map->interpreter_threads, MOST_FAR_OFFSET),
		.thread_next = near(table, map->thread_next),
		.thread_frame = near(table, map->thread_frame),
		.thread_id = near(table, map->thread_id),
		.cframe_frame = SPROF_PYTHON_NOWHERE,
		.thread_base = map->thread_base ? near(table, map->thread_base) : 0,
		.frame_size = near(table, map->frame_locals),
		.frame_previous = near(table, map->frame_previous),
		.frame_code = near(table, map->frame_code),
		.frame_instruction = near(table, map->frame_instruction),
		.frame_is_entry = SPROF_PYTHON_NOWHERE,
		.frame_owner = near(table, map->frame_owner),
		.frame_copy = map->frame_copy ? near(table, map->frame_copy) : 0,
	};
	read_objects(table, map, ret);
	return table->is_plausible && fits(ret);
}

bool sprof_python_offsets_parse(const uint8_t *bytes, size_t size, struct sprof_python_offsets *ret)
{
	struct table table = {.bytes = bytes, .is_plausible = true};
	uint64_t version;

	if (size < (HEADER + 1) * WORD || memcmp(bytes, COOKIE, sizeof(COOKIE) - 1) != 0)
		return false;
	version = word_at(&table, VERSION) >> 16;
	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps); i++) {
		if (maps[i].version == version)
			return size >= (size_t)maps[i].words * WORD && parse(&table, &maps[i], ret);
	}
	return false;
}
