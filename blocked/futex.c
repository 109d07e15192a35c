/*
 * Reads locks in the layouts of glibc 2.25 and later, and CPython's interpreter lock
 * (Python/ceval_gil.h). Does not list a process's threads: the caller does.
 */
#include "blocked/futex.h"

#include <linux/futex.h>
#include <string.h>

enum {
	FUTEX_BEFORE = 72, /* bytes read before the word */
	FUTEX_AFTER = 40,  /* bytes read from the word on */
	FUTEX_BYTES = FUTEX_BEFORE + FUTEX_AFTER,
	/* pthread_mutex_t, relative to the word. */
	MUTEX_COUNT = 4, /* of a recursive one */
	MUTEX_OWNER = 8,
	MUTEX_USERS = 12,
	MUTEX_KIND = 16,
	MUTEX_LIST = 24,     /* of a robust one: two pointers */
	MUTEX_CONTENDED = 2, /* lowlevellock.h */
	MUTEX_TYPES = 3,     /* of the kind; 1 is recursive */
	MUTEX_RECURSIVE = 1,
	MUTEX_SHARED = 0x80,
	MUTEX_ELISION =
		0x300, /* one of these bits is set in a mutex whose type was set to "normal" */
	MUTEX_KINDS = 0x3f3, /* types, robust, inherit, protect, shared, elision */
	/* pthread_rwlock_t, from its start: the two words that threads wait on, and the writer. */
	RWLOCK_PHASE_WORD = 8,
	RWLOCK_WRITERS_WORD = 12,
	RWLOCK_WRITER = 24,
	RWLOCK_SHARED = 28,    /* 0 or 1 */
	RWLOCK_WRITE_BITS = 3, /* a writer has it or is about to get it */
	/*
	 * pthread_cond_t, relative to __g_signals, the pair of words that threads wait on. Up to
	 * glibc 2.40, __g_refs is between __g1_start and __g_size.
	 */
	CONDITION_WORDS_TO_2_40 = 40, /* from its start */
	CONDITION_WORDS = 32,
	CONDITION_SIZES = -16,
	CONDITION_FIRST_SIZE = -8, /* __g1_orig_size: the lower two bits are a lock */
	CONDITION_WAITERS = -4,    /* __wrefs: the lower three bits are flags */
	/* CPython's struct _gil_runtime_state: the fields before its condition variable. */
	GIL_LAST_HOLDER = -24,
	GIL_LOCKED = -16,
	LOWEST_POINTER = 4096,
	/*
	 * struct pthread, since glibc 2.43: a thread joins another by its joinstate, which has this
	 * value as long as the other lives. The id is at this distance.
	 */
	JOINABLE = 2,
	JOINED_ID = -0x358,
	/* the most bytes from sp to a variable of the function that makes the call */
	NEAR_SP = 256,
	MOST_THREADS = 4 * 1024 * 1024, /* PID_MAX_LIMIT, include/linux/threads.h */
	STATE_BYTES = 256, /* of a PyThreadState: contains thread_id and native_thread_id */
};

/* Memory around the word. Unreadable bytes before the word are zero. */
struct futex_memory {
	uint8_t bytes[FUTEX_BYTES];
	bool has_before, has_word, has_after;
};

bool sprof_futex_parse(const uint64_t arguments[6], struct sprof_futex *ret)
{
	unsigned command = (unsigned)arguments[1] & FUTEX_CMD_MASK;

	*ret = (struct sprof_futex){.address = arguments[0],
		.operation = (uint32_t)arguments[1],
		.value = (uint32_t)arguments[2],
		.is_limited = arguments[3] != 0};
	return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
		command == FUTEX_WAIT_REQUEUE_PI || command == 13 /* FUTEX_LOCK_PI2, since 5.14 */;
}

bool sprof_futex_is_private(const struct sprof_futex *futex)
{
	return futex->operation & FUTEX_PRIVATE_FLAG;
}

bool sprof_futex_is_endless(const struct sprof_futex *futex, uint64_t sp)
{
	unsigned command = futex->operation & FUTEX_CMD_MASK;

	return (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET) && !futex->is_limited &&
		!futex->value && futex->address - sp < NEAR_SP;
}

static void read_around(const struct sprof_blocked_access *access, pid_t pid, uint64_t address,
	struct futex_memory *ret)
{
	uint8_t *word = ret->bytes + FUTEX_BEFORE;
	size_t got = access->read_memory(
		access->data, pid, address - FUTEX_BEFORE, ret->bytes, FUTEX_BYTES);

	ret->has_before = ret->has_after = got == FUTEX_BYTES;
	ret->has_word = got >= FUTEX_BEFORE + 4;
	if (ret->has_word)
		return;
	memset(ret->bytes, 0, sizeof(ret->bytes));
	got = access->read_memory(access->data, pid, address, word, FUTEX_AFTER);
	ret->has_word = got >= 4;
	ret->has_after = got == FUTEX_AFTER;
}

/* The 4 bytes at this distance from the word. */
static uint32_t word_at(const struct futex_memory *memory, int distance)
{
	uint32_t value;

	memcpy(&value, memory->bytes + FUTEX_BEFORE + distance, sizeof(value));
	return value;
}

static uint64_t pointer_at(const struct futex_memory *memory, int distance)
{
	uint64_t value;

	memcpy(&value, memory->bytes + FUTEX_BEFORE + distance, sizeof(value));
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
static bool look_mutex(const struct sprof_futex *futex, const struct futex_memory *memory,
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

/*
 * The owner of a mutex whose unlock has not yet cleared it; it may be of any process. The memory
 * may be something else, so all of it must look like a mutex.
 */
static uint32_t owner_of_mutex(const struct sprof_futex *futex, const struct futex_memory *memory)
{
	uint32_t kind = word_at(memory, MUTEX_KIND), count = word_at(memory, MUTEX_COUNT);
	bool is_recursive = (kind & MUTEX_TYPES) == MUTEX_RECURSIVE;

	if (!memory->has_after || futex->value != MUTEX_CONTENDED ||
		word_at(memory, 0) != MUTEX_CONTENDED ||
		kind & ~(uint32_t)(MUTEX_TYPES | MUTEX_SHARED | MUTEX_ELISION) ||
		!count == is_recursive || !word_at(memory, MUTEX_USERS) ||
		pointer_at(memory, MUTEX_LIST) || pointer_at(memory, MUTEX_LIST + 8))
		return 0;
	return word_at(memory, MUTEX_OWNER);
}

/* The kernel clears the word when the thread ends. Its wake-up is not private (clone(2),
 * CLONE_CHILD_CLEARTID). */
static bool look_join(const struct sprof_futex *futex, const struct futex_memory *memory,
	const struct sprof_futex_threads *threads, struct sprof_futex_facts *ret)
{
	if (sprof_futex_is_private(futex) || word_at(memory, 0) != futex->value ||
		!is_thread(threads, futex->value))
		return false;
	*ret = (struct sprof_futex_facts){.lock = SPROF_LOCK_JOIN, .holder = (pid_t)futex->value};
	return true;
}

/* The same since glibc 2.43. */
static bool look_joined(const struct sprof_blocked_access *access, pid_t pid,
	const struct sprof_futex *futex, const struct sprof_futex_threads *threads,
	struct sprof_futex_facts *ret)
{
	uint32_t tid;

	if (sprof_futex_is_private(futex) || futex->value != JOINABLE ||
		access->read_memory(access->data, pid, futex->address + (uint64_t)JOINED_ID, &tid,
			sizeof(tid)) != sizeof(tid) ||
		!is_thread(threads, tid))
		return false;
	*ret = (struct sprof_futex_facts){.lock = SPROF_LOCK_JOIN, .holder = (pid_t)tid};
	return true;
}

/*
 * The thread that holds the lock for writing, of any process; 0: none. `word` is one of the words
 * that threads wait on.
 */
static uint32_t writer_of_rwlock(const struct futex_memory *memory, int word)
{
	if (!memory->has_before || !memory->has_after ||
		!(word_at(memory, -word) & RWLOCK_WRITE_BITS) ||
		word_at(memory, RWLOCK_SHARED - word) > 1)
		return 0;
	return word_at(memory, RWLOCK_WRITER - word);
}

static bool look_rwlock(const struct futex_memory *memory,
	const struct sprof_futex_threads *threads, struct sprof_futex_facts *ret)
{
	static const int words[] = {RWLOCK_PHASE_WORD, RWLOCK_WRITERS_WORD};

	for (size_t i = 0; i < 2; i++) {
		uint32_t writer = writer_of_rwlock(memory, words[i]);

		if (!is_thread(threads, writer))
			continue;
		*ret = (struct sprof_futex_facts){
			.lock = SPROF_LOCK_RWLOCK, .holder = (pid_t)writer};
		return true;
	}
	return false;
}

/* The layouts of a condition variable in glibc: where __g_signals is. */
static const struct condition_layout {
	int words;
	int first_group_shift; /* of __g1_start: its lowest bit was a flag */
} condition_layouts[] = {{CONDITION_WORDS_TO_2_40, 1}, {CONDITION_WORDS, 0}};

/* Threads wait on either word of a pair. */
static int pair_of(const struct sprof_futex *futex)
{
	return -(int)(futex->address % 8);
}

/* A condition variable inside the interpreter's lock. The pointer's owner is determined later. */
static bool look_interpreter(const struct sprof_futex *futex, const struct futex_memory *memory,
	struct sprof_futex_facts *ret)
{
	for (size_t i = 0; memory->has_before && i < 2; i++) {
		int start = pair_of(futex) - condition_layouts[i].words;
		uint64_t holder = pointer_at(memory, start + GIL_LAST_HOLDER);

		if (word_at(memory, start + GIL_LOCKED) != 1 || holder < LOWEST_POINTER ||
			holder % 8)
			continue;
		*ret = (struct sprof_futex_facts){
			.lock = SPROF_LOCK_INTERPRETER,
			.last_holder = holder,
			.traits.condition_words = condition_layouts[i].words,
		};
		return true;
	}
	return false;
}

/*
 * Whether the numbers of waiters agree: all that have begun to wait must be those before the first
 * group, those in it, and what the sizes of both groups say. They may differ while a signal is
 * being sent.
 */
static bool counts_agree(
	const struct futex_memory *memory, int pair, const struct condition_layout *layout)
{
	int start = pair - layout->words;
	uint64_t begun = pointer_at(memory, start) >> 1;
	uint64_t first = pointer_at(memory, start + 8) >> layout->first_group_shift;
	uint32_t waiters = word_at(memory, pair + CONDITION_WAITERS) >> 3;
	uint32_t first_size = word_at(memory, pair + CONDITION_FIRST_SIZE) >> 2;
	uint32_t sizes = word_at(memory, pair + CONDITION_SIZES) +
		word_at(memory, pair + CONDITION_SIZES + 4);

	return waiters && begun >= first &&
		waiters == (uint32_t)(begun - first) - first_size + sizes;
}

/*
 * Only functions on the stack show that it is a condition variable; other data may contain such
 * numbers, too. Data before a condition variable of the new layout hardly ever agrees by chance;
 * data inside one of the old layout may.
 */
static int find_condition_words(const struct sprof_futex *futex, const struct futex_memory *memory)
{
	for (size_t i = 0; memory->has_before && i < 2; i++) {
		if (counts_agree(memory, pair_of(futex), &condition_layouts[i]))
			return condition_layouts[i].words;
	}
	return 0;
}

static struct sprof_futex_facts look(const struct sprof_futex *futex,
	const struct futex_memory *memory, const struct sprof_futex_threads *threads)
{
	struct sprof_futex_facts facts = {.lock = SPROF_LOCK_UNKNOWN};
	uint32_t owner;

	if (look_mutex(futex, memory, threads, &facts) ||
		look_join(futex, memory, threads, &facts) || look_rwlock(memory, threads, &facts) ||
		look_interpreter(futex, memory, &facts))
		return facts;
	facts.traits.condition_words = find_condition_words(futex, memory);
	owner = owner_of_mutex(futex, memory);
	if (!owner && futex->address % 8)
		owner = writer_of_rwlock(memory, RWLOCK_WRITERS_WORD);
	else if (!owner)
		owner = writer_of_rwlock(memory, RWLOCK_PHASE_WORD);
	/* The owner of a shared lock may be a living thread of another process. */
	if (owner && owner <= MOST_THREADS && sprof_futex_is_private(futex))
		facts.traits.lost_owner = (pid_t)owner;
	return facts;
}

struct sprof_futex_facts sprof_futex_look(const struct sprof_blocked_access *access, pid_t pid,
	const struct sprof_futex *futex, const struct sprof_futex_threads *threads)
{
	struct sprof_futex_facts facts = {.lock = SPROF_LOCK_UNKNOWN};
	struct futex_memory memory;

	read_around(access, pid, futex->address, &memory);
	if (memory.has_word && !look_joined(access, pid, futex, threads, &facts))
		facts = look(futex, &memory, threads);
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
