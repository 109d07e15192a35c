/*
 * Finds the state of a thread: the runtime has a list of interpreters, each of them a list of its
 * threads, the newest first. From 3.11 on a state has the kernel's id of its thread; before, what
 * pthread_self() returns, which on these machines is the thread pointer. Does not handle a thread
 * that has states in several interpreters: the first one found is used.
 */
#include <string.h>

#include "interp/python.h"

enum {
	WORD = 8,
	MOST_INTERPRETERS = 256,
	MOST_THREADS = 20000, /* a list can be cyclic, or change while it is read */
	/* where glibc's description of a thread, which pthread_self() points to, has the kernel's id:
	 * the same since 2.3 (struct pthread in nptl/descr.h) */
	GLIBC_TID = 720,
};

struct search {
	const struct sprof_interp_process *process;
	const struct sprof_interp_memory *memory;
	const struct sprof_interp_subject *subject;
	size_t seen; /* states */
};

static bool read_word(const struct search *search, uint64_t address, uint64_t *ret)
{
	return address &&
		search->memory->read(search->memory->data, address, ret, sizeof(*ret)) ==
		sizeof(*ret);
}

static bool is_thread(const struct search *search, uint64_t id)
{
	const struct sprof_interp_subject *subject = search->subject;
	uint32_t tid = 0;

	if (sprof_python_has_kernel_ids(&search->process->offsets))
		return id == (uint64_t)subject->own_tid;
	if (subject->thread_pointer)
		return id == subject->thread_pointer;
	return id &&
		search->memory->read(search->memory->data, id + GLIBC_TID, &tid, sizeof(tid)) ==
		sizeof(tid) &&
		tid == (uint32_t)subject->own_tid;
}

/* The next state and the id of one. */
static bool read_state(
	const struct search *search, uint64_t address, uint64_t *ret_next, uint64_t *ret_id)
{
	const struct sprof_python_offsets *offsets = &search->process->offsets;
	uint8_t bytes[SPROF_PYTHON_MOST_STATE];
	const size_t size = offsets->thread_id + WORD;

	if (size > sizeof(bytes) || offsets->thread_next + WORD > size ||
		search->memory->read(search->memory->data, address, bytes, size) < size)
		return false;
	memcpy(ret_next, bytes + offsets->thread_next, sizeof(*ret_next));
	memcpy(ret_id, bytes + offsets->thread_id, sizeof(*ret_id));
	return true;
}

static uint64_t find_in(struct search *search, uint64_t state, uint64_t *ret_key)
{
	uint64_t next, id;

	for (; state && search->seen < MOST_THREADS; state = next) {
		search->seen++;
		if (!read_state(search, state, &next, &id))
			return 0;
		if (is_thread(search, id)) {
			*ret_key = id;
			return state;
		}
	}
	return 0;
}

uint64_t sprof_python_find_thread(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	uint64_t *ret_key)
{
	const struct sprof_python_offsets *offsets = &process->offsets;
	struct search search = {.process = process, .memory = memory, .subject = subject};
	uint64_t interpreter, state, found = 0;

	if (!read_word(&search, process->runtime + offsets->runtime_interpreters, &interpreter))
		return 0;
	for (size_t i = 0; interpreter && !found && i < MOST_INTERPRETERS; i++) {
		if (!read_word(&search, interpreter + offsets->interpreter_threads, &state))
			return 0;
		found = find_in(&search, state, ret_key);
		if (!read_word(&search, interpreter + offsets->interpreter_next, &interpreter))
			break;
	}
	return found;
}
