/*
 * CFI rows through libdw. Accepts the rules that a stack walk can apply with three registers, and
 * classifies all others as "other". Does not walk stacks.
 */
#include "elfsym/cfi/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#if defined(__x86_64__)
enum { DWARF_FP = 6, DWARF_SP = 7 };
#elif defined(__aarch64__)
enum { DWARF_FP = 29, DWARF_SP = 31 };
#endif

struct sprof_cfi {
	Dwarf_CFI *eh_frame; /* own object, freed with dwarf_cfi_end */
	Dwarf *dwarf;
	Dwarf_CFI *debug_frame; /* belongs to dwarf */
};

struct sprof_cfi *sprof_cfi_create(const struct sprof_image *image)
{
	struct sprof_cfi *cfi = calloc(1, sizeof(*cfi));

	if (!cfi)
		return NULL;
	cfi->eh_frame = dwarf_getcfi_elf(image->elf);
	cfi->dwarf = dwarf_begin_elf(image->elf, DWARF_C_READ, NULL);
	if (cfi->dwarf)
		cfi->debug_frame = dwarf_getcfi(cfi->dwarf);
	return cfi;
}

void sprof_cfi_destroy(struct sprof_cfi *cfi)
{
	if (!cfi)
		return;
	if (cfi->eh_frame)
		dwarf_cfi_end(cfi->eh_frame);
	if (cfi->dwarf)
		dwarf_end(cfi->dwarf);
	free(cfi);
}

static bool fits(Dwarf_Word offset)
{
	return (Dwarf_Sword)offset >= INT32_MIN && (Dwarf_Sword)offset <= INT32_MAX;
}

/*
 * The linker's PLT: "CFA = rsp + 8 + (((rip & 15) >= N) << 3)", the form that ld and lld write for
 * x86_64 (its push takes five bytes, so N is 11; with IBT or in .plt.sec of other linkers 9 or 10).
 */
static bool is_plt(const Dwarf_Op *ops, size_t count)
{
	static const uint8_t shape[] = {DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and, 0,
		DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};

	if (count != sizeof(shape) || ops[0].number != 8 || ops[1].number != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (shape[i] && ops[i].atom != shape[i])
			return false;
	}
	return ops[4].atom >= DW_OP_lit0 && ops[4].atom <= DW_OP_lit31;
}

/* The register and offset of a DW_OP_bregN or DW_OP_bregx. */
static bool is_base_register(const Dwarf_Op *op, Dwarf_Word *ret_register, Dwarf_Word *ret_offset)
{
	if (op->atom == DW_OP_bregx) {
		*ret_register = op->number;
		*ret_offset = op->number2;
		return fits(op->number2);
	}
	if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
		return false;
	*ret_register = op->atom - DW_OP_breg0;
	*ret_offset = op->number;
	return fits(op->number);
}

static void set_cfa(struct sprof_cfi_row *row, const Dwarf_Op *ops, size_t count)
{
	Dwarf_Word number, offset;
	bool add = count == 3 && ops[2].atom == DW_OP_plus_uconst && ops[2].number <= INT16_MAX;
	bool deref = (count == 2 || add) && ops[1].atom == DW_OP_deref;

	if (is_plt(ops, count)) {
		row->cfa = SPROF_CFA_PLT;
		row->plt_push_end = (uint8_t)(ops[4].atom - DW_OP_lit0);
		return;
	}
	if (!count || (count != 1 && !deref) || !is_base_register(&ops[0], &number, &offset))
		return;
	row->cfa_offset = (int32_t)offset;
	row->cfa_add = add ? (int16_t)ops[2].number : 0;
	if (number == DWARF_SP)
		row->cfa = deref ? SPROF_CFA_SP_DEREF : SPROF_CFA_SP;
	else if (number == DWARF_FP)
		row->cfa = deref ? SPROF_CFA_FP_DEREF : SPROF_CFA_FP;
}

static enum sprof_reg_rule register_rule(Dwarf_Frame *frame, int number, int32_t *ret_offset)
{
	Dwarf_Op memory[3], *ops;
	Dwarf_Word base, offset;
	size_t count;

	if (dwarf_frame_register(frame, number, memory, &ops, &count))
		return SPROF_REG_OTHER;
	if (!count)
		return ops ? SPROF_REG_UNDEFINED : SPROF_REG_SAME;
	if (ops[0].atom != DW_OP_call_frame_cfa)
		return SPROF_REG_OTHER;
	*ret_offset = 0;
	if (count == 1)
		return SPROF_REG_SAVED;
	if (count == 2 && is_base_register(&ops[1], &base, &offset) && base == DWARF_FP) {
		*ret_offset = (int32_t)offset;
		return SPROF_REG_SAVED_AT_FP;
	}
	if (count != 2 || ops[1].atom != DW_OP_plus_uconst || !fits(ops[1].number))
		return SPROF_REG_OTHER;
	*ret_offset = (int32_t)ops[1].number;
	return SPROF_REG_SAVED;
}

/*
 * On aarch64 the linker's first PLT entry pushes two words before it jumps to glibc's
 * _dl_runtime_resolve, whose CFI does not count them: its return address is above its nominal CFA,
 * and the caller's sp is above both words (glibc, sysdeps/aarch64/dl-trampoline.S). No other
 * function has its return address there.
 */
static void count_pushed_by_plt(struct sprof_cfi_row *row)
{
	enum { PUSHED = 16, RETURN_ADDRESS = 8 };

	if (SPROF_MACHINE != SPROF_MACHINE_AARCH64 || row->cfa != SPROF_CFA_SP ||
		row->ra != SPROF_REG_SAVED || row->ra_offset != RETURN_ADDRESS)
		return;
	row->cfa_offset += PUSHED;
	row->ra_offset -= PUSHED;
	if (row->fp == SPROF_REG_SAVED)
		row->fp_offset -= PUSHED;
}

static bool compile(Dwarf_CFI *cfi, uint64_t address, struct sprof_cfi_row *ret)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = NULL;
	Dwarf_Addr start, end;
	bool is_signal;
	Dwarf_Op *ops;
	size_t count;
	int ra;

	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame))
		return false;
	ra = dwarf_frame_info(frame, &start, &end, &is_signal);
	if (ra < 0)
		return false;
	*ret = (struct sprof_cfi_row){.end = end};
	if (is_signal) {
		ret->cfa = SPROF_CFA_SIGNAL;
		return true;
	}
	ret->ra = register_rule(frame, ra, &ret->ra_offset);
	ret->fp = register_rule(frame, DWARF_FP, &ret->fp_offset);
	ret->cfa = SPROF_CFA_OTHER;
	if (!dwarf_frame_cfa(frame, &ops, &count))
		set_cfa(ret, ops, count);
	count_pushed_by_plt(ret);
	/* The outermost frame has no caller, regardless of the row's other rules. */
	if (ret->ra == SPROF_REG_UNDEFINED)
		ret->cfa = SPROF_CFA_SP;
	return true;
}

struct sprof_cfi_row sprof_cfi_find(struct sprof_cfi *cfi, uint64_t address)
{
	struct sprof_cfi_row row;

	if (compile(cfi->eh_frame, address, &row) || compile(cfi->debug_frame, address, &row))
		return row;
	return (struct sprof_cfi_row){.end = address + 1};
}

bool sprof_cfi_is_in_eh_frame(struct sprof_cfi *cfi, uint64_t address)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = NULL;

	if (!cfi->eh_frame || !cfi->debug_frame)
		return cfi->eh_frame;
	return !dwarf_cfi_addrframe(cfi->eh_frame, address, &frame);
}

void *sprof_cfi_frame(struct sprof_cfi *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;

	if (cfi->eh_frame && !dwarf_cfi_addrframe(cfi->eh_frame, address, &frame))
		return frame;
	if (cfi->debug_frame && !dwarf_cfi_addrframe(cfi->debug_frame, address, &frame))
		return frame;
	return NULL;
}

bool sprof_signal_return_decode(
	enum sprof_machine machine, const uint8_t code[SPROF_SIGNAL_RETURN_LONGEST])
{
	static const uint8_t with_eax[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
	static const uint8_t with_rax[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
	/* mov x8, #139; svc #0 */
	static const uint8_t with_x8[] = {0x68, 0x11, 0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};

	if (machine == SPROF_MACHINE_AARCH64)
		return !memcmp(code, with_x8, sizeof(with_x8));
	return !memcmp(code, with_eax, sizeof(with_eax)) ||
		!memcmp(code, with_rax, sizeof(with_rax));
}
