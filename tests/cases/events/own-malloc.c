/* An allocator that is interrupted 20 times by a handler on an alternate stack, in main()'s frame, which allocates, too. */

#include <signal.h>
#include <stddef.h>

static char memory[1 << 16];
static size_t used;
static volatile int interrupted;

__attribute__((noinline, noclone)) void *malloc(size_t size)
{
	void *taken = memory + used;

	used += (size + 15) & ~(size_t)15;
	if (size == 100)
		raise(SIGUSR1);
	return taken;
}

void free(void *taken)
{
	(void)taken;
}

static void on_signal(int number)
{
	(void)number;
	interrupted += malloc(16) != NULL;
}

int main(void)
{
	char room[1 << 14];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 20; i++)
		free(malloc(100));
	return interrupted == 20 ? 0 : 1;
}
