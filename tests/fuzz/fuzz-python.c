/*
 * Any memory as that of a process with CPython: the input is the offsets' table, and memory that all
 * addresses lead into. Whatever is in it, reading ends, stays within its bounds, and names what it
 * has read.
 */
#include "interp/merge.h"
#include "interp/python.h"
#include "tests/fuzz/fuzz.h"

enum { RUNTIME = 0x10000, OWN_TID = 42 };

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
		if (copy->outcome != SPROF_PYTHON_NO_STATE)
			fuzz_require(sprof_python_learn(&process->offsets, thread, copy));
		fuzz_require(sprof_python_codes_name(process, memory, modules, copy, &names));
		for (size_t j = 0; j < copy->frame_count && j < 8; j++) {
			if (sprof_python_thread_name(
				    process, memory, &copy->frames[j], name, sizeof(name)))
				fuzz_require(strlen(name) < sizeof(name));
		}
	}
	sprof_interp_thread_destroy(thread);
	sprof_interp_copy_destroy(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const uint32_t versions[] = {0x0308, 0x0309, 0x030a, 0x030b, 0x030c};
	struct memory memory = {bytes, size};
	const struct sprof_interp_memory interface = {&memory, read_memory, read_pieces};
	struct sprof_interp_process *process = calloc(1, sizeof(*process));
	struct sprof_modules *modules = sprof_modules_create();

	fuzz_require(process && modules);
	process->codes = sprof_python_codes_create();
	process->runtime = RUNTIME;
	process->is_known = true;
	if (size && bytes[0] < sizeof(versions) / sizeof(*versions)) {
		process->offsets = *sprof_python_offsets_of(versions[bytes[0]]);
		sample(process, &interface, modules);
	} else if (sprof_python_offsets_parse(bytes, size, &process->offsets)) {
		sample(process, &interface, modules);
	}
	sprof_interp_process_destroy(process);
	sprof_modules_destroy(modules);
	return 0;
}
