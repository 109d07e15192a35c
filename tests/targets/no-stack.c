/*
 * Spins with a stack pointer that leads nowhere, as code does that wants one register more, until stdin
 * closes. Nothing may need its stack meanwhile: it has no signal handler.
 */
#include <poll.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define ROUNDS 20000000

static MEASURED void spin_without_stack(void)
{
	uint64_t rounds = ROUNDS;

#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov $4096, %%esp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%rbx, %%rsp"
			 : "+r"(rounds)
			 :
			 : "rbx", "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov x19, sp\n\t"
			 "mov x20, #4096\n\t"
			 "mov sp, x20\n"
			 "1:\tsubs %0, %0, #1\n\t"
			 "b.ne 1b\n\t"
			 "mov sp, x19"
			 : "+r"(rounds)
			 :
			 : "x19", "x20", "cc", "memory");
#endif
}

int main(int argc, char *argv[])
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	while (poll(&in, 1, 0) == 0)
		spin_without_stack();
	return 0;
}
