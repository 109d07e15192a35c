/*
 * Any memory as that of a process with CPython: the input is the offsets' table, and memory that all
 * addresses lead into. Whatever is in it, reading ends, stays within its bounds, and names what it
 * has read. Its last bytes are native frames, among which Python's are put.
 */
#include "interp/merge.h"
#include "interp/python/python.h"
#include "tests/fuzz/fuzz.h"

enum {
	RUNTIME = 0x10000,
	OWN_TID = 42,
	MOST_NATIVE = 16,
	/* modules of native frames */
	PYTHON = 0,
	GREENLET = 1,
};

struct memory {
	const uint8_t *bytes;
	size_t size;
};

/* Addresses repeat, so that pointers lead somewhere; some lead nowhere. */
static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = data;
	uint8_t *ret = buffer;

	if (!memory->size || address >> 40)
		return 0;
	for (size_t i = 0; i < size; i++)
		ret[i] = memory->bytes[(address + i) % memory->size];
	return size;
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	for (size_t i = 0; i < count; i++)
		pieces[i].got =
			read_memory(data, pieces[i].address, pieces[i].buffer, pieces[i].size);
}

static void sample(struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	struct sprof_modules *modules)
{
	const struct sprof_interp_subject subject = {.own_tid = OWN_TID};
	const struct sprof_interp_stack stack = {0};
	struct sprof_interp_thread *thread = NULL;
	struct sprof_interp_copy *copy = NULL;
	const struct sprof_frame *names;
	char name[16];

	fuzz_require(sprof_interp_prepare(process, memory, &subject, &thread, &copy));
	for (int i = 0; i < 2; i++) {
		sprof_interp_copy(process, memory, &stack, thread, copy);
		fuzz_require(
			copy->frame_count <= copy->frame_capacity && copy->size <= copy->capacity);
		if (copy->outcome != SPROF_INTERP_NO_STATE)
			fuzz_require(sprof_python_learn(process, thread, copy));
		fuzz_require(sprof_python_name_frames(process, memory, modules, copy, &names));
		for (size_t j = 0; j < copy->frame_count && j < 8; j++) {
			if (sprof_python_thread_name(sprof_python_of(process), memory,
				    &copy->frames[j], name, sizeof(name)))
				fuzz_require(strlen(name) < sizeof(name));
		}
	}
	sprof_interp_thread_destroy(thread);
	sprof_interp_copy_destroy(copy);
}

/* One frame for each of the last bytes: code of the interpreter, or another module. */
static size_t native_frames(const struct memory *memory, struct sprof_frame *ret)
{
	const size_t count = memory->size < MOST_NATIVE ? memory->size : MOST_NATIVE;

	for (size_t i = 0; i < count; i++) {
		const uint8_t byte = memory->bytes[memory->size - count + i];

		ret[i] = (struct sprof_frame){
			.module = byte & 3, .offset = byte >> 2, .is_return = i > 0};
	}
	return count;
}

static void merge(struct sprof_interp *interp, struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory)
{
	const struct sprof_interp_subject subject = {.own_tid = OWN_TID};
	struct sprof_frame native[MOST_NATIVE];
	const size_t count = native_frames(memory->data, native);
	const struct sprof_interp_stack copied = {0};
	struct sprof_interp_thread *thread = NULL;
	struct sprof_interp_copy *copy = NULL;

	for (int i = 0; i < 2; i++) {
		struct sprof_stack_view stack = {
			.frames = native, .count = count, .end = SPROF_END_ROOT};

		fuzz_require(sprof_interp_prepare(process, memory, &subject, &thread, &copy));
		sprof_interp_copy(process, memory, &copied, thread, copy);
		sprof_interp_merge(interp, process, memory, thread, copy, &stack);
		fuzz_require(stack.count <= count + copy->frame_count + 1);
	}
	sprof_interp_thread_destroy(thread);
	sprof_interp_copy_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint32_t versions[] = {0x0308, 0x0309, 0x030a, 0x030b, 0x030c};
	static struct sprof_python_range ranges[] = {{0, 8, SPROF_PYTHON_LOOP},
		{8, 16, SPROF_PYTHON_PLUMBING}, {16, 24, SPROF_PYTHON_EDGE},
		{24, 32, SPROF_PYTHON_INSTRUCTION}, {32, 48, SPROF_PYTHON_OTHER}};
	static const struct sprof_python_file file = {
		.ranges = ranges, .range_count = sizeof(ranges) / sizeof(*ranges)};
	struct memory memory = {bytes, size};
	const struct sprof_interp_memory interface = {&memory, read_memory, read_pieces};
	struct sprof_python_process *python = calloc(1, sizeof(*python));
	struct sprof_interp_process *process = &python->common;
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_interp *interp = sprof_interp_create(modules, SPROF_INTERP_CALLS);

	fuzz_require(python && modules && interp);
	process->runtime = &sprof_python_runtime;
	process->module = PYTHON;
	process->greenlet = GREENLET;
	process->greenlet_file = (struct sprof_greenlet_file){0, 8};
	process->is_known = true;
	python->file = &file;
	python->codes = sprof_python_codes_create();
	python->address = RUNTIME;
	if (size && bytes[0] < sizeof(versions) / sizeof(*versions)) {
		python->offsets = *sprof_python_offsets_of(versions[bytes[0]]);
	} else if (!sprof_python_offsets_parse(bytes, size, &python->offsets)) {
		process->is_known = false;
	}
	if (process->is_known) {
		sample(process, &interface, modules);
		merge(interp, process, &interface);
	}
	sprof_interp_destroy(interp);
	sprof_interp_process_destroy(process);
	sprof_modules_destroy(modules);
	return 0;
}
