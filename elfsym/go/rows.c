/*
 * CFI rows of Go functions. Each function has a table of how far sp has moved since its entry. A
 * function that has moved sp saves the frame pointer: x86-64 saves it right below the return
 * address (Go's cmd/internal/obj/x86/obj6.go); arm64 saves the link register at the new sp, and the
 * frame pointer below it (arm64/obj7.go). A few functions of the runtime switch to another stack
 * and call from there. They are identified by name, which is the same in all versions; their code
 * is in Go's runtime/asm_amd64.s and sys_linux_amd64.s. Does not handle these on arm64: a stack
 * ends there. Rows for arm64 are not tested on hardware.
 */
#include "elfsym/go/rows.h"

#include <string.h>

#include "base/strings.h"

enum { WORD = 8 };

static const struct {
	const char *function;
	enum sprof_cfa_rule cfa;
} switches[] = {
	{"runtime.systemstack", SPROF_CFA_GO_SYSTEM_CALL},
	{"runtime.mcall", SPROF_CFA_GO_SYSTEM_LEFT},
	{"runtime.morestack", SPROF_CFA_GO_SYSTEM_LEFT},
	{"runtime.asmcgocall", SPROF_CFA_GO_C_CALL},
	{"runtime.cgocallback", SPROF_CFA_GO_CALLBACK},
	{"runtime.cgocallback_gofunc", SPROF_CFA_GO_CALLBACK},
	{"runtime.nanotime1", SPROF_CFA_GO_VDSO},
	{"runtime.walltime", SPROF_CFA_GO_VDSO},
	{"runtime.walltime1", SPROF_CFA_GO_VDSO},
	{"time.now", SPROF_CFA_GO_VDSO},
};

/* Signal handlers return here; the kernel's frame is above. */
static const char *const trampolines[] = {
	"runtime.sigreturn", "runtime.sigreturn__sigaction", NULL};

/* The outermost functions; from Go 1.17 on a flag says so too. */
static const char *const roots[] = {"runtime.goexit", "runtime.mstart", "runtime.rt0_go",
	"_rt0_amd64", "_rt0_amd64_linux", "_rt0_arm64_linux", NULL};

/*
 * They look like called by the place that a signal interrupted, but no call is there. The place
 * that a signal handler returns to has no call either.
 */
static const char *const uncalled[] = {"runtime.asyncPreempt", "runtime.sigpanic",
	"runtime.sigpanic0", "runtime.sigtramp", "runtime.cgoSigtramp", NULL};

/* A signal handler is flagged as outermost, but the kernel's signal frame can be walked. */
static bool is_root(const struct sprof_go_function *function)
{
	return sprof_string_is_one_of(function->name, roots) ||
		(function->is_top && strcmp(function->name, "runtime.sigtramp") != 0 &&
			strcmp(function->name, "runtime.cgoSigtramp") != 0);
}

/*
 * Two functions may share a name: the wrapper that switches the calling convention, and its callee.
 */
static enum sprof_cfa_rule kind_of(
	const struct sprof_go_table *table, const struct sprof_go_function *function)
{
	if (sprof_string_is_one_of(function->name, trampolines))
		return SPROF_CFA_SIGNAL;
	if (strcmp(function->name, "runtime.schedule") == 0)
		return SPROF_CFA_GO_SCHEDULER;
	if (table->has_flags && !function->writes_sp)
		return SPROF_CFA_SP;
	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (strcmp(switches[i].function, function->name) == 0)
			return switches[i].cfa;
	}
	return SPROF_CFA_SP;
}

/*
 * The instruction after asmcgocall's call shows where the old sp is saved, or how far it was below
 * the end of the stack: "mov slot(%rsp),%rsi" or "sub slot(%rsp),%rsi". The slot is 0 since Go
 * 1.22, and 40 before.
 */
static void set_c_call(
	const struct sprof_go_table *table, uint64_t address, struct sprof_cfi_row *row)
{
#if defined(__x86_64__)
	enum { BEHIND = 48, MOV = 0x8b, SUB = 0x2b, SLOT_8 = 0x74, SLOT_NONE = 0x34, SP = 0x24 };
	const uint8_t *code = sprof_image_at(table->image, address, BEHIND);

	/* The row holds for this address only. */
	row->end = address + 1;
	row->cfa = SPROF_CFA_SP;
	for (size_t at = 0; code && at + 5 <= BEHIND; at++) {
		const uint8_t *bytes = code + at;

		if (bytes[0] != 0x48 || (bytes[1] != MOV && bytes[1] != SUB) ||
			(bytes[2] != SLOT_8 && bytes[2] != SLOT_NONE) || bytes[3] != SP)
			continue;
		row->cfa = bytes[1] == SUB ? SPROF_CFA_GO_C_CALL : SPROF_CFA_GO_C_CALL_HERE;
		row->fp_offset = bytes[2] == SLOT_8 ? (int8_t)bytes[4] : 0;
		row->fp = SPROF_REG_UNDEFINED;
		return;
	}
#else
	(void)table;
	(void)address;
	row->fp = SPROF_REG_UNDEFINED;
#endif
}

/* How to find the caller's registers. int32_t is wide enough: `moved` was checked before. */
static void set_frame(struct sprof_cfi_row *row, int32_t moved)
{
#if defined(__x86_64__)
	row->cfa_offset = moved + WORD;
	row->ra_offset = -WORD;
	row->fp_offset = -2 * WORD;
	row->ra = SPROF_REG_SAVED;
#else
	row->cfa_offset = moved;
	row->ra_offset = -moved;
	row->fp_offset = -moved - WORD;
	row->ra = moved ? SPROF_REG_SAVED : SPROF_REG_SAME;
#endif
	row->fp = moved ? SPROF_REG_SAVED : SPROF_REG_SAME;
}

static struct sprof_cfi_row row_of(const struct sprof_go_table *table,
	const struct sprof_go_function *function, const struct sprof_go_value *moved)
{
	struct sprof_cfi_row row = {
		.end = moved->end < function->end ? moved->end : function->end,
		.cfa = kind_of(table, function),
	};

	set_frame(&row, moved->value);
	if (is_root(function))
		row.ra = SPROF_REG_UNDEFINED;
	else if (row.ra == SPROF_REG_SAVED && sprof_string_is_one_of(function->name, uncalled))
		row.ra = SPROF_REG_SAVED_PLACE;
	return row;
}

bool sprof_go_rows_is_entry(const struct sprof_go_table *table, uint64_t address)
{
	struct sprof_go_function function;

	return sprof_go_table_find(table, address, &function) && function.entry == address;
}

struct sprof_cfi_row sprof_go_rows_find(const struct sprof_go_table *table, uint64_t address)
{
	struct sprof_cfi_row none = {.end = address + 1};
	struct sprof_go_function function;
	struct sprof_go_value moved;
	struct sprof_cfi_row row;

	if (!sprof_go_table_find(table, address, &function))
		return none;
	if (!sprof_go_table_value(table, &function, function.sp_values, address, &moved) ||
		moved.value < 0 || moved.value > INT32_MAX - WORD || moved.value % WORD) {
		if (!is_root(&function))
			return none;
		moved = (struct sprof_go_value){.end = address + 1};
	}
	row = row_of(table, &function, &moved);
	if (row.cfa == SPROF_CFA_GO_C_CALL)
		set_c_call(table, address, &row);
	return row;
}
