/*
 * Spins with a stack pointer that leads nowhere, as code does that wants one register more, until stdin
 * closes; or, with the word "asleep", waits so, and prints after how many ms a time-out of 500 ms was
 * over. Nothing may need its stack meanwhile: it has no signal handler.
 */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ROUNDS = 20000000, TIMEOUT_MS = 500 };

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

#if defined(__x86_64__)
static long wait_without_stack(int epoll, struct epoll_event *event)
{
	register long timeout __asm__("r10") = TIMEOUT_MS;
	long result = SYS_epoll_wait;

	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov $4096, %%esp\n\t"
			 "syscall\n\t"
			 "mov %%rbx, %%rsp"
			 : "+a"(result)
			 : "D"((long)epoll), "S"(event), "d"(1L), "r"(timeout)
			 : "rbx", "rcx", "r11", "cc", "memory");
	return result;
}
#else
static long wait_without_stack(int epoll, struct epoll_event *event)
{
	return epoll_wait(epoll, event, 1, TIMEOUT_MS);
}
#endif

static void wait_once(void)
{
	struct epoll_event event;
	int epoll = epoll_create1(EPOLL_CLOEXEC);
	uint64_t begin;

	target_wait_for_end();
	begin = target_now_ns();
	if (wait_without_stack(epoll, &event) != 0)
		target_fail("epoll_wait");
	target_print("%d", (int)((target_now_ns() - begin) / 1000000));
}

int main(int argc, char *argv[])
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	if (argc > 1) {
		wait_once();
		return 0;
	}
	while (poll(&in, 1, 0) == 0)
		spin_without_stack();
	return 0;
}
