/*
 * Programs with another word size than sprof: 32-bit programs on a 64-bit machine (i386, x32,
 * 32-bit ARM). Their system call numbers, registers and stack layout differ.
 */
#pragma once

#include <stdbool.h>

/* Whether the ELF file has the other class (elf(5), EI_CLASS). */
bool sprof_word_size_differs(int fd);
