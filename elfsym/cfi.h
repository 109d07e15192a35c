/*
 * Call frame information: how to find the caller's frame at an address. Read lazily from .eh_frame
 * and .debug_frame through libdw.
 */
#ifndef SPROF_ELFSYM_CFI_H
#define SPROF_ELFSYM_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
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
	 * Functions of Go's runtime that switch stacks. Before the switch the CFA is sp +
	 * cfa_offset; after it, the offset counts from where they left the stack (struct
	 * sprof_goroutine).
	 */
	/* called by a goroutine, calls on the thread's stack: g.sched.sp */
	SPROF_CFA_GO_SYSTEM_CALL,
	/* the same; but once the scheduler runs, the goroutine is gone: a root */
	SPROF_CFA_GO_SYSTEM_LEFT,
	SPROF_CFA_GO_SCHEDULER, /* on the thread's stack: the goroutine that called has left */
	/* calls C on the thread's stack: sp + fp_offset has the distance below g.stack.hi */
	SPROF_CFA_GO_C_CALL,
	/* calls C on the same stack, aligned: sp + fp_offset has the earlier sp */
	SPROF_CFA_GO_C_CALL_HERE,
	/* called by C on the thread's stack, calls on the goroutine's: g0.sched.sp */
	SPROF_CFA_GO_CALLBACK,
	SPROF_CFA_GO_VDSO, /* calls the vDSO on the thread's stack: m.vdsoSP is the CFA */
	SPROF_CFA_OTHER,   /* an expression or register that needs a full unwinder */
};

/* How a row finds a register of the caller. */
enum sprof_reg_rule {
	SPROF_REG_SAME,
	SPROF_REG_SAVED,     /* at CFA + offset */
	SPROF_REG_UNDEFINED, /* for the return address: the outermost frame */
	/* at CFA + offset; an interrupted place, not a return address */
	SPROF_REG_SAVED_PLACE,
	SPROF_REG_OTHER,
};

/* One CFI row. It holds from the requested link-time address up to `end`, without `end`. */
struct sprof_cfi_row {
	uint64_t end;
	enum sprof_cfa_rule cfa;
	enum sprof_reg_rule ra, fp;
	int32_t cfa_offset, ra_offset, fp_offset;
	int16_t cfa_add;
	/* For a row by sp from code: the CFA is also this far above the frame pointer; 0: it
	 * isn't. */
	int16_t above_fp;
	/* x86_64 PLT: the index is pushed from this byte of the entry's 16 on. */
	uint8_t plt_push_end;
};

struct sprof_cfi; /* belongs to an image; the image must outlive it */

/* Without CFI in the image, it finds nothing. NULL: no memory. */
struct sprof_cfi *sprof_cfi_create(const struct sprof_image *image) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_cfi_destroy(struct sprof_cfi *cfi);

/* The row for a link-time address. Without one, cfa is SPROF_CFA_NONE for this address only. */
struct sprof_cfi_row sprof_cfi_find(struct sprof_cfi *cfi, uint64_t address);

/* libdw's Dwarf_Frame * for a link-time address, for free(3). NULL: no CFI covers it. */
void *sprof_cfi_frame(struct sprof_cfi *cfi, uint64_t address) SPROF_MUST_USE;

#endif
