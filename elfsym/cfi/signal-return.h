/* Recognises the code that signal handlers return to. */
#ifndef SPROF_ELFSYM_CFI_SIGNAL_RETURN_H
#define SPROF_ELFSYM_CFI_SIGNAL_RETURN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/machine.h"

enum { SPROF_SIGNAL_RETURN_LONGEST = 9 };

/* Whether these bytes make the system call rt_sigreturn(2) as signal trampolines do. */
bool sprof_signal_return_decode(
	enum sprof_machine machine, const uint8_t code[SPROF_SIGNAL_RETURN_LONGEST]);

#endif
