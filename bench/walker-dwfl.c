/*
 * libdwfl on a copied stack: its own module list of the process, and callbacks that give it the
 * copied registers and words instead of the thread's.
 */
#include "bench/walkers.h"

#include <elfutils/libdwfl.h>
#include <stdlib.h>

struct through_dwfl {
	Dwfl *dwfl;
	const struct walk_parts *parts;
	const struct sprof_snapshot *snapshot;
	struct {
		Dwarf_Addr pc;
		bool is_return;
	} frames[WALK_DEPTH];
	size_t count;
	bool complete;
};

static pid_t next_thread(Dwfl *dwfl, void *data, void **thread)
{
	struct through_dwfl *walker = data;
	bool first = !*thread;

	*thread = data;
	return first ? walker->parts->pid : 0;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *data, void **thread)
{
	*thread = data;
	return true;
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *data)
{
	struct through_dwfl *walker = data;

	return sprof_snapshot_word(walker->snapshot, address, result) == SPROF_STACK_OK;
}

static bool set_registers(Dwfl_Thread *thread, void *data)
{
	struct through_dwfl *walker = data;
	const struct sprof_regs *regs = &walker->snapshot->regs;
	Dwarf_Word values[SPROF_REG_COUNT];

	for (unsigned i = 0; i < SPROF_REG_COUNT; i++)
		values[i] = regs->values[i];
#if defined(__x86_64__)
	return dwfl_thread_state_registers(thread, 0, SPROF_REG_COUNT, values);
#else
	dwfl_thread_state_register_pc(thread, values[SPROF_REG_PC]);
	return dwfl_thread_state_registers(thread, 0, SPROF_REG_PC, values);
#endif
}

static int on_frame(Dwfl_Frame *frame, void *data)
{
	struct through_dwfl *walker = data;
	bool is_activation;
	Dwarf_Addr pc;

	if (walker->count == WALK_DEPTH || !dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	walker->frames[walker->count].pc = pc;
	walker->frames[walker->count++].is_return = !is_activation;
	return DWARF_CB_OK;
}

static void *create(const struct walk_parts *parts)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_linux_proc_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
	};
	static const Dwfl_Thread_Callbacks thread_callbacks = {
		.next_thread = next_thread,
		.get_thread = get_thread,
		.memory_read = read_memory,
		.set_initial_registers = set_registers,
	};
	struct through_dwfl *walker = calloc(1, sizeof(*walker));

	if (!walker)
		exit(2);
	walker->parts = parts;
	walker->dwfl = dwfl_begin(&callbacks);
	if (!walker->dwfl || dwfl_linux_proc_report(walker->dwfl, parts->pid) ||
		dwfl_report_end(walker->dwfl, NULL, NULL) ||
		!dwfl_attach_state(walker->dwfl, NULL, parts->pid, &thread_callbacks, walker))
		exit(2);
	return walker;
}

static void destroy(void *data)
{
	struct through_dwfl *walker = data;

	dwfl_end(walker->dwfl);
	free(walker);
}

static size_t walk(void *data, const struct sprof_snapshot *snapshot)
{
	struct through_dwfl *walker = data;

	walker->snapshot = snapshot;
	walker->count = 0;
	walker->complete =
		!dwfl_getthread_frames(walker->dwfl, walker->parts->pid, on_frame, walker);
	return walker->count;
}

static void read_frames(void *data, struct walked *ret)
{
	struct through_dwfl *walker = data;

	ret->complete = walker->complete;
	for (ret->count = 0; ret->count < walker->count; ret->count++) {
		bool is_return = walker->frames[ret->count].is_return;
		uint64_t address = walker->frames[ret->count].pc - is_return;
		const struct sprof_mapping *mapping = sprof_maps_find(walker->parts->maps, address);

		if (!mapping || mapping->module == SPROF_MAPPING_NO_MODULE)
			return;
		ret->frames[ret->count] = (struct sprof_frame){
			.offset =
				sprof_mapping_offset(mapping,
					sprof_modules_get(walker->parts->modules, mapping->module),
					address) +
				is_return,
			.module = mapping->module,
			.is_return = is_return,
		};
	}
}

const struct walker walker_libdwfl = {"libdwfl", create, destroy, walk, read_frames};
