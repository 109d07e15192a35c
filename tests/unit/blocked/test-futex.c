/*
 * blocked/futex: real locks of this process, each held while it is looked at, and memory that only
 * looks like one.
 */
#include "blocked/futex.h"

#include <linux/futex.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/blocked/own-process.h"
#include "tests/unit/check.h"

#define WAIT (FUTEX_WAIT | FUTEX_PRIVATE_FLAG)

/* This thread is the only one there is. */
static bool is_me(void *data, pid_t own_tid)
{
	return own_tid == gettid();
}

static struct sprof_futex_facts look(const void *word, uint32_t operation, uint32_t value)
{
	const struct sprof_futex_threads threads = {.is_thread = is_me};
	const struct sprof_futex futex = {(uintptr_t)word, operation, value};
	struct sprof_futex_memory memory;

	sprof_futex_read(&own_process, getpid(), futex.address, &memory);
	assert_true(memory.has_word);
	return sprof_futex_look(&futex, &memory, &threads);
}

static void a_contended_mutex_has_an_owner(void **state)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct sprof_futex_facts facts;

	pthread_mutex_lock(&mutex);
	assert_int_equal(look(&mutex, WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
	*(volatile int *)&mutex = 2; /* as the second one to come writes it */
	facts = look(&mutex, WAIT, 2);
	assert_int_equal(facts.lock, SPROF_LOCK_MUTEX);
	assert_int_equal(facts.holder, gettid());
	pthread_mutex_unlock(&mutex);
	assert_int_equal(look(&mutex, WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
}

static void a_robust_mutex_has_it_in_its_word(void **state)
{
	uint32_t words[32] = {0};

	words[20] = (uint32_t)gettid() | FUTEX_WAITERS;
	assert_int_equal(look(&words[20], FUTEX_WAIT, words[20]).holder, gettid());
	words[20] = (uint32_t)gettid();
	assert_int_equal(look(&words[20], FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0).holder, 0);
}

static void the_owner_must_be_a_thread(void **state)
{
	uint32_t words[32] = {0};

	words[20] = 2;
	words[22] = (uint32_t)gettid() + 1;
	assert_int_equal(look(&words[20], WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
	words[22] = (uint32_t)gettid();
	assert_int_equal(look(&words[20], WAIT, 2).lock, SPROF_LOCK_MUTEX);
	words[24] = 0xdeadbeef; /* no kind of mutex */
	assert_int_equal(look(&words[20], WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
}

static void the_end_of_a_thread(void **state)
{
	uint32_t words[32] = {0}, tid = (uint32_t)gettid();

	words[20] = tid;
	assert_int_equal(look(&words[20], FUTEX_WAIT, tid).lock, SPROF_LOCK_JOIN);
	assert_int_equal(look(&words[20], FUTEX_WAIT, tid).holder, tid);
	assert_int_equal(look(&words[20], WAIT, tid).lock, SPROF_LOCK_UNKNOWN);
}

static void a_writer_has_a_rwlock(void **state)
{
	struct {
		char before[128];
		pthread_rwlock_t lock;
		char after[128];
	} place = {.lock = PTHREAD_RWLOCK_INITIALIZER};
	const char *start = (const char *)&place.lock;
	struct sprof_futex_facts facts;

	pthread_rwlock_wrlock(&place.lock);
	for (int word = 8; word <= 12; word += 4) {
		facts = look(start + word, WAIT, 3);
		assert_int_equal(facts.lock, SPROF_LOCK_RWLOCK);
		assert_int_equal(facts.holder, gettid());
	}
	pthread_rwlock_unlock(&place.lock);
	pthread_rwlock_rdlock(&place.lock);
	assert_int_equal(look(start + 8, WAIT, 3).lock, SPROF_LOCK_UNKNOWN);
	pthread_rwlock_unlock(&place.lock);
}

/* As CPython 3.11 has it. */
struct interpreter_lock {
	unsigned long interval;
	void *last_holder;
	int locked;
	unsigned long switch_number;
	pthread_cond_t condition;
	pthread_mutex_t mutex;
};

static void the_lock_of_an_interpreter(void **state)
{
	const struct sprof_futex_threads threads = {.is_thread = is_me};
	uint64_t thread_state[32] = {[19] = (uint64_t)pthread_self(), [20] = (uint64_t)gettid()};
	struct interpreter_lock lock = {.last_holder = thread_state, .locked = 1};
	const char *condition = (const char *)&lock.condition;

	for (int word = 40; word <= 44; word += 4) {
		struct sprof_futex_facts facts = look(condition + word, WAIT, 0);

		assert_int_equal(facts.lock, SPROF_LOCK_INTERPRETER);
		assert_int_equal(facts.last_holder, (uintptr_t)thread_state);
	}
	assert_int_equal(sprof_futex_interpreter_holder(
				 &own_process, getpid(), (uintptr_t)thread_state, &threads),
		gettid());
	thread_state[19] = thread_state[20] = 0;
	assert_int_equal(sprof_futex_interpreter_holder(
				 &own_process, getpid(), (uintptr_t)thread_state, &threads),
		0);
	lock.locked = 0;
	assert_int_equal(look(condition + 40, WAIT, 0).lock, SPROF_LOCK_UNKNOWN);
}

static void memory_that_is_not_there(void **state)
{
	const struct sprof_futex futex = {.address = 8, .operation = WAIT, .value = 2};
	const struct sprof_futex_threads threads = {.is_thread = is_me};
	struct sprof_futex_memory memory;

	sprof_futex_read(&own_process, getpid(), futex.address, &memory);
	assert_false(memory.has_word);
	assert_int_equal(sprof_futex_look(&futex, &memory, &threads).lock, SPROF_LOCK_UNKNOWN);
}

static void only_waits(void **state)
{
	const uint64_t wait[6] = {0x1000, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 2};
	const uint64_t wake[6] = {0x1000, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1};
	struct sprof_futex futex;

	assert_true(sprof_futex_parse(wait, &futex));
	assert_int_equal(futex.address, 0x1000);
	assert_int_equal(futex.value, 2);
	assert_false(sprof_futex_parse(wake, &futex));
}

TEST_MAIN("futex")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_contended_mutex_has_an_owner),
		cmocka_unit_test(a_robust_mutex_has_it_in_its_word),
		cmocka_unit_test(the_owner_must_be_a_thread),
		cmocka_unit_test(the_end_of_a_thread),
		cmocka_unit_test(a_writer_has_a_rwlock),
		cmocka_unit_test(the_lock_of_an_interpreter),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test(only_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
