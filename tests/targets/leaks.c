/*
 * Computes, and loses N pieces of memory: leaks N. Built with a sanitizer, which looks for them at
 * its end.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/targets/target.h"

enum { THREADS = 3, ROUNDS = 20 };

static void *compute(void *unused)
{
	for (int i = 0; i < 200; i++) {
		char *volatile bytes = malloc(1000);

		memset((void *)bytes, i, 1000);
		free((void *)bytes);
	}
	return unused;
}

/* In a thread that ends: nothing on a stack leads to them. */
static void *lose(void *count)
{
	for (int i = 0; i < *(int *)count; i++) {
		char *volatile bytes = malloc(100);

		*bytes = 1;
	}
	return NULL;
}

static void wait_for_word(void)
{
	int byte;

	do {
		byte = getchar();
	} while (byte != '\n' && byte != EOF);
}

int main(int argc, char *argv[])
{
	pthread_t threads[THREADS];
	int count;

	target_init(&argc, argv);
	if (argc != 2)
		return 98;
	count = atoi(argv[1]);
	target_ready("%s", "ready");
	wait_for_word();
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			pthread_create(&threads[i], NULL, compute, NULL);
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	pthread_create(&threads[0], NULL, lose, &count);
	pthread_join(threads[0], NULL);
	printf("done\n");
	return 0;
}
