/*
 * Runs 32-bit code on x86_64 until it is killed, or for a minute: a far return into the
 * compatibility segment, to two bytes that jump to themselves. What the kernel calls its registers
 * is of another shape then. Elsewhere it says that it can't.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/targets/target.h"

#if defined(__x86_64__)
#define SEGMENT_32 0x23 /* __USER32_CS, arch/x86/include/asm/segment.h */

/* Some virtual machines lack it, and their kernels run no 32-bit programs. */
static bool has_segment(void)
{
	unsigned rights = 0;
	bool found;

	__asm__("larl %2, %0" : "+r"(rights), "=@ccz"(found) : "r"(SEGMENT_32));
	return found;
}

static void run_narrow(void)
{
	static const uint8_t jump_to_itself[] = {0xeb, 0xfe};
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);

	if (code == MAP_FAILED)
		target_fail("mmap");
	if (!has_segment()) {
		target_ready("0");
		return;
	}
	memcpy(code, jump_to_itself, sizeof(jump_to_itself));
	target_ready("%d %p", (int)getpid(), code);
	__asm__ volatile("pushq %0\n\tpushq %1\n\tlretq" : : "i"(SEGMENT_32), "r"(code));
}
#else
static void run_narrow(void)
{
	target_ready("0");
}
#endif

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	alarm(60);
	run_narrow();
	return 0;
}
