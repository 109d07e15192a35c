/* A small process that has a child of 128 MiB: what the child had is not the parent's. */

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE ((size_t)128 << 20)

int main(void)
{
	int status = 1;

	if (fork() == 0) {
		char *memory = malloc(SIZE);

		prctl(PR_SET_NAME, "child");
		memset(memory, 1, SIZE);
		__asm__ volatile("" ::"r"(memory) : "memory");
		_exit(0);
	}
	wait(&status);
	return status;
}
