/*
 * sampler/locks: who has a lock, and how often that is read. The lock is a word of this process, the
 * threads are made up.
 */
#include "sampler/locks.h"

#include <linux/futex.h>
#include <unistd.h>

#include "sampler/sampler-internal.h"
#include "tests/unit/check.h"

enum {
	HERE,
	ALSO_HERE,
	ELSEWHERE,
	THREADS,
	CONTENDED = 2, /* the word of a mutex */
	WORD = 20,     /* of the memory below */
	OWNER = 22
};

static struct scene {
	struct sprof_process processes[2];
	struct sprof_thread threads[THREADS], *table[THREADS];
	struct sampling samplings[THREADS];
	uint32_t memory[64];
	struct sprof_sampler_parts parts;
	struct sampler sampler;
} *scene;

struct sprof_thread **sprof_target_threads(const struct sprof_target *target, size_t *ret_count)
{
	*ret_count = THREADS;
	return scene->table;
}

/* Every thread waits for the mutex, with private futexes or with shared ones. */
static void set_up(struct scene *new, uint32_t operation)
{
	scene = new;
	for (uint32_t i = 0; i < THREADS; i++) {
		new->threads[i] = (struct sprof_thread){.id = i,
			.tid = getpid(), /* whose memory is read */
			.process = &new->processes[i == ELSEWHERE],
			.sampling = &new->samplings[i]};
		new->table[i] = &new->threads[i];
		new->samplings[i].facts.own_tid = 101 + (pid_t)i;
		new->samplings[i].wait.lock = (struct lock_watch){.active = true,
			.futex = {(uintptr_t)&new->memory[WORD], operation, CONTENDED}};
		new->processes[i == ELSEWHERE].pid = getpid();
	}
	new->memory[WORD] = CONTENDED;
	new->sampler.parts = &new->parts;
	new->sampler.tick.ns = 1;
}

static uint32_t holder_for(uint32_t thread)
{
	sprof_locks_look(&scene->sampler, &scene->threads[thread]);
	return scene->samplings[thread].wait.lock.holder_id;
}

static void set_owner(uint32_t thread)
{
	scene->memory[OWNER] = 101 + thread;
}

static void one_read_per_tick_serves_all_who_wait(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT);
	set_owner(ELSEWHERE);
	assert_int_equal(holder_for(HERE), ELSEWHERE);
	set_owner(HERE);
	assert_int_equal(holder_for(ALSO_HERE), ELSEWHERE);
	new.sampler.tick.ns++;
	assert_int_equal(holder_for(ALSO_HERE), HERE);
	assert_true(sprof_locks_is_held(&new.samplings[ALSO_HERE].wait.lock));
}

static void nobody_waits_for_what_he_has(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	set_owner(HERE);
	assert_int_equal(holder_for(HERE), SPROF_RECORD_NONE);
	assert_int_equal(sprof_locks_look(&new.sampler, &new.threads[HERE]), SPROF_LOCK_UNKNOWN);
	assert_false(sprof_locks_is_held(&new.samplings[HERE].wait.lock));
	assert_int_equal(holder_for(ALSO_HERE), HERE);
}

static void a_private_lock_is_held_in_its_process(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	set_owner(ELSEWHERE);
	assert_int_equal(holder_for(HERE), SPROF_RECORD_NONE);
	new.samplings[ALSO_HERE].facts.own_tid = 101 + ELSEWHERE; /* in a namespace of its own */
	new.sampler.tick.ns++;
	assert_int_equal(holder_for(HERE), ALSO_HERE);
}

static void nobody_joins_a_thread_of_another_process(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT);
	new.memory[WORD] = new.samplings[HERE].wait.lock.futex.value = 101 + ELSEWHERE;
	assert_int_equal(sprof_locks_look(&new.sampler, &new.threads[HERE]), SPROF_LOCK_UNKNOWN);
	new.memory[WORD] = new.samplings[HERE].wait.lock.futex.value = 101 + ALSO_HERE;
	assert_int_equal(sprof_locks_look(&new.sampler, &new.threads[HERE]), SPROF_LOCK_JOIN);
	assert_int_equal(new.samplings[HERE].wait.lock.holder_id, ALSO_HERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_read_per_tick_serves_all_who_wait),
		cmocka_unit_test(nobody_waits_for_what_he_has),
		cmocka_unit_test(a_private_lock_is_held_in_its_process),
		cmocka_unit_test(nobody_joins_a_thread_of_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
