/*
 * blocked/futex: real locks of this process, each held while it is looked at, and memory that only
 * looks like one.
 */
#include "blocked/futex.h"

#include <inttypes.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
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
	const struct sprof_futex futex = {(uintptr_t)word, operation, value, false};

	return sprof_futex_look(&own_process, getpid(), &futex, &threads);
}

static void a_contended_mutex_has_an_owner(void **state)
{
	struct {
		char before[128];
		pthread_mutex_t mutex;
	} place = {.mutex = PTHREAD_MUTEX_INITIALIZER};
	struct sprof_futex_facts facts;

	pthread_mutex_lock(&place.mutex);
	assert_int_equal(look(&place.mutex, WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
	*(volatile int *)&place.mutex = 2; /* as the second one to come writes it */
	facts = look(&place.mutex, WAIT, 2);
	assert_int_equal(facts.lock, SPROF_LOCK_MUTEX);
	assert_int_equal(facts.holder, gettid());
	assert_int_equal(facts.traits.lost_owner, 0);
	pthread_mutex_unlock(&place.mutex);
	assert_int_equal(look(&place.mutex, WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
}

static void a_robust_mutex_has_it_in_its_word(void **state)
{
	uint32_t words[32] = {0};

	words[20] = (uint32_t)gettid() | FUTEX_WAITERS;
	assert_int_equal(look(&words[20], FUTEX_WAIT, words[20]).holder, gettid());
	words[20] = (uint32_t)gettid();
	assert_int_equal(look(&words[20], FUTEX_LOCK_PI | FUTEX_PRIVATE_FLAG, 0).holder, 0);
}

static void *lock_and_end(void *mutex)
{
	pthread_mutex_lock(mutex);
	return (void *)(intptr_t)gettid();
}

struct mutex_place {
	char before[128];
	pthread_mutex_t mutex;
};

static void check_lost(struct mutex_place place)
{
	struct sprof_futex_facts facts;
	pthread_t thread;
	void *owner;

	assert_int_equal(pthread_create(&thread, NULL, lock_and_end, &place.mutex), 0);
	pthread_join(thread, &owner);
	assert_int_equal(look(&place.mutex, WAIT, 2).traits.lost_owner, 0);
	*(volatile int *)&place.mutex = 2;
	facts = look(&place.mutex, WAIT, 2);
	assert_int_equal(facts.lock, SPROF_LOCK_UNKNOWN);
	assert_int_equal(facts.holder, 0);
	assert_int_equal(facts.traits.lost_owner, (intptr_t)owner);
	/* Shared with another process, it may have an owner there. */
	assert_int_equal(look(&place.mutex, FUTEX_WAIT, 2).traits.lost_owner, 0);
	((volatile int *)&place.mutex)[6] = 1; /* in no list, as it is not robust */
	assert_int_equal(look(&place.mutex, WAIT, 2).traits.lost_owner, 0);
}

static void an_owner_that_has_ended(void **state)
{
	static const int types[] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE,
		PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_ADAPTIVE_NP};

	check_lost((struct mutex_place){.mutex = PTHREAD_MUTEX_INITIALIZER});
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct mutex_place place = {0};
		pthread_mutexattr_t attributes;

		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, types[i]);
		pthread_mutex_init(&place.mutex, &attributes);
		check_lost(place);
	}
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

/* Threads that really wait for a condition variable of this C library. */
struct waiting {
	struct interpreter_lock lock;
	pthread_t threads[2];
	pid_t ids[2];
};

static void *wait_for_signal(void *data)
{
	struct waiting *waiting = data;

	pthread_mutex_lock(&waiting->lock.mutex);
	waiting->ids[waiting->ids[0] != 0] = gettid();
	pthread_cond_wait(&waiting->lock.condition, &waiting->lock.mutex);
	pthread_mutex_unlock(&waiting->lock.mutex);
	return NULL;
}

/* The arguments of the call that the thread sleeps in. */
static bool read_call(pid_t tid, uint64_t arguments[6])
{
	char path[64], text[256] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	file = fopen(path, "r");
	assert_non_null(file);
	assert_true(fgets(text, sizeof(text), file) || true);
	fclose(file);
	memset(arguments, 0, 6 * sizeof(*arguments));
	return sscanf(text, "%*d %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &arguments[0],
		       &arguments[1], &arguments[2], &arguments[3]) == 4;
}

static struct sprof_futex_facts look_at_waiter(const struct waiting *waiting, size_t index)
{
	const struct sprof_futex_threads threads = {.is_thread = is_me};
	const uint64_t condition = (uintptr_t)&waiting->lock.condition;
	uint64_t arguments[6];
	struct sprof_futex futex;

	while (!read_call(waiting->ids[index], arguments) || arguments[0] < condition ||
		arguments[0] >= condition + sizeof(pthread_cond_t) ||
		!sprof_futex_parse(arguments, &futex))
		sched_yield();
	return sprof_futex_look(&own_process, getpid(), &futex, &threads);
}

/* Each round begins where the signals before left the condition variable. */
static void wait_twice(struct waiting *waiting)
{
	pid_t *ids = waiting->ids;

	ids[0] = ids[1] = 0;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(
			pthread_create(&waiting->threads[i], NULL, wait_for_signal, waiting), 0);
		while (!__atomic_load_n(&ids[i], __ATOMIC_SEQ_CST))
			sched_yield();
	}
}

/* The second one may have begun to wait after a signal for the first one. */
static void end_waits(struct waiting *waiting)
{
	pthread_mutex_lock(&waiting->lock.mutex);
	pthread_cond_broadcast(&waiting->lock.condition);
	pthread_mutex_unlock(&waiting->lock.mutex);
	for (size_t i = 0; i < 2; i++)
		pthread_join(waiting->threads[i], NULL);
}

static void the_words_of_a_condition_variable(void **state)
{
	struct waiting waiting = {.lock.condition = PTHREAD_COND_INITIALIZER,
		.lock.mutex = PTHREAD_MUTEX_INITIALIZER};
	int words = 0;

	for (size_t round = 0; round < 8; round++) {
		wait_twice(&waiting);
		for (size_t i = 0; i < 2; i++) {
			struct sprof_futex_facts facts;

			/* The other one may still be on its way. */
			look_at_waiter(&waiting, !i);
			facts = look_at_waiter(&waiting, i);
			assert_int_equal(facts.lock, SPROF_LOCK_UNKNOWN);
			assert_int_not_equal(facts.traits.condition_words, 0);
			if (words)
				assert_int_equal(facts.traits.condition_words, words);
			words = facts.traits.condition_words;
		}
		end_waits(&waiting);
	}
}

static void the_lock_of_an_interpreter(void **state)
{
	const struct sprof_futex_threads threads = {.is_thread = is_me};
	uint64_t thread_state[32] = {[19] = (uint64_t)pthread_self(), [20] = (uint64_t)gettid()};
	struct waiting waiting = {.lock.condition = PTHREAD_COND_INITIALIZER,
		.lock.mutex = PTHREAD_MUTEX_INITIALIZER,
		.lock.last_holder = thread_state,
		.lock.locked = 1};

	for (size_t round = 0; round < 4; round++) {
		wait_twice(&waiting);
		for (size_t i = 0; i < 2; i++) {
			struct sprof_futex_facts facts = look_at_waiter(&waiting, i);

			assert_int_equal(facts.lock, SPROF_LOCK_INTERPRETER);
			assert_int_equal(facts.last_holder, (uintptr_t)thread_state);
		}
		waiting.lock.locked = 0;
		assert_int_equal(look_at_waiter(&waiting, 0).lock, SPROF_LOCK_UNKNOWN);
		waiting.lock.locked = 1;
		end_waits(&waiting);
	}
	assert_int_equal(sprof_futex_interpreter_holder(
				 &own_process, getpid(), (uintptr_t)thread_state, &threads),
		gettid());
	thread_state[19] = thread_state[20] = 0;
	assert_int_equal(sprof_futex_interpreter_holder(
				 &own_process, getpid(), (uintptr_t)thread_state, &threads),
		0);
}

static void *join(void *data)
{
	struct waiting *waiting = data;

	__atomic_store_n(&waiting->ids[0], gettid(), __ATOMIC_SEQ_CST);
	pthread_join(waiting->threads[1], NULL);
	return NULL;
}

static void *take_mutex(void *data)
{
	struct waiting *waiting = data;

	__atomic_store_n(&waiting->ids[1], gettid(), __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&waiting->lock.mutex);
	pthread_mutex_unlock(&waiting->lock.mutex);
	return NULL;
}

static bool is_any(void *data, pid_t own_tid)
{
	return own_tid == *(pid_t *)data;
}

/* What a thread really waits for in pthread_join() with this C library. */
static void a_join(void **state)
{
	struct waiting waiting = {.lock.mutex = PTHREAD_MUTEX_INITIALIZER};
	const struct sprof_futex_threads threads = {&waiting.ids[1], is_any};
	struct sprof_futex_facts facts = {.lock = SPROF_LOCK_UNKNOWN};
	struct sprof_futex futex;
	uint64_t arguments[6];

	pthread_mutex_lock(&waiting.lock.mutex);
	pthread_create(&waiting.threads[1], NULL, take_mutex, &waiting);
	pthread_create(&waiting.threads[0], NULL, join, &waiting);
	for (size_t i = 0; i < 2; i++) {
		while (!__atomic_load_n(&waiting.ids[i], __ATOMIC_SEQ_CST))
			sched_yield();
	}
	/* Until it is there, it sleeps elsewhere, if at all. */
	while (facts.lock != SPROF_LOCK_JOIN) {
		if (read_call(waiting.ids[0], arguments) && sprof_futex_parse(arguments, &futex))
			facts = sprof_futex_look(&own_process, getpid(), &futex, &threads);
		sched_yield();
	}
	assert_int_equal(facts.holder, waiting.ids[1]);
	pthread_mutex_unlock(&waiting.lock.mutex);
	pthread_join(waiting.threads[0], NULL);
}

static void memory_that_is_not_there(void **state)
{
	assert_int_equal(look((const void *)8, WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
	assert_int_equal(look((const void *)8, FUTEX_WAIT, 2).lock, SPROF_LOCK_UNKNOWN);
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

static void an_endless_wait(void **state)
{
	struct sprof_futex futex = {0x1010, WAIT, 0, false};

	assert_true(sprof_futex_is_endless(&futex, 0x1000));
	assert_false(sprof_futex_is_endless(&futex, 0x1018));
	assert_false(sprof_futex_is_endless(&futex, 0x200));
	futex.is_limited = true;
	assert_false(sprof_futex_is_endless(&futex, 0x1000));
	futex.is_limited = false;
	futex.value = 1;
	assert_false(sprof_futex_is_endless(&futex, 0x1000));
	futex = (struct sprof_futex){0x1010, FUTEX_LOCK_PI, 0, false};
	assert_false(sprof_futex_is_endless(&futex, 0x1000));
}

TEST_MAIN("futex")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_contended_mutex_has_an_owner),
		cmocka_unit_test(a_robust_mutex_has_it_in_its_word),
		cmocka_unit_test(an_owner_that_has_ended),
		cmocka_unit_test(the_owner_must_be_a_thread),
		cmocka_unit_test(the_end_of_a_thread),
		cmocka_unit_test(a_writer_has_a_rwlock),
		cmocka_unit_test(the_words_of_a_condition_variable),
		cmocka_unit_test(the_lock_of_an_interpreter),
		cmocka_unit_test(a_join),
		cmocka_unit_test(an_endless_wait),
		cmocka_unit_test(memory_that_is_not_there),
		cmocka_unit_test(only_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
