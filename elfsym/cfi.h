/*
 * Call frame information: for an address, how the caller's frame is found. Read lazily from
 * .eh_frame and .debug_frame through libdw.
 */
#ifndef SPROF_ELFSYM_CFI_H
#define SPROF_ELFSYM_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/image.h"

/* How a row finds the CFA (DWARF 5, section 6.4.1). */
enum sprof_cfa_rule {
	SPROF_CFA_NONE,     /* no CFI covers the address */
	SPROF_CFA_SP,       /* sp + cfa_offset */
	SPROF_CFA_FP,       /* fp + cfa_offset */
	SPROF_CFA_SP_DEREF, /* *(sp + cfa_offset) + cfa_add */
	SPROF_CFA_FP_DEREF, /* *(fp + cfa_offset) + cfa_add */
	SPROF_CFA_PLT,      /* sp + 8, and 8 more in the last part of the 16-byte entry */
	SPROF_CFA_SIGNAL,   /* a signal frame: the registers are in the context on the stack */
	/*
	 * Functions of Go's runtime that change stacks. While they are on the one they were called on: sp + cfa_offset;
	 * else that is counted from where they left it, which the runtime has noted (struct sprof_goroutine).
	 */
	SPROF_CFA_GO_SYSTEM_CALL, /* called by a goroutine, calls on the thread's stack: g.sched.sp */
	SPROF_CFA_GO_SYSTEM_LEFT, /* the same; but once the scheduler runs the goroutine has left: a root */
	SPROF_CFA_GO_SCHEDULER,   /* on the thread's stack: whatever goroutine called has left */
	SPROF_CFA_GO_C_CALL,      /* calls C on the thread's stack: at sp + fp_offset is how far below g.stack.hi */
	SPROF_CFA_GO_C_CALL_HERE, /* calls C on the same stack, aligned: sp from before is at sp + fp_offset */
	SPROF_CFA_GO_CALLBACK,    /* called by C on the thread's stack, calls on the goroutine's: g0.sched.sp */
	SPROF_CFA_GO_VDSO,        /* calls the vDSO on the thread's stack: m.vdsoSP is the CFA */
	SPROF_CFA_OTHER,    /* an expression or register that needs a full unwinder */
};

/* How a row finds a register of the caller. */
enum sprof_reg_rule {
	SPROF_REG_SAME,
	SPROF_REG_SAVED,     /* at CFA + offset */
	SPROF_REG_UNDEFINED, /* for the return address: the outermost frame */
	SPROF_REG_SAVED_PLACE, /* at CFA + offset; not a return address, but a place that was interrupted */
	SPROF_REG_OTHER,
};

/* One CFI row. It holds from the link-time address that was asked for up to `end`, which is not in
 * it. */
struct sprof_cfi_row {
	uint64_t end;
	enum sprof_cfa_rule cfa;
	enum sprof_reg_rule ra, fp;
	int32_t cfa_offset, ra_offset, fp_offset;
	int16_t cfa_add;
	/* Of a row by sp that was computed from code: the CFA is also so far above the frame pointer; 0: it isn't. */
	int16_t above_fp;
	/* x86_64 PLT: the entry has pushed its index from this byte of its 16 on. */
	uint8_t plt_push_end;
};

struct sprof_cfi; /* belongs to an image, which outlives it */

/* An image without CFI gives one that finds nothing. NULL: no memory. */
struct sprof_cfi *sprof_cfi_create(const struct sprof_image *image);
/* NULL is accepted. */
void sprof_cfi_destroy(struct sprof_cfi *cfi);

/* The row for a link-time address. Where there is none, cfa is SPROF_CFA_NONE for this one address.
 */
struct sprof_cfi_row sprof_cfi_find(struct sprof_cfi *cfi, uint64_t address);

#endif
