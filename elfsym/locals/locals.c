/*
 * Local variables by DWARF: those in the blocks around an instruction, in a function or an inlined
 * function (DWARF 5, sections 3.3, 4.1). Does not handle nested functions that use variables of the
 * outer one, nor Go, whose DWARF describes other kinds of values.
 *
 * The registers of a caller come from those of the frame and CFI (DWARF 5, section 6.4). Registers
 * that the CFI does not mention and the frame may have changed are unknown.
 */
#include "elfsym/locals/locals.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/dwarf/die-string.h"
#include "elfsym/locals/location-expression.h"
#include "elfsym/locals/value-text.h"
#include "elfsym/names/names.h"

/* Deeper nesting than any compiler makes. */
enum { MAX_SCOPES = 500 };

struct looking {
	const struct sprof_frame_machine *machine;
	uint64_t pc; /* link-time */
	Dwarf_Attribute frame_base;
	bool has_frame_base;
	struct sprof_locals *ret;
};

/* A register's saved place as a value. Returns false if unknown. */
static bool value_of(const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine, uint64_t *ret)
{
	if (place->where == SPROF_WHERE_MEMORY)
		return machine->read(machine->memory, place->number, ret, sizeof(*ret)) ==
			sizeof(*ret);
	*ret = place->number;
	return place->where == SPROF_WHERE_VALUE;
}

static bool find_register(Dwarf_Frame *frame, unsigned number,
	const struct sprof_frame_machine *machine, uint64_t *ret)
{
	struct sprof_location_expression expression = {0};
	struct sprof_place_of_value place;
	Dwarf_Op memory[3], *ops;

	if (dwarf_frame_register(frame, (int)number, memory, &ops, &expression.count))
		return false;
	/* Without operations: unchanged, or undefined (libdw.h). */
	if (!expression.count)
		return !ops && sprof_frame_machine_register(machine, number, ret);
	expression.ops = ops;
	place = sprof_location_expression_evaluate(&expression, machine);
	return value_of(&place, machine, ret);
}

/*
 * Replaces the registers of the frame at a link-time address, whose CFA must be set, by its
 * caller's. Registers that can't be determined, and the CFA, become unknown.
 */
static void caller_registers_find(
	struct sprof_cfi *cfi, uint64_t address, struct sprof_frame_machine *machine)
{
	SPROF_AUTO_FREE Dwarf_Frame *frame = sprof_cfi_frame(cfi, address);
	struct sprof_frame_machine caller = *machine;
	uint64_t value;

	caller.known = 0;
	caller.cfa = 0;
	for (unsigned i = 0; frame && i < SPROF_FRAME_MACHINE_REGISTERS; i++) {
		if (find_register(frame, i, machine, &value))
			sprof_frame_machine_set(&caller, i, value);
	}
	*machine = caller;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* The scope, inside another one, that contains the pc. */
static bool find_inner(Dwarf_Die *scope, uint64_t pc, Dwarf_Die *ret)
{
	Dwarf_Off last;
	Dwarf_Die die;

	for (bool found = sprof_die_child(scope, &last, &die); found;
		found = sprof_die_sibling(&die, &last)) {
		if (is_scope(dwarf_tag(&die)) && dwarf_haspc(&die, pc) > 0) {
			*ret = die;
			return true;
		}
	}
	return false;
}

static size_t count_inlined(const Dwarf_Die *function, uint64_t pc)
{
	Dwarf_Die scope = *function;
	size_t count = 0;

	for (size_t i = 0; i < MAX_SCOPES && find_inner(&scope, pc, &scope); i++)
		count += dwarf_tag(&scope) == DW_TAG_inlined_subroutine;
	return count;
}

static bool keep(struct looking *looking, const struct sprof_local *local)
{
	struct sprof_locals *locals = looking->ret;

	if (!sprof_array_reserve(
		    &locals->items, &locals->capacity, locals->count + 1, sizeof(*local)))
		return false;
	locals->items[locals->count++] = *local;
	return true;
}

/* Returns NULL if out of memory. */
static char *make_text(Dwarf_Die *variable, const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine)
{
	Dwarf_Attribute attribute;
	char *text = NULL;
	Dwarf_Die type;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type))
		sprof_value_write(out, &type, place, machine);
	else
		fputc('?', out);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static struct sprof_place_of_value constant_place(Dwarf_Attribute *attribute)
{
	struct sprof_place_of_value place = {.where = SPROF_WHERE_VALUE};
	Dwarf_Block block;
	Dwarf_Sword number;

	if (dwarf_formblock(attribute, &block) == 0)
		return (struct sprof_place_of_value){
			.where = SPROF_WHERE_BYTES, .bytes = block.data, .size = block.length};
	if (dwarf_formsdata(attribute, &number) != 0)
		place.where = SPROF_WHERE_UNKNOWN;
	place.number = (uint64_t)number;
	return place;
}

static struct sprof_place_of_value find_place(const struct looking *looking, Dwarf_Die *variable)
{
	Dwarf_Attribute attribute, frame_base = looking->frame_base;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute))
		return constant_place(&attribute);
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	return sprof_location_expression_of_attribute(&attribute,
		looking->has_frame_base ? &frame_base : NULL, looking->pc, looking->machine);
}

/* At one place for the whole run of the program: static, or of each thread. */
static bool is_static(Dwarf_Die *variable)
{
	Dwarf_Attribute attribute;
	size_t count;
	Dwarf_Op *ops;

	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
		dwarf_getlocation(&attribute, &ops, &count) != 0 || !count)
		return false;
	return ops[0].atom == DW_OP_addr || ops[0].atom == DW_OP_addrx ||
		ops[0].atom == DW_OP_GNU_addr_index ||
		ops[count - 1].atom == DW_OP_form_tls_address ||
		ops[count - 1].atom == DW_OP_GNU_push_tls_address;
}

static bool is_known(
	const struct sprof_place_of_value *place, const struct sprof_frame_machine *machine)
{
	uint8_t first;

	if (place->where == SPROF_WHERE_MEMORY)
		return machine->read(machine->memory, place->number, &first, 1) == 1;
	return place->where == SPROF_WHERE_VALUE || place->where == SPROF_WHERE_BYTES;
}

static bool add(struct looking *looking, Dwarf_Die *variable)
{
	const struct sprof_place_of_value place = find_place(looking, variable);
	struct sprof_local local = {
		.state = SPROF_LOCAL_UNKNOWN,
		.is_parameter = dwarf_tag(variable) == DW_TAG_formal_parameter,
	};
	Dwarf_Attribute attribute;
	const char *name = sprof_die_string(dwarf_attr_integrate(variable, DW_AT_name, &attribute));

	if (!name || is_static(variable))
		return true;
	if (place.where == SPROF_WHERE_NOWHERE)
		local.state = SPROF_LOCAL_OPTIMIZED_OUT;
	else if (is_known(&place, looking->machine))
		local.state = SPROF_LOCAL_KNOWN;
	if (local.state == SPROF_LOCAL_KNOWN &&
		!(local.value = make_text(variable, &place, looking->machine)))
		return false;
	local.name = strdup(name);
	if (local.name && keep(looking, &local))
		return true;
	free(local.name);
	free(local.value);
	return false;
}

static bool add_children(struct looking *looking, Dwarf_Die *scope, int tag)
{
	Dwarf_Off last;
	Dwarf_Die die;

	for (bool found = sprof_die_child(scope, &last, &die); found;
		found = sprof_die_sibling(&die, &last)) {
		if (dwarf_tag(&die) == tag && !add(looking, &die))
			return false;
	}
	return true;
}

/* Those of a function, and of its blocks up to the next inlined function. */
static bool add_function(struct looking *looking, const Dwarf_Die *function)
{
	Dwarf_Die scope = *function;

	if (!add_children(looking, &scope, DW_TAG_formal_parameter))
		return false;
	for (size_t i = 0; i < MAX_SCOPES; i++) {
		if (!add_children(looking, &scope, DW_TAG_variable))
			return false;
		if (!find_inner(&scope, looking->pc, &scope) ||
			dwarf_tag(&scope) == DW_TAG_inlined_subroutine)
			return true;
	}
	return true;
}

/* Goes to the inlined function of a level, the innermost being 0. */
static bool go_to_level(Dwarf_Die *function, uint64_t pc, size_t level)
{
	const size_t inlined = count_inlined(function, pc);
	size_t left;

	if (level > inlined)
		return false;
	for (left = inlined - level; left;) {
		if (!find_inner(function, pc, function))
			return false;
		left -= dwarf_tag(function) == DW_TAG_inlined_subroutine;
	}
	return true;
}

static bool find(struct sprof_names *names, uint64_t address, size_t level,
	const struct sprof_frame_machine *machine, struct sprof_locals *ret)
{
	struct looking looking = {.machine = machine, .pc = address, .ret = ret};
	struct sprof_dwarf_function function;

	if (!sprof_dwarf_find_function(names->dwarf, address, &function))
		return false;
	if (!function.scopes)
		return true;
	looking.has_frame_base =
		dwarf_attr_integrate(&function.die, DW_AT_frame_base, &looking.frame_base);
	return !go_to_level(&function.die, address, level) || add_function(&looking, &function.die);
}

/* The names of a module with DWARF of C or similar languages. *ret is NULL if it has none. */
static bool names_of(struct sprof_symbols *symbols, uint32_t module, struct sprof_names **ret,
	struct sprof_error *err)
{
	if (!sprof_symbols_names(symbols, module, ret, err))
		return false;
	if (!*ret || !(*ret)->image) {
		*ret = NULL;
		return true;
	}
	sprof_names_load_go(*ret);
	return sprof_names_load_dwarf(*ret, err);
}

bool sprof_symbols_find_locals(struct sprof_symbols *symbols, const struct sprof_local_place *place,
	const struct sprof_frame_machine *machine, struct sprof_locals *ret,
	struct sprof_error *err)
{
	struct sprof_names *names;
	uint64_t address;

	*ret = (struct sprof_locals){0};
	if (!names_of(symbols, place->module, &names, err))
		return false;
	if (!names || !names->dwarf || names->go ||
		!sprof_names_address(names, place->offset, &address))
		return true;
	return find(names, address, place->level, machine, ret) || sprof_error_no_memory(err);
}

void sprof_locals_finish(struct sprof_locals *locals)
{
	for (size_t i = 0; i < locals->count; i++) {
		free(locals->items[i].name);
		free(locals->items[i].value);
	}
	free(locals->items);
	*locals = (struct sprof_locals){0};
}

bool sprof_symbols_leave_frame(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_frame_machine *machine, struct sprof_error *err)
{
	struct sprof_names *names;
	uint64_t address;

	if (!names_of(symbols, module, &names, err))
		return false;
	if (!names || !sprof_names_address(names, offset, &address)) {
		machine->known = 0;
		machine->cfa = 0;
		return true;
	}
	if (!names->cfi && !(names->cfi = sprof_cfi_create(names->image)))
		return sprof_error_no_memory(err);
	caller_registers_find(names->cfi, address, machine);
	return true;
}
