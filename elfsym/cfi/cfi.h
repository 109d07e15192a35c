/*
 * Call frame information: how to find the caller's frame from an address. Read lazily from
 * .eh_frame and .debug_frame through libdw.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/machine.h"

/* How a row finds the CFA (DWARF 5, section 6.4.1). */
enum sprof_cfa_rule {
	SPROF_CFA_NONE,     /* no CFI covers the address */
	SPROF_CFA_SP,       /* sp + cfa_offset */
	SPROF_CFA_FP,       /* fp + cfa_offset */
	SPROF_CFA_SP_DEREF, /* *(sp + cfa_offset) + cfa_add */
	SPROF_CFA_FP_DEREF, /* *(fp + cfa_offset) + cfa_add */
	SPROF_CFA_PLT,      /* sp + 8, plus 8 in the last part of the 16-byte entry */
	SPROF_CFA_SIGNAL,   /* a signal frame: the registers are in the context on the stack */
	/*
	 * Functions of Go's runtime that switch stacks. Before the switch the CFA is sp +
	 * cfa_offset; after it, the offset counts from where they left the stack (struct
	 * sprof_goroutine).
	 */
	/* called on the goroutine's stack, calls on the thread's: g.sched.sp */
	SPROF_CFA_GO_SYSTEM_CALL,
	/* the same, but the scheduler may have taken the goroutine away: a root */
	SPROF_CFA_GO_SYSTEM_LEFT,
	SPROF_CFA_GO_SCHEDULER, /* on the thread's stack; the calling goroutine has left */
	/* calls C on the thread's stack: sp + fp_offset holds the distance below g.stack.hi */
	SPROF_CFA_GO_C_CALL,
	/* calls C on the same stack, aligned: sp + fp_offset holds the old sp */
	SPROF_CFA_GO_C_CALL_HERE,
	/* called by C on the thread's stack, calls on the goroutine's: g0.sched.sp */
	SPROF_CFA_GO_CALLBACK,
	SPROF_CFA_GO_VDSO, /* calls the vDSO on the thread's stack: m.vdsoSP is the CFA */
	SPROF_CFA_OTHER,   /* an expression or register that needs a full unwinder */
};

/* How a row finds a register of the caller. */
enum sprof_reg_rule {
	SPROF_REG_SAME,
	SPROF_REG_SAVED,     /* saved at CFA + offset */
	SPROF_REG_UNDEFINED, /* the return address: outermost frame */
	/* saved at CFA + offset; an interrupted pc, not a return address */
	SPROF_REG_SAVED_PLACE,
	SPROF_REG_SAVED_AT_FP, /* the frame pointer: saved at fp + offset */
	SPROF_REG_OTHER,
};

/* One CFI row, valid from the requested link-time address up to, but not including, `end`. */
struct sprof_cfi_row {
	uint64_t end;
	enum sprof_cfa_rule cfa;
	enum sprof_reg_rule ra, fp;
	int32_t cfa_offset, ra_offset, fp_offset;
	int16_t cfa_add;
	/*
	 * For an sp row computed from code: distance of the CFA above the frame pointer; 0: none.
	 */
	int16_t above_fp;
	/* x86_64 PLT: offset in the 16-byte entry from which the index has been pushed. */
	uint8_t plt_push_end;
};

struct sprof_cfi; /* belongs to an image; the image must outlive it */

/* Without CFI in the image, lookups find nothing. Returns NULL if out of memory. */
struct sprof_cfi *sprof_cfi_create(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_cfi_destroy(struct sprof_cfi *cfi);

/* The row for a link-time address. Without one, cfa is SPROF_CFA_NONE, for this address only. */
struct sprof_cfi_row sprof_cfi_find(struct sprof_cfi *cfi, uint64_t address);

/* Whether a row of this link-time address comes from .eh_frame. */
bool sprof_cfi_is_in_eh_frame(struct sprof_cfi *cfi, uint64_t address);

/* libdw's Dwarf_Frame * for a link-time address; free it with free(3). NULL: no CFI covers it. */
void *sprof_cfi_frame(struct sprof_cfi *cfi, uint64_t address) SPROF_MUST_USE;

enum { SPROF_SIGNAL_RETURN_LONGEST = 9 };

/* Whether these bytes make the system call rt_sigreturn(2) as signal trampolines do. */
bool sprof_signal_return_decode(
	enum sprof_machine machine, const uint8_t code[SPROF_SIGNAL_RETURN_LONGEST]);
