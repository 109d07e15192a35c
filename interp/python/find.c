/*
 * Finds the state of a thread: the runtime has a list of interpreters, each with a list of its
 * threads, newest first. Since 3.11 a state contains the kernel's tid; before, pthread_self(),
 * which on x86-64 is the thread pointer. A thread that has run in several interpreters has a state
 * in each; a few of these are kept, preferably those with frames.
 */
#include <string.h>

#include "interp/python/python.h"

enum {
	WORD = 8,
	MOST_INTERPRETERS = 256,
	MOST_THREADS = 20000, /* a list can be cyclic, or change while it is read */
/* Offset of the kernel's tid in glibc's thread descriptor, which pthread_self() points to (struct
 * pthread in nptl/descr.h): after x86-64's header, or else 24 words, and a list. */
#if defined(__x86_64__)
	GLIBC_TID = 720,
#else
	GLIBC_TID = 208,
#endif
};

struct search {
	const struct sprof_python_process *process;
	const struct sprof_interp_memory *memory;
	const struct sprof_interp_subject *subject;
	struct sprof_interp_thread *thread;
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

struct state {
	uint64_t next;
	uint64_t id; /* as is_thread() takes it */
	/* the word before it: since 3.11 pthread_self() (Include/cpython/pystate.h) */
	uint64_t before;
};

static bool read_state(const struct search *search, uint64_t address, struct state *ret)
{
	const struct sprof_python_offsets *offsets = &search->process->offsets;
	uint8_t bytes[SPROF_PYTHON_MOST_STATE];
	const size_t size = offsets->thread_id + WORD;

	if (size > sizeof(bytes) || offsets->thread_next + WORD > size ||
		search->memory->read(search->memory->data, address, bytes, size) < size)
		return false;
	memcpy(&ret->next, bytes + offsets->thread_next, sizeof(ret->next));
	memcpy(&ret->id, bytes + offsets->thread_id, sizeof(ret->id));
	if (offsets->thread_id >= WORD)
		memcpy(&ret->before, bytes + offsets->thread_id - WORD, sizeof(ret->before));
	return true;
}

/*
 * Between a fork and an exec, a child has its parent's state, with the parent's id, and its
 * parent's thread pointer.
 */
static bool is_forked(const struct search *search, const struct state *state)
{
	return sprof_python_has_kernel_ids(&search->process->offsets) &&
		search->subject->thread_pointer && state->before == search->subject->thread_pointer;
}

/* Whether a state has frames now. */
static bool is_used(const struct search *search, uint64_t state)
{
	const struct sprof_python_offsets *offsets = &search->process->offsets;
	uint64_t frame, base;

	if (!read_word(search, state + offsets->thread_frame, &frame) || !frame)
		return false;
	if (offsets->thread_base)
		return read_word(search, state + offsets->thread_base, &base) && frame != base;
	return offsets->cframe_frame == SPROF_PYTHON_NOWHERE ||
		(read_word(search, frame + offsets->cframe_frame, &frame) && frame);
}

/*
 * Moves the last entry to the place of the first one without frames. Returns false if all have
 * frames.
 */
static bool make_room(const struct search *search)
{
	struct sprof_interp_thread *thread = search->thread;

	for (size_t i = 0; i < thread->state_count; i++) {
		if (is_used(search, thread->states[i]))
			continue;
		thread->state_count--;
		memmove(&thread->states[i], &thread->states[i + 1],
			(thread->state_count - i) * sizeof(*thread->states));
		return true;
	}
	return false;
}

/* Returns false if there is no room. */
static bool add(struct search *search, uint64_t state, uint64_t key)
{
	struct sprof_interp_thread *thread = search->thread;

	if (thread->state_count == SPROF_INTERP_STATES && !make_room(search))
		return false;
	thread->key = key;
	thread->states[thread->state_count++] = state;
	return true;
}

/* An interpreter has at most one state of a thread. Whether it has one, and that is kept. */
static bool find_in(struct search *search, uint64_t address)
{
	struct sprof_interp_thread *thread = search->thread;
	uint64_t forked = 0, forked_key = 0;
	struct state state = {0};

	for (; address && search->seen < MOST_THREADS; address = state.next) {
		search->seen++;
		if (!read_state(search, address, &state))
			break;
		if (is_thread(search, state.id))
			return add(search, address, state.id);
		if (is_forked(search, &state)) {
			forked = address;
			forked_key = state.id;
		}
	}
	return forked && (!thread->state_count || thread->key == forked_key) &&
		add(search, forked, forked_key);
}

void sprof_python_find_thread(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread *thread)
{
	const struct sprof_python_process *python = sprof_python_of(process);
	const struct sprof_python_offsets *offsets = &python->offsets;
	struct search search = {python, memory, subject, thread, 0};
	uint64_t interpreter, state;
	bool last;

	thread->state_count = 0;
	thread->has_main = false;
	if (!read_word(&search, python->address + offsets->runtime_interpreters, &interpreter))
		return;
	for (size_t i = 0; interpreter && i < MOST_INTERPRETERS; i++) {
		if (!read_word(&search, interpreter + offsets->interpreter_threads, &state))
			return;
		last = find_in(&search, state);
		if (!read_word(&search, interpreter + offsets->interpreter_next, &interpreter))
			return;
		/* the first that was made is the last in the list */
		thread->has_main = !interpreter && last;
	}
}

bool sprof_python_has_several(
	const struct sprof_interp_process *process, const struct sprof_interp_memory *memory)
{
	const struct sprof_python_process *python = sprof_python_of(process);
	const struct search search = {.process = python, .memory = memory};
	uint64_t interpreter, next;

	return !read_word(&search, python->address + python->offsets.runtime_interpreters,
		       &interpreter) ||
		!read_word(&search, interpreter + python->offsets.interpreter_next, &next) || next;
}
