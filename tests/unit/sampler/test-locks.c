/*
 * sampler/locks: who holds a lock, and how often that is read. The lock is a word of this process;
 * the threads are made up.
 */
#include "sampler/account/waits.h"

#include <linux/futex.h>
#include <unistd.h>

#include "attach/proc/memory.h"
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
	struct sampled sampled[THREADS];
	uint32_t memory[64];
	struct sprof_world world;
	struct sprof_sampler_options options;
	struct run run;
	struct locks locks;
	uint64_t now_ns;
} * scene;

static struct sprof_thread **threads(const struct sprof_target *target, size_t *ret_count)
{
	*ret_count = THREADS;
	return scene->table;
}

static size_t read_memory(
	struct sprof_process *process, pid_t tid, uint64_t address, void *buffer, size_t size)
{
	return sprof_memory_read(getpid(), address, buffer, size);
}

/* Every thread waits for the mutex, with private or shared futexes. */
static void set_up(struct scene *new, uint32_t operation)
{
	scene = new;
	for (uint32_t i = 0; i < THREADS; i++) {
		new->threads[i] = (struct sprof_thread){.id = i,
			.tid = (pid_t)i + 1,
			.process = &new->processes[i == ELSEWHERE],
			.sampling = &new->sampled[i]};
		new->table[i] = &new->threads[i];
		new->sampled[i].own_tid = 101 + (pid_t)i;
		new->sampled[i].wait.lock = (struct lock_watch){
			.futex = {(uintptr_t) & new->memory[WORD], operation, CONTENDED}};
		new->processes[i == ELSEWHERE].pid = getpid();
	}
	new->memory[WORD] = CONTENDED;
	new->world.threads = threads;
	new->world.read_memory = read_memory;
	new->run = (struct run){.world = &new->world, .options = &new->options};
	new->locks.run = &new->run;
	new->now_ns = 1;
}

static enum sprof_lock_kind look(uint32_t thread)
{
	return sprof_locks_look(&scene->locks, &scene->threads[thread],
		&scene->sampled[thread].wait.lock, scene->now_ns)
		->kind;
}

enum { NOBODY = -1 };

static int holder_of(uint32_t thread)
{
	return scene->sampled[thread].wait.lock.holder_tid - 1;
}

static int holder_for(uint32_t thread)
{
	look(thread);
	return holder_of(thread);
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
	new.now_ns++;
	assert_int_equal(holder_for(ALSO_HERE), HERE);
}

/* It may have got the lock since it was seen asleep, but not if its wait goes on. */
static void a_thread_waits_for_itself_in_the_second_look(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	set_owner(HERE);
	assert_int_equal(holder_for(HERE), NOBODY);
	assert_int_equal(holder_for(ALSO_HERE), HERE);
	new.now_ns++;
	assert_int_equal(holder_for(HERE), HERE);
	assert_int_equal(look(HERE), SPROF_LOCK_MUTEX);
	new.options.once = true;
	set_owner(ALSO_HERE);
	new.now_ns++;
	assert_int_equal(holder_for(ALSO_HERE), ALSO_HERE);
}

static void a_private_lock_is_held_in_its_process(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT | FUTEX_PRIVATE_FLAG);
	set_owner(ELSEWHERE);
	assert_int_equal(holder_for(HERE), NOBODY);
	new.sampled[ALSO_HERE].own_tid = 101 + ELSEWHERE; /* in a namespace of its own */
	new.now_ns++;
	assert_int_equal(holder_for(HERE), ALSO_HERE);
}

static void nobody_joins_a_thread_of_another_process(void **state)
{
	struct scene new = {0};

	set_up(&new, FUTEX_WAIT);
	new.memory[WORD] = new.sampled[HERE].wait.lock.futex.value = 101 + ELSEWHERE;
	assert_int_equal(look(HERE), SPROF_LOCK_UNKNOWN);
	new.memory[WORD] = new.sampled[HERE].wait.lock.futex.value = 101 + ALSO_HERE;
	assert_int_equal(look(HERE), SPROF_LOCK_JOIN);
	assert_int_equal(holder_of(HERE), ALSO_HERE);
}

TEST_MAIN("locks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_read_per_tick_serves_all_who_wait),
		cmocka_unit_test(a_thread_waits_for_itself_in_the_second_look),
		cmocka_unit_test(a_private_lock_is_held_in_its_process),
		cmocka_unit_test(nobody_joins_a_thread_of_another_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
