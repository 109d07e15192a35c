/*
 * Local variables from DWARF: those in the blocks around an instruction of a function or an inlined
 * function (DWARF 5, sections 3.3, 4.1), including static ones. Does not handle nested functions
 * that use variables of the outer one, nor Go, whose DWARF describes other kinds of values.
 */
#include "elfsym/locals/locals.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "elfsym/dwarf/call-sites.h"
#include "elfsym/dwarf/die-children.h"
#include "elfsym/locals/caller-registers.h"
#include "elfsym/locals/dwarf-frame.h"
#include "elfsym/locals/entry-value.h"
#include "elfsym/locals/location-expression.h"
#include "elfsym/locals/pieces.h"
#include "elfsym/locals/value-text.h"
#include "elfsym/locals/value-type.h"
#include "elfsym/names/names.h"

/* Deeper nesting than any compiler makes. */
enum { MAX_SCOPES = 500, MAX_BLOCKS = 20 };

/* An entry value may depend on another one, of the caller. */
enum { MAX_CALLERS = 16, MAX_ENTRY_VALUES = 500 };

/* Copies in one scope; each is compared with every other. */
enum { MAX_COPIES = 1000 };

/* DIEs of all scopes; in a corrupt file, scopes may refer to each other again and again. */
enum { MAX_CHILDREN = 100000 };

struct looking {
	struct sprof_dwarf_frame frame;
	struct sprof_pieces pieces; /* of the current variable */
	struct sprof_locals *ret;
	unsigned left; /* DIEs to look at */
};

/* The scope, inside another one, that contains the pc. */
static bool find_inner(Dwarf_Die *scope, uint64_t pc, Dwarf_Die *ret)
{
	struct sprof_die_children children = {.parent = *scope};

	while (sprof_die_children_next(&children)) {
		if (sprof_die_is_block(dwarf_tag(&children.die)) &&
			dwarf_haspc(&children.die, pc) > 0) {
			*ret = children.die;
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
	const struct sprof_dwarf_frame *frame)
{
	Dwarf_Attribute attribute;
	char *text = NULL;
	Dwarf_Die type;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (dwarf_formref_die(dwarf_attr_integrate(variable, DW_AT_type, &attribute), &type))
		sprof_value_write(out, &type, place, frame);
	else
		fputc('?', out);
	return sprof_string_close(out, &text, true);
}

static bool is_known(
	const struct sprof_place_of_value *place, const struct sprof_frame_machine *machine)
{
	uint8_t first;

	if (place->where == SPROF_WHERE_MEMORY)
		return machine->read(machine->memory, place->number, &first, 1) == 1;
	return place->where == SPROF_WHERE_VALUE || place->where == SPROF_WHERE_BYTES;
}

/* Classifies a value without a single known part. */
static void check_value(struct sprof_local *local)
{
	if (strcmp(local->value, "?") == 0)
		local->state = SPROF_LOCAL_UNKNOWN;
	else if (strcmp(local->value, "<optimized out>") == 0)
		local->state = SPROF_LOCAL_OPTIMIZED_OUT;
	else
		return;
	free(local->value);
	local->value = NULL;
}

/* A variable that is declared here and defined elsewhere is not local. */
static bool is_declaration(Dwarf_Die *variable)
{
	return sprof_value_is_declared(variable) &&
		!dwarf_hasattr_integrate(variable, DW_AT_location) &&
		!dwarf_hasattr_integrate(variable, DW_AT_const_value);
}

static bool add(struct looking *looking, Dwarf_Die *variable)
{
	const struct sprof_place_of_value place =
		sprof_location_expression_of_variable(variable, &looking->frame, &looking->pieces);
	struct sprof_local local = {
		.state = SPROF_LOCAL_UNKNOWN,
		.is_parameter = dwarf_tag(variable) == DW_TAG_formal_parameter,
	};
	const char *name = sprof_value_name(variable);

	if (!name || is_declaration(variable))
		return true;
	if (place.where == SPROF_WHERE_NOWHERE)
		local.state = SPROF_LOCAL_OPTIMIZED_OUT;
	else if (is_known(&place, looking->frame.machine))
		local.state = SPROF_LOCAL_KNOWN;
	if (local.state == SPROF_LOCAL_KNOWN) {
		local.value = make_text(variable, &place, &looking->frame);
		if (!local.value)
			return false;
		check_value(&local);
	}
	local.name = strdup(name);
	if (local.name && keep(looking, &local))
		return true;
	free(local.name);
	free(local.value);
	return false;
}

static bool add_wanted(struct looking *looking, const Dwarf_Die *scope, int tag, unsigned depth);

/* A block without an address range belongs to the scope around it. */
static bool add_child(struct looking *looking, Dwarf_Die *child, int tag, unsigned depth)
{
	const int found = dwarf_tag(child);

	if (!looking->left)
		return true;
	looking->left--;
	if (found == tag)
		return add(looking, child);
	return found != DW_TAG_lexical_block || depth == MAX_BLOCKS ||
		dwarf_hasattr(child, DW_AT_low_pc) || dwarf_hasattr(child, DW_AT_ranges) ||
		add_wanted(looking, child, tag, depth + 1);
}

/* clang does not record which block a block is a copy of, but it copies all of them. */
static bool is_unrelated_block(Dwarf_Die *child, const Dwarf_Die *original)
{
	Dwarf_Die block = *original;

	return dwarf_tag(child) == DW_TAG_lexical_block &&
		dwarf_tag(&block) == DW_TAG_lexical_block &&
		!dwarf_hasattr(child, DW_AT_abstract_origin);
}

/* Whether a child of the copy is a copy of this child of the original. */
static bool is_copied(const Dwarf_Die *copy, const Dwarf_Die *original)
{
	struct sprof_die_children children = {.parent = *copy};
	unsigned left = MAX_COPIES;

	while (left && sprof_die_children_next(&children)) {
		const Dwarf_Die root = sprof_call_origin_root(&children.die);

		if (root.addr == original->addr || is_unrelated_block(&children.die, original))
			return true;
		left--;
	}
	return !left;
}

/*
 * Adds the variables of a scope. In a copy of a function, such as an inlined one, compilers leave
 * out what equals the original (DWARF 5, section 3.3.8.2).
 */
static bool add_wanted(struct looking *looking, const Dwarf_Die *scope, int tag, unsigned depth)
{
	struct sprof_die_children children = {.parent = *scope}, originals = {0};
	Dwarf_Die own = *scope;
	Dwarf_Attribute attribute;

	while (sprof_die_children_next(&children)) {
		if (!add_child(looking, &children.die, tag, depth))
			return false;
	}
	if (!dwarf_formref_die(
		    dwarf_attr(&own, DW_AT_abstract_origin, &attribute), &originals.parent))
		return true;
	for (unsigned i = 0; i < MAX_COPIES && sprof_die_children_next(&originals); i++) {
		if (!is_copied(scope, &originals.die) &&
			!add_child(looking, &originals.die, tag, depth))
			return false;
	}
	return true;
}

static bool add_children(struct looking *looking, const Dwarf_Die *scope, int tag)
{
	return add_wanted(looking, scope, tag, 0);
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
		if (!find_inner(&scope, looking->frame.address, &scope) ||
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

bool sprof_symbols_find_locals(struct sprof_symbols *symbols, const struct sprof_local_place *place,
	struct sprof_locals *ret, struct sprof_error *err)
{
	struct looking looking = {.ret = ret, .left = MAX_CHILDREN};
	struct sprof_dwarf_frame *frame = &looking.frame;
	unsigned entry_values = MAX_ENTRY_VALUES;
	Dwarf_Die function;

	*ret = (struct sprof_locals){0};
	if (!sprof_dwarf_frame_find(symbols, place->frames, frame, err))
		return false;
	if (!frame->function.scopes)
		return true;
	frame->callers = place->frames + 1;
	frame->caller_count =
		place->frame_count > MAX_CALLERS ? MAX_CALLERS : place->frame_count - 1;
	frame->entry_values = &entry_values;
	frame->find_entry_value = sprof_entry_value_find;
	function = frame->function.die;
	return !go_to_level(&function, frame->address, place->level) ||
		add_function(&looking, &function) || sprof_error_no_memory(err);
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

	if (!sprof_dwarf_frame_names(symbols, module, &names, err))
		return false;
	if (!names || !sprof_names_address(names, offset, &address)) {
		machine->known = 0;
		machine->cfa = 0;
		machine->pc = 0;
		return true;
	}
	if (!names->cfi && !(names->cfi = sprof_cfi_create(names->image)))
		return sprof_error_no_memory(err);
	sprof_caller_registers_find(names->cfi, address, machine);
	return true;
}
