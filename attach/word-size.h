/*
 * Programs of another word size than sprof's: those of 32 bits on a 64-bit machine (i386, x32, 32-bit
 * ARM). Their system calls have other numbers, and their registers and stacks another shape.
 */
#ifndef SPROF_ATTACH_WORD_SIZE_H
#define SPROF_ATTACH_WORD_SIZE_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether this is an ELF file of the other class (elf(5), EI_CLASS). */
bool sprof_word_size_differs_in_file(int fd);

/* The same for the program that a process runs. False also where its file can't be read. */
bool sprof_word_size_differs(pid_t pid);

#endif
