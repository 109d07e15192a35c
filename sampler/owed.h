/*
 * Samples of a sleep that can't be walked without the frame pointer, nor broken off: they are taken when
 * the thread stops at its end, for which it has been asked.
 */
#ifndef SPROF_SAMPLER_OWED_H
#define SPROF_SAMPLER_OWED_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/procfs.h"
#include "attach/regs.h"

struct sampler;
struct sampling;
struct sprof_thread;
struct sprof_walked;

/* What is owed to a thread. */
struct owed {
	uint32_t count;
	uint64_t since_ns, sp, pc; /* of the sleep */
};

/* Asks a sleeper to stop, if its sleep is one whose samples can be owed. */
bool sprof_owed_ask(struct sampler *sampler, struct sprof_thread *thread, char letter,
	const struct sprof_proc_syscall *call);
/* It has been asked, and the sample of this moment is owed. */
void sprof_owed_begin(
	struct owed *owed, const struct sprof_proc_syscall *call, uint64_t now_ns);
/* More of them, if there are any. */
bool sprof_owed_more(struct owed *owed, uint32_t times);
/*
 * True: the sleep was over before the thread was asked, right after it had been looked at. Nothing is owed
 * then; where it stopped is its sample.
 */
bool sprof_owed_cancel(struct sampling *sampling, const struct sprof_regs *regs);
/* They become samples: on the stack of the stop at the end of the sleep, or as it was seen. */
void sprof_owed_pay(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_regs *regs, const struct sprof_walked *walked);
void sprof_owed_forgive(struct sampler *sampler, struct sprof_thread *thread);

#endif
