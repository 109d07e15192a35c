/* A thread that clone(2) itself makes: its entry has a return address of 0 and no frame pointer above. */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <sched.h>
#include <stdint.h>
#include <sys/syscall.h>

static volatile long sum;

APART void raw_leaf(void)
{
	say_ready();
	for (;;)
		sum++;
}

__attribute__((noinline, noreturn, used)) void raw_main(void)
{
	for (;;) {
		raw_leaf();
		sum++;
	}
}

__asm__(".text\n"
	".globl raw_entry\n"
	".type raw_entry, @function\n"
	"raw_entry:\n"
	"call raw_main\n"
	".size raw_entry, . - raw_entry\n");
extern void raw_entry(void);

int main(void)
{
	static _Alignas(16) uintptr_t stack[1 << 13];
	uintptr_t *top = stack + (1 << 13) - 16;
	long flags =
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
	long result;

	*top = (uintptr_t)raw_entry;
	__asm__ volatile("xorl %%edx, %%edx\n"
			 "xorl %%r10d, %%r10d\n"
			 "xorl %%r8d, %%r8d\n"
			 "syscall\n"
			 "testq %%rax, %%rax\n"
			 "jnz 1f\n"
			 "xorl %%ebp, %%ebp\n"
			 "ret\n"
			 "1:"
			 : "=a"(result)
			 : "a"(SYS_clone), "D"(flags), "S"(top)
			 : "rdx", "r10", "r8", "rcx", "r11", "memory");
	for (;;)
		pause();
}
