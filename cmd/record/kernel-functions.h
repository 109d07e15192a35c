/* Functions of the running kernel, by address. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sprof_symlist;

/*
 * Reads the symbols: about 10 MB in 100 ms. NULL: hidden by the kernel (kernel.kptr_restrict,
 * CAP_SYSLOG), or out of memory. Free it with sprof_symlist_destroy().
 */
struct sprof_symlist *sprof_kernel_functions_open(void);

/*
 * `functions`: from sprof_kernel_functions_open(). An address outside all functions is written as a
 * number.
 */
void sprof_kernel_functions_name(
	const void *functions, uint64_t address, char *buffer, size_t size);
