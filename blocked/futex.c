/*
 * Reads locks in the layouts of glibc 2.25 and later, and CPython's interpreter lock
 * (Python/ceval_gil.h). Does not handle the list of a process's threads: the caller answers for it.
 */
#include "blocked/futex.h"

#include <linux/futex.h>
#include <string.h>

enum {
	/* pthread_mutex_t, relative to the word. */
	MUTEX_OWNER = 8,
	MUTEX_KIND = 16,
	MUTEX_CONTENDED = 2, /* lowlevellock.h */
	MUTEX_KINDS = 0x3f3, /* types, robust, inherit, protect, shared, elision */
	/* pthread_rwlock_t, from its start: the two words that threads wait on, and the writer. */
	RWLOCK_PHASE_WORD = 8,
	RWLOCK_WRITERS_WORD = 12,
	RWLOCK_WRITER = 24,
	RWLOCK_WRITE_BITS = 3, /* a writer has it or is about to get it */
	/* pthread_cond_t: __g_signals, the words that threads wait on. */
	CONDITION_FIRST_WORD = 40,
	CONDITION_SECOND_WORD = 44,
	/* CPython's struct _gil_runtime_state: the fields before its condition variable. */
	GIL_LAST_HOLDER = -24,
	GIL_LOCKED = -16,
	MOST_THREADS = 4 * 1024 * 1024, /* PID_MAX_LIMIT, include/linux/threads.h */
	STATE_BYTES = 256, /* of a PyThreadState: contains thread_id and native_thread_id */
};

bool sprof_futex_parse(const uint64_t arguments[6], struct sprof_futex *ret)
{
	unsigned command = (unsigned)arguments[1] & FUTEX_CMD_MASK;

	*ret = (struct sprof_futex){.address = arguments[0],
		.operation = (uint32_t)arguments[1],
		.value = (uint32_t)arguments[2]};
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
		command == FUTEX_WAIT_REQUEUE_PI || command == 13 /* FUTEX_LOCK_PI2, since 5.14 */;
}

bool sprof_futex_is_private(const struct sprof_futex *futex)
{
	return futex->operation & FUTEX_PRIVATE_FLAG;
}

void sprof_futex_read(const struct sprof_blocked_access *access, pid_t pid, uint64_t address,
	struct sprof_futex_memory *ret)
{
	uint8_t *word = ret->bytes + SPROF_FUTEX_BEFORE;
	size_t got = access->read_memory(
		access->data, pid, address - SPROF_FUTEX_BEFORE, ret->bytes, SPROF_FUTEX_BYTES);

	ret->has_before = ret->has_after = got == SPROF_FUTEX_BYTES;
	ret->has_word = got >= SPROF_FUTEX_BEFORE + 4;
	if (ret->has_word)
		return;
	memset(ret->bytes, 0, sizeof(ret->bytes));
	got = access->read_memory(access->data, pid, address, word, SPROF_FUTEX_AFTER);
	ret->has_word = got >= 4;
	ret->has_after = got == SPROF_FUTEX_AFTER;
}

/* The 4 bytes at this distance from the word. */
static uint32_t word_at(const struct sprof_futex_memory *memory, int distance)
{
	uint32_t value;

	memcpy(&value, memory->bytes + SPROF_FUTEX_BEFORE + distance, sizeof(value));
	return value;
}

static uint64_t pointer_at(const struct sprof_futex_memory *memory, int distance)
{
	uint64_t value;

	memcpy(&value, memory->bytes + SPROF_FUTEX_BEFORE + distance, sizeof(value));
	return value;
}

static bool is_thread(const struct sprof_futex_threads *threads, uint32_t tid)
{
	return tid && tid <= MOST_THREADS && threads->is_thread(threads->data, (pid_t)tid);
}

/*
 * Priority-inheritance and robust mutexes hold the owner in the word itself (futex(2)). All others
 * hold "contended" there, and the owner after it.
 */
static bool look_mutex(const struct sprof_futex *futex, const struct sprof_futex_memory *memory,
	const struct sprof_futex_threads *threads, struct sprof_futex_facts *ret)
{
	uint32_t word = word_at(memory, 0), owner = word & FUTEX_TID_MASK;
	bool in_word = futex->value != MUTEX_CONTENDED;

	if (in_word && !(word & FUTEX_WAITERS))
		return false;
	if (!in_word) {
		if (word != MUTEX_CONTENDED || !memory->has_after ||
			word_at(memory, MUTEX_KIND) & ~(uint32_t)MUTEX_KINDS)
			return false;
		owner = word_at(memory, MUTEX_OWNER);
	}
	if (!is_thread(threads, owner))
		return false;
	*ret = (struct sprof_futex_facts){.lock = SPROF_LOCK_MUTEX, .holder = (pid_t)owner};
	return true;
}

/* The kernel clears the word when the thread ends. Its wake-up is not private (clone(2),
 * CLONE_CHILD_CLEARTID). */
static bool look_join(const struct sprof_futex *futex, const struct sprof_futex_memory *memory,
	const struct sprof_futex_threads *threads, struct sprof_futex_facts *ret)
{
	if (sprof_futex_is_private(futex) || word_at(memory, 0) != futex->value ||
		!is_thread(threads, futex->value))
		return false;
	*ret = (struct sprof_futex_facts){.lock = SPROF_LOCK_JOIN, .holder = (pid_t)futex->value};
	return true;
}

static bool look_rwlock(const struct sprof_futex_memory *memory,
	const struct sprof_futex_threads *threads, struct sprof_futex_facts *ret)
{
	static const int words[] = {RWLOCK_PHASE_WORD, RWLOCK_WRITERS_WORD};

	for (size_t i = 0; memory->has_before && memory->has_after && i < 2; i++) {
		uint32_t readers = word_at(memory, -words[i]);
		uint32_t writer = word_at(memory, RWLOCK_WRITER - words[i]);

		if (!(readers & RWLOCK_WRITE_BITS) || !is_thread(threads, writer))
			continue;
		*ret = (struct sprof_futex_facts){
			.lock = SPROF_LOCK_RWLOCK, .holder = (pid_t)writer};
		return true;
	}
	return false;
}

/* A condition variable inside the interpreter's lock. The pointer's owner is determined later. */
static bool look_interpreter(const struct sprof_futex_memory *memory, struct sprof_futex_facts *ret)
{
	static const int words[] = {CONDITION_FIRST_WORD, CONDITION_SECOND_WORD};

	for (size_t i = 0; memory->has_before && i < 2; i++) {
		int start = -words[i];
		uint64_t holder;

		holder = pointer_at(memory, start + GIL_LAST_HOLDER);
		if (word_at(memory, start + GIL_LOCKED) != 1 || !holder || holder % 8)
			continue;
		*ret = (struct sprof_futex_facts){
			.lock = SPROF_LOCK_INTERPRETER, .last_holder = holder};
		return true;
	}
	return false;
}

struct sprof_futex_facts sprof_futex_look(const struct sprof_futex *futex,
	const struct sprof_futex_memory *memory, const struct sprof_futex_threads *threads)
{
	struct sprof_futex_facts facts = {.lock = SPROF_LOCK_UNKNOWN};

	if (!memory->has_word)
		return facts;
	if (!look_mutex(futex, memory, threads, &facts) &&
		!look_join(futex, memory, threads, &facts) && !look_rwlock(memory, threads, &facts))
		look_interpreter(memory, &facts);
	return facts;
}

/* In glibc's struct pthread the id follows the header (nptl/descr.h): tls_or_padding and list. */
static pid_t thread_of_handle(const struct sprof_blocked_access *access, pid_t pid, uint64_t handle)
{
#if defined(__x86_64__)
	enum { TID = 0x2d0 };
#else
	enum { TID = 0xd0 };
#endif
	int32_t tid;

	if (!handle || handle % 16 ||
		access->read_memory(access->data, pid, handle + TID, &tid, sizeof(tid)) !=
			sizeof(tid))
		return 0;
	return tid;
}

pid_t sprof_futex_interpreter_holder(const struct sprof_blocked_access *access, pid_t pid,
	uint64_t thread_state, const struct sprof_futex_threads *threads)
{
	uint64_t words[STATE_BYTES / 8];
	size_t count = access->read_memory(access->data, pid, thread_state, words, sizeof(words)) /
		sizeof(words[0]);

	for (size_t i = 1; i < count; i++) {
		if (words[i - 1] > UINT32_MAX && words[i] <= INT32_MAX &&
			is_thread(threads, (uint32_t)words[i]))
			return (pid_t)words[i];
	}
	for (size_t i = 0; i < count; i++) {
		pid_t tid = thread_of_handle(access, pid, words[i]);

		if (tid > 0 && is_thread(threads, (uint32_t)tid))
			return tid;
	}
	return 0;
}
