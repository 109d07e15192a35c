/*
 * One call of getppid(2) from 250 frames of 300 bytes, more than a first copy of a stack holds, and then a hundred
 * from one frame.
 */
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) static long descend(int depth)
{
	volatile char room[300] = {0};
	long id = depth ? descend(depth - 1) : syscall(SYS_getppid);

	return id + room[depth % 300];
}

__attribute__((noinline)) static long ask(void)
{
	return syscall(SYS_getppid) + 1;
}

int main(void)
{
	volatile long sum = descend(250);

	for (int i = 0; i < 100; i++)
		sum += ask();
	return 0;
}
