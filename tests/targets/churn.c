/*
 * Four threads allocate and free until the test's word, and check what they have in their memory. The
 * ready line has the address of malloc. "right" in the end: each thread has computed what its steps give
 * without any memory. With "filter" a filter of system calls is in force, which allows all.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { THREADS = 4, BLOCKS = 64 };

static atomic_bool is_over;

struct churner {
	pthread_t thread;
	uint64_t number, steps, sum;
	unsigned char *blocks[BLOCKS];
};

static uint64_t next(uint64_t sum, uint64_t step)
{
	return (sum ^ step) * UINT64_C(6364136223846793005) + 1;
}

static size_t size_of(uint64_t step)
{
	return sizeof(uint64_t) + step * 37 % 500;
}

/* A block is checked as long after it was filled as there are blocks. */
static void take_step(struct churner *churner)
{
	const uint64_t step = churner->steps++, old = step - BLOCKS;
	unsigned char **block = &churner->blocks[step % BLOCKS];
	uint64_t stored;

	if (*block) {
		memcpy(&stored, *block, sizeof(stored));
		if (stored != (old ^ churner->number << 56))
			target_fail("a block");
	}
	free(*block);
	*block = malloc(size_of(step));
	stored = step ^ churner->number << 56;
	memset(*block, 0xa5, size_of(step));
	memcpy(*block, &stored, sizeof(stored));
	churner->sum = next(churner->sum, stored);
}

static void *churn(void *data)
{
	struct churner *churner = data;

	while (!is_over)
		take_step(churner);
	return NULL;
}

static void check(struct churner *churner)
{
	uint64_t sum = 0;

	for (uint64_t step = 0; step < churner->steps; step++)
		sum = next(sum, step ^ churner->number << 56);
	if (sum != churner->sum)
		target_fail("a sum");
	for (int i = 0; i < BLOCKS; i++)
		free(churner->blocks[i]);
}

static void filter(void)
{
	struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = 1, .filter = &allow};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		target_fail("prctl");
}

int main(int argc, char *argv[])
{
	struct churner churners[THREADS] = {0};

	target_init(&argc, argv);
	if (argc > 1 && strcmp(argv[1], "filter") == 0)
		filter();
	for (int i = 0; i < THREADS; i++) {
		churners[i].number = (uint64_t)i;
		if (pthread_create(&churners[i].thread, NULL, churn, &churners[i]))
			target_fail("pthread_create");
	}
	target_ready("%d %lx", getpid(), (long)malloc);
	target_wait_for_end();
	is_over = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(churners[i].thread, NULL);
	for (int i = 0; i < THREADS; i++)
		check(&churners[i]);
	target_print("right");
	return 0;
}
