/*
 * The code of processes.
 */
#pragma once

#include <sys/types.h>

/* Fails the test where a byte of the process's code is not its file's. The process may run. */
void expect_code_of_files(pid_t pid);
