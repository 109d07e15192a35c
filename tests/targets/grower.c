/*
 * Touches known numbers of new pages, 4 KiB each, in three functions, one of them in a thread; and
 * computes beside it.
 */
#include <pthread.h>
#include <sys/mman.h>

#include "tests/targets/target.h"

enum { PAGE = 4096, A_LOT = 6000, A_LITTLE = 2000, IN_A_THREAD = 3000 };

/* Where it maps is where it grows. */
MEASURED static void touch(long pages)
{
	char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		target_fail("mmap");
	madvise(memory, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
	for (long i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
}

MEASURED static void grow_a_lot(void)
{
	touch(A_LOT);
}

MEASURED static void grow_a_little(void)
{
	touch(A_LITTLE);
}

MEASURED static void *grow_in_a_thread(void *data)
{
	touch(IN_A_THREAD);
	return data;
}

int main(void)
{
	pthread_t thread;

	grow_a_lot();
	pthread_create(&thread, NULL, grow_in_a_thread, NULL);
	pthread_join(thread, NULL);
	grow_a_little();
	return 7;
}
