/*
 * Computes until stdin has a byte. Then it prints "below" and spins with a stack pointer right below a page
 * that userfaultfd(2) has to bring, and that never comes, until stdin closes. Says "ready absent", or
 * "ready denied" where it may not have such a page, and its pid. Its exit code is 7.
 */
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ROUNDS = 20000000, SIZE = 1 << 20, PRESENT = 1 << 16 };

static MEASURED void spin_below(char *top)
{
	uint64_t rounds = ROUNDS;

#if defined(__x86_64__)
	__asm__ volatile("mov %%rsp, %%rbx\n\t"
			 "mov %1, %%rsp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%rbx, %%rsp"
			 : "+r"(rounds)
			 : "r"(top)
			 : "rbx", "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, %1\n"
			 "1:\tsubs %0, %0, #1\n\t"
			 "b.ne 1b\n\t"
			 "mov sp, x19"
			 : "+r"(rounds)
			 : "r"(top)
			 : "x19", "cc", "memory");
#endif
}

static MEASURED void spin_plainly(void)
{
	for (volatile int i = 0; i < ROUNDS / 10; i++)
		;
}

static bool keep_away(char *stack)
{
	const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range = {
		.range = {.start = (uintptr_t)stack, .len = SIZE},
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	return fd >= 0 && !ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &range);
}

int main(int argc, char *argv[])
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	char *stack = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *middle = stack + SIZE / 2, byte;

	target_init(&argc, argv);
	if (stack == MAP_FAILED)
		target_fail("mmap");
	memset(middle - PRESENT, 0, PRESENT);
	target_ready("%s %d", keep_away(stack) ? "absent" : "denied", (int)getpid());
	while (poll(&in, 1, 0) == 0)
		spin_plainly();
	if (read(STDIN_FILENO, &byte, 1) == 1)
		target_print("below");
	while (poll(&in, 1, 0) == 0)
		spin_below(middle - 64);
	return 7;
}
