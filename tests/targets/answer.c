/*
 * Several threads compute what can be checked from outside, until stdin closes: WORKERS of them
 * step a linear congruential generator (its n-th value has a closed form), two pass a counter to
 * and fro through pipes, one sleeps in short naps and counts them. A result that is off means that
 * somebody disturbed registers, memory, or a system call.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define WORKERS_MAX 64
#define STEPS 100000

struct worker {
	pthread_t thread;
	uint64_t seed, value, steps;
};

struct player {
	pthread_t thread;
	int in, out;
	uint64_t last, passes, errors;
};

static atomic_bool finished;

static MEASURED uint64_t step_many(uint64_t x)
{
	for (int i = 0; i < STEPS; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static MEASURED void *work(void *data)
{
	struct worker *worker = data;

	worker->value = worker->seed;
	while (!atomic_load(&finished)) {
		worker->value = step_many(worker->value);
		worker->steps += STEPS;
	}
	return NULL;
}

/* Answers each number with the next one; any failed or short call is an error of the player's. */
static MEASURED void *play(void *data)
{
	struct player *player = data;
	uint64_t ball;

	for (;;) {
		ssize_t count = read(player->in, &ball, sizeof(ball));

		if (count == 0)
			return NULL;
		if (count != sizeof(ball) || (player->passes > 0 && ball != player->last + 1))
			player->errors++;
		player->last = ++ball;
		player->passes++;
		if (atomic_load(&finished)) {
			close(player->out);
			return NULL;
		}
		if (write(player->out, &ball, sizeof(ball)) != sizeof(ball))
			player->errors++;
	}
}

/* The naps whose end nanosleep() put too early, or that it broke off. */
static MEASURED void *nap(void *data)
{
	uint64_t *bad_naps = data;
	const struct timespec length = {.tv_nsec = 3000000};

	while (!atomic_load(&finished)) {
		uint64_t begin = target_now_ns();

		if (nanosleep(&length, NULL) != 0 || target_now_ns() - begin < 3000000)
			(*bad_naps)++;
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*body)(void *), void *data)
{
	if (pthread_create(thread, NULL, body, data) != 0)
		target_fail("pthread_create");
}

static void start_players(struct player players[2])
{
	const uint64_t first = 0;
	int there[2], back[2];

	if (pipe(there) < 0 || pipe(back) < 0)
		target_fail("pipe");
	players[0] = (struct player){.in = there[0], .out = back[1]};
	players[1] = (struct player){.in = back[0], .out = there[1]};
	for (int i = 0; i < 2; i++)
		start(&players[i].thread, play, &players[i]);
	if (write(there[1], &first, sizeof(first)) != sizeof(first))
		target_fail("write the first number");
}

static void print_results(
	struct worker *workers, long count, struct player players[2], uint64_t bad_naps)
{
	for (long i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		target_print("lcg %llu %llu %llu", (unsigned long long)workers[i].seed,
			(unsigned long long)workers[i].steps, (unsigned long long)workers[i].value);
	}
	for (int i = 0; i < 2; i++) {
		pthread_join(players[i].thread, NULL);
		target_print("passes %llu errors %llu", (unsigned long long)players[i].passes,
			(unsigned long long)players[i].errors);
	}
	target_print("naps errors %llu", (unsigned long long)bad_naps);
}

int main(int argc, char *argv[])
{
	struct worker workers[WORKERS_MAX] = {0};
	struct player players[2];
	uint64_t bad_naps = 0;
	pthread_t napper;
	long count;

	target_init(&argc, argv);
	count = target_number(argc, argv, 1, 2);
	if (count > WORKERS_MAX)
		return 2;
	for (long i = 0; i < count; i++) {
		workers[i].seed = (uint64_t)i + 1;
		start(&workers[i].thread, work, &workers[i]);
	}
	start_players(players);
	start(&napper, nap, &bad_naps);
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	atomic_store(&finished, true);
	pthread_join(napper, NULL);
	print_results(workers, count, players, bad_naps);
	return 0;
}
