/*
 * What the kernel lets a tracer do. Asked of the kernel itself, without sprof.
 */
#pragma once

#include <stdbool.h>

/*
 * Whether a call that a stop has made return EINTR can't begin anew, because its first argument is lost:
 * aarch64, by arch/arm64/kernel/ptrace.c, update_syscall_orig_x0_after_ptrace. Ends the program if it can't
 * be found out.
 */
bool kernel_hides_first_argument(void);
