/*
 * Leaves descriptors to a forked child, so that the kernel closes them at the child's exit. Does
 * not wait for the child; it is reaped with the target's processes, or by its later parent.
 */
#include "attach/start/close-behind.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/numbers.h"

/* Nothing waits for the end of that output. */
static void close_between(unsigned first, unsigned end)
{
	if (first < end)
		syscall(SYS_close_range, first, end - 1, 0);
}

/* Uses only functions that are safe after a fork (signal-safety(7)). */
static void __attribute__((noreturn)) child_run(const int *fds, size_t count, int gate)
{
	unsigned next = 0;
	char byte;

	for (size_t i = 0; i < count; i++) {
		if (gate >= (int)next && gate < fds[i]) {
			close_between(next, (unsigned)gate);
			next = (unsigned)gate + 1;
		}
		close_between(next, (unsigned)fds[i]);
		next = (unsigned)fds[i] + 1;
	}
	if (gate >= (int)next) {
		close_between(next, (unsigned)gate);
		next = (unsigned)gate + 1;
	}
	close_between(next, ~0U);
	while (read(gate, &byte, 1) > 0)
		;
	_exit(0);
}

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

void sprof_close_behind(int *fds, size_t count)
{
	int gate[2] = {-1, -1};
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			fds[kept++] = fds[i];
	}
	if (!kept)
		return;
	qsort(fds, kept, sizeof(fds[0]), sprof_compare_int);
	if (!pipe2(gate, O_CLOEXEC) && !fork())
		child_run(fds, kept, gate[0]);
	close_all(fds, kept);
	if (gate[0] >= 0)
		close_all(gate, 2);
}
