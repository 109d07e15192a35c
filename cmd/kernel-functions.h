/*
 * The functions of the running kernel, by address.
 */
#ifndef SPROF_CMD_KERNEL_FUNCTIONS_H
#define SPROF_CMD_KERNEL_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

struct sprof_symlist;

/*
 * Reads them: some 10 MB, and some 100 ms. NULL: the kernel hides them (kernel.kptr_restrict, CAP_SYSLOG),
 * or no memory. To be destroyed with sprof_symlist_destroy().
 */
struct sprof_symlist *sprof_kernel_functions_open(void);

/* `functions` is what sprof_kernel_functions_open() has returned. A place in none has its address as name. */
void sprof_kernel_functions_name(
	const void *functions, uint64_t address, char *buffer, size_t size);

#endif
