/*
 * ELF files are mapped, not read: of a debug file of 300 MB a few MB are needed, and which ones turns
 * out on the way. But whoever writes to such a file can cut it off at any time, and a page behind its
 * new end raises SIGBUS (mmap(2)). The handler puts a page of zeros there, once per page, and the
 * instruction is tried again; all readers of ELF files cope with zeros, as they do with garbage.
 * Nothing else in this process can raise a BUS_ADRERR: it maps no file it writes to.
 */
#include "base/mapped-files.h"

#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* In a page of the file that was there when it was mapped, so MAP_FIXED replaces a mapping of ours. */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *page = (void *)((uintptr_t)info->si_addr & ~(uintptr_t)(size - 1));

	if (info->si_code == BUS_ADRERR &&
		mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
		return;
	/* The instruction is tried again, and this time it ends the process; what was sent comes once. */
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
