/*
 * ELF files are mapped, not read: a debug file of 300 MB needs only a few MB, and which ones is not
 * known in advance. But a program that may write to such a file can truncate it at any time, and
 * then a page beyond the new end raises SIGBUS (mmap(2)). The handler maps a page of zeros there,
 * once per page, and the instruction is retried. All readers of ELF files tolerate zeros, as they
 * tolerate garbage. Nothing else in this process can raise a BUS_ADRERR: it maps no file that it
 * writes to.
 */
#include "base/mapped-files.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* The page was in the file when it was mapped, so MAP_FIXED only replaces our own mapping. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)(size - 1));

	if (info->si_code == BUS_ADRERR &&
		mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
		return;
	/* The instruction is retried and now terminates the process; a signal sent by a process
	 * comes only once. */
	signal(number, SIG_DFL);
	if (info->si_code <= 0)
		raise(number);
}

void sprof_mapped_files_survive_truncation(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};

	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}
