/*
 * Code objects: function, file and line table, read once each, and the places in them where frames
 * were. An address can be reused for another code object, so each sample compares the objects of
 * its frames with what was read before, by one system call. A code object freed before or while it
 * was read is "[freed code]" if that is detected: without a GIL it is not. The cache has a limit,
 * at which it is cleared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "interp/python/python.h"

enum {
	WORD = 8,
	MOST_TABLE = 1 << 20,   /* bytes of a table of lines */
	MOST_TABLES = 64 << 20, /* bytes of all of them */
	MOST_CODES = 1 << 18,
	MOST_PLACES = 1 << 20,
	AT_ONCE = 64, /* headers that are read by one system call */
	/* bytes between two objects that are read as one piece, without touching another page */
	NEAR = 4096,
	BATCH_BYTES = 64 << 10,
	MOST_REST = 7,
};

/* Distinguishes code objects at the same address. */
struct identity {
	uint64_t type, file, name, table;
	uint64_t rest[MOST_REST]; /* its sizes, constants and names */
	uint32_t line;
};

struct code {
	struct identity identity;
	uint64_t bytecode; /* where instructions are counted from; to 3.10: 0 */
	uint32_t module, function;
	uint8_t *table;
	size_t table_size;
	uint64_t checked; /* the last sample that has compared it */
};

struct sprof_python_codes {
	struct code *items;
	size_t count, capacity;
	struct sprof_idmap by_address; /* (0, address) */
	struct sprof_idmap by_place;   /* (code, instruction) */
	size_t table_bytes;            /* of all tables of lines */
	struct sprof_frame *places;
	size_t place_count, place_capacity;
	struct sprof_frame *frames; /* of this sample */
	size_t frame_capacity;
	uint64_t sample;
};

/* All that a sample's naming needs. */
struct naming {
	const struct sprof_python_process *process;
	const struct sprof_interp_memory *memory;
	struct sprof_modules *modules;
	struct sprof_python_codes *codes;
};

struct sprof_python_codes *sprof_python_codes_create(void)
{
	return calloc(1, sizeof(struct sprof_python_codes));
}

static void forget_table(struct sprof_python_codes *codes, struct code *code)
{
	free(code->table);
	codes->table_bytes -= code->table_size;
	code->table = NULL;
	code->table_size = 0;
}

static void forget_all(struct sprof_python_codes *codes)
{
	for (size_t i = 0; i < codes->count; i++)
		forget_table(codes, &codes->items[i]);
	codes->count = codes->place_count = 0;
	sprof_idmap_finish(&codes->by_address);
	sprof_idmap_finish(&codes->by_place);
	codes->by_address = codes->by_place = (struct sprof_idmap){0};
}

void sprof_python_codes_destroy(struct sprof_python_codes *codes)
{
	if (!codes)
		return;
	forget_all(codes);
	free(codes->items);
	free(codes->places);
	free(codes->frames);
	free(codes);
}

static uint64_t word_at(const uint8_t *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* How much of a code object is read. */
static size_t header_size(const struct sprof_python_offsets *offsets)
{
	uint32_t last = offsets->code_file;

	if (last < offsets->code_name)
		last = offsets->code_name;
	if (last < offsets->code_table)
		last = offsets->code_table;
	return (last < offsets->code_line ? offsets->code_line : last) + WORD;
}

static struct identity identity_of(
	const struct sprof_python_offsets *offsets, const uint8_t *header)
{
	/*
	 * To 3.10 numbers, the bytecode, constants and names; then sizes, constants, names,
	 * exceptions. None of them changes.
	 */
	const uint32_t begin = offsets->object_type + WORD;
	const uint32_t size = (sprof_python_has_pointers(offsets) ? 4 : MOST_REST) * WORD;
	struct identity identity = {
		.type = word_at(header, offsets->object_type),
		.file = word_at(header, offsets->code_file),
		.name = word_at(header, offsets->code_name),
		.table = word_at(header, offsets->code_table),
	};

	memcpy(&identity.line, header + offsets->code_line, sizeof(identity.line));
	if (begin + size <= offsets->code_table)
		memcpy(identity.rest, header + begin, size);
	return identity;
}

static bool is_same(const struct identity *one, const struct identity *other)
{
	return one->type == other->type && one->file == other->file && one->name == other->name &&
		one->table == other->table && one->line == other->line &&
		!memcmp(one->rest, other->rest, sizeof(one->rest));
}

/* The table of lines is a bytes object. Without it, functions have no lines. */
static void read_table(const struct naming *naming, uint64_t address, struct code *code)
{
	const struct sprof_python_offsets *offsets = &naming->process->offsets;
	const struct sprof_interp_memory *memory = naming->memory;
	uint64_t size;

	if (memory->read(memory->data, address + offsets->bytes_size, &size, sizeof(size)) <
			sizeof(size) ||
		size > MOST_TABLE || naming->codes->table_bytes + size > MOST_TABLES)
		return;
	code->table = malloc(size + 1); /* of a function with one line it may be empty */
	if (!code->table)
		return;
	code->table_size =
		memory->read(memory->data, address + offsets->bytes_data, code->table, size);
	naming->codes->table_bytes += code->table_size;
}

/* Where functions of a file are listed. Returns false if out of memory. */
static bool find_function(const struct naming *naming, const char *file, const char *name,
	uint32_t line, struct code *code)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_SCRIPT, .path = file};
	struct sprof_module *module;
	bool is_new;

	module = sprof_modules_intern(naming->modules, &key, &is_new);
	if (!module || !sprof_script_intern(module->script, name, line, &code->function))
		return false;
	code->module = module->id;
	return true;
}

static bool is_code(const struct naming *naming, const struct identity *identity)
{
	return !naming->process->code_type || identity->type == naming->process->code_type;
}

/*
 * Whether an object's first word, which counts references, is what allocators put there when they
 * free it: nothing, or an address of a free block. Bits 32 to 47 are not part of a count in any
 * version. Without a GIL the word is something else, and says nothing.
 */
static bool is_freed(const struct sprof_python_offsets *offsets, const uint8_t *header)
{
	const uint64_t first = word_at(header, 0);

	return offsets->object_type == WORD && (!first || (first >> 32 & 0xffff));
}

/* Looks again: what an object led to is worth nothing if the object was freed meanwhile. */
static bool is_still(const struct naming *naming, uint64_t address, const uint8_t *header)
{
	const struct sprof_interp_memory *memory = naming->memory;
	const struct sprof_python_offsets *offsets = &naming->process->offsets;
	uint8_t now[SPROF_PYTHON_MOST_CODE];
	const size_t size = header_size(offsets);

	if (memory->read(memory->data, address, now, size) < size || is_freed(offsets, now))
		return false;
	const struct identity before = identity_of(offsets, header),
			      after = identity_of(offsets, now);
	return is_same(&before, &after);
}

/* header NULL: the object can't be read. Returns false if out of memory. */
static bool read_code(
	const struct naming *naming, uint64_t address, const uint8_t *header, struct code *ret)
{
	const struct sprof_python_offsets *offsets = &naming->process->offsets;
	char file[SPROF_PYTHON_TEXT], name[SPROF_PYTHON_TEXT];

	*ret = (struct code){0};
	if (header)
		ret->identity = identity_of(offsets, header);
	if (!header || !is_code(naming, &ret->identity) ||
		!sprof_python_text(
			offsets, naming->memory, ret->identity.file, file, sizeof(file)) ||
		!sprof_python_text(
			offsets, naming->memory, ret->identity.name, name, sizeof(name)) ||
		!*name) {
		return find_function(naming, "<python>", "[freed code]", 0, ret);
	}
	read_table(naming, ret->identity.table, ret);
	if (!is_still(naming, address, header)) {
		forget_table(naming->codes, ret);
		return find_function(naming, "<python>", "[freed code]", 0, ret);
	}
	if (sprof_python_has_pointers(offsets))
		ret->bytecode = address + offsets->code_bytecode;
	return find_function(naming, *file ? file : "<python>", name, ret->identity.line, ret);
}

/* A code object that is new at its address. Returns false if out of memory. */
static bool add_code(
	const struct naming *naming, uint64_t address, const uint8_t *header, uint32_t *ret_index)
{
	struct sprof_python_codes *codes = naming->codes;
	struct code code;

	if (!sprof_array_reserve(
		    &codes->items, &codes->capacity, codes->count + 1, sizeof(*codes->items)))
		return false;
	if (!read_code(naming, address, header, &code)) {
		forget_table(codes, &code);
		return false;
	}
	code.checked = codes->sample;
	codes->items[codes->count] = code;
	*ret_index = (uint32_t)codes->count++;
	return sprof_idmap_put(&codes->by_address, 0, address, *ret_index);
}

/* The code object at an address, read if it is a new one. Returns false if out of memory. */
static bool check(const struct naming *naming, uint64_t address, const uint8_t *header)
{
	struct sprof_python_codes *codes = naming->codes;
	uint32_t known = sprof_idmap_find(&codes->by_address, 0, address);
	struct identity identity = {0};

	if (header)
		identity = identity_of(&naming->process->offsets, header);
	if (known != SPROF_IDMAP_NONE && is_same(&codes->items[known].identity, &identity)) {
		codes->items[known].checked = codes->sample;
		return true;
	}
	if (known != SPROF_IDMAP_NONE)
		forget_table(codes, &codes->items[known]);
	return add_code(naming, address, header, &known);
}

/* Headers that are read by one system call. */
struct batch {
	uint64_t addresses[AT_ONCE]; /* sorted */
	size_t count;
	struct sprof_memory_piece pieces[AT_ONCE];
	uint8_t bytes[BATCH_BYTES];
};

/* Headers that lie close together are one piece, as long as there is room for the others. */
static size_t make_pieces(struct batch *batch, size_t size)
{
	struct sprof_memory_piece *last = NULL;
	size_t used = 0, count = 0;

	for (size_t i = 0; i < batch->count; i++) {
		const uint64_t address = batch->addresses[i];
		const size_t others = (batch->count - i - 1) * size;
		const uint64_t more = last ? address + size - last->address - last->size : NEAR;

		if (last && more < NEAR && used + more + others <= sizeof(batch->bytes)) {
			last->size += more;
			used += more;
			continue;
		}
		last = &batch->pieces[count++];
		*last = (struct sprof_memory_piece){
			.address = address, .buffer = batch->bytes + used, .size = size};
		used += size;
	}
	return count;
}

/* The header at an address, if its piece was read that far. */
static const uint8_t *find_header(
	const struct sprof_memory_piece *piece, uint64_t address, size_t size)
{
	const uint64_t offset = address - piece->address;

	return piece->got >= size && offset <= piece->got - size
		? (const uint8_t *)piece->buffer + offset
		: NULL;
}

/* What follows an unreadable object is read by a separate call. */
static bool check_batch(const struct naming *naming, struct batch *batch)
{
	const struct sprof_interp_memory *memory = naming->memory;
	const size_t size = header_size(&naming->process->offsets);
	const size_t pieces = make_pieces(batch, size);
	uint8_t again[SPROF_PYTHON_MOST_CODE];

	memory->read_pieces(memory->data, batch->pieces, pieces);
	for (size_t i = 0, piece = 0; i < batch->count; i++) {
		const uint64_t address = batch->addresses[i];
		const uint8_t *header;

		while (piece + 1 < pieces && address >= batch->pieces[piece + 1].address)
			piece++;
		header = find_header(&batch->pieces[piece], address, size);
		if (!header && memory->read(memory->data, address, again, size) == size)
			header = again;
		if (!check(naming, address, header))
			return false;
	}
	batch->count = 0;
	return true;
}

/* Adds an object that this sample has not compared, and that is not in the batch. */
static void add_to_batch(
	const struct sprof_python_codes *codes, struct batch *batch, uint64_t address)
{
	const uint32_t known = sprof_idmap_find(&codes->by_address, 0, address);
	size_t at = batch->count;

	if (known != SPROF_IDMAP_NONE && codes->items[known].checked == codes->sample)
		return;
	while (at && batch->addresses[at - 1] > address)
		at--;
	if (at && batch->addresses[at - 1] == address)
		return;
	memmove(&batch->addresses[at + 1], &batch->addresses[at],
		(batch->count - at) * sizeof(*batch->addresses));
	batch->addresses[at] = address;
	batch->count++;
}

static bool check_all(const struct naming *naming, const struct sprof_interp_copy *copy)
{
	struct batch batch;

	batch.count = 0;
	for (size_t i = 0; i < copy->frame_count; i++) {
		const struct sprof_interp_frame *frame = &copy->frames[i];

		if (frame->is_shim)
			continue;
		add_to_batch(naming->codes, &batch, frame->code);
		if (batch.count == AT_ONCE && !check_batch(naming, &batch))
			return false;
	}
	return !batch.count || check_batch(naming, &batch);
}

/*
 * Without a GIL, since 3.14, every thread but the first runs its own copy of the bytecode. The list
 * of copies is reread for each new place, because it may move. Returns false if it can't be read.
 */
static bool find_bytecode(const struct naming *naming, const struct code *code,
	const struct sprof_interp_frame *frame, uint64_t *ret)
{
	const struct sprof_interp_memory *memory = naming->memory;
	uint64_t copies;

	*ret = code->bytecode;
	if (!frame->copy)
		return true;
	return memory->read(memory->data, frame->code + naming->process->offsets.code_copies,
		       &copies, sizeof(copies)) == sizeof(copies) &&
		memory->read(memory->data, copies + WORD + (uint64_t)frame->copy * WORD, ret,
			sizeof(*ret)) == sizeof(*ret);
}

/*
 * The instruction's offset in the bytecode, in bytes; negative: the function has not begun. Returns
 * false if unknown.
 */
static bool find_position(const struct naming *naming, const struct code *code,
	const struct sprof_interp_frame *frame, int64_t *ret)
{
	const struct sprof_python_offsets *offsets = &naming->process->offsets;
	uint64_t bytecode;

	if (!sprof_python_has_pointers(offsets)) {
		*ret = (int64_t)(int32_t)frame->instruction * (offsets->version >= 0x030a ? 2 : 1);
		return true;
	}
	if (!find_bytecode(naming, code, frame, &bytecode))
		return false;
	*ret = (int64_t)(frame->instruction - bytecode);
	return true;
}

/* Returns 0 if it has none. */
static uint32_t line_of(const struct naming *naming, const struct code *code,
	const struct sprof_interp_frame *frame)
{
	int64_t position;

	if (!code->table || !find_position(naming, code, frame, &position))
		return 0;
	return sprof_python_line(naming->process->offsets.version, code->table, code->table_size,
		code->identity.line, position);
}

/*
 * Since 3.13, calling a class creates a frame that calls __init__ (_Py_InitCleanup in
 * Python/specialize.c), hidden in tracebacks, too. Its code has the same string as file and name.
 */
static bool is_hidden(const struct code *code)
{
	return code->identity.file && code->identity.file == code->identity.name &&
		!code->identity.line;
}

static bool add_place(const struct naming *naming, uint32_t index,
	const struct sprof_interp_frame *frame, uint32_t *ret)
{
	struct sprof_python_codes *codes = naming->codes;
	const struct code *code = &codes->items[index];
	const uint32_t line = line_of(naming, code, frame);

	if (!sprof_array_reserve(&codes->places, &codes->place_capacity, codes->place_count + 1,
		    sizeof(*codes->places)) ||
		!sprof_idmap_put(
			&codes->by_place, index, frame->instruction, (uint32_t)codes->place_count))
		return false;
	codes->places[codes->place_count] = (struct sprof_frame){
		.module = is_hidden(code) ? SPROF_INTERP_HIDDEN : code->module,
		.offset = sprof_script_offset(code->function, line),
	};
	*ret = (uint32_t)codes->place_count++;
	return true;
}

static bool name_frame(const struct naming *naming, const struct sprof_interp_frame *frame,
	struct sprof_frame *ret)
{
	struct sprof_python_codes *codes = naming->codes;
	const uint32_t code = sprof_idmap_find(&codes->by_address, 0, frame->code);
	uint32_t place = sprof_idmap_find(&codes->by_place, code, frame->instruction);

	if (place == SPROF_IDMAP_NONE && !add_place(naming, code, frame, &place))
		return false;
	*ret = codes->places[place];
	return true;
}

bool sprof_python_name_frames(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, struct sprof_modules *modules,
	const struct sprof_interp_copy *copy, const struct sprof_frame **ret)
{
	const struct sprof_python_process *python = sprof_python_of(process);
	struct sprof_python_codes *codes = python->codes;
	const struct naming naming = {python, memory, modules, codes};

	codes->sample++;
	if (codes->count > MOST_CODES || codes->place_count > MOST_PLACES ||
		codes->table_bytes > MOST_TABLES / 2)
		forget_all(codes);
	if (!sprof_array_reserve(&codes->frames, &codes->frame_capacity, copy->frame_count + 1,
		    sizeof(*codes->frames)) ||
		!check_all(&naming, copy))
		return false;
	for (size_t i = 0; i < copy->frame_count; i++) {
		if (!copy->frames[i].is_shim &&
			!name_frame(&naming, &copy->frames[i], &codes->frames[i]))
			return false;
	}
	*ret = codes->frames;
	return true;
}
