/*
 * Rows of generated code. Reads bytes around the pc, enough for most such functions: a path to the
 * return may lead back. Does not handle function starts, nor code overwritten since it ran: the
 * walk checks the results.
 */
#include "unwind/code/generated.h"

#include <stdlib.h>

#include "attach/proc/memory.h"
#include "elfsym/code/call-decode.h"
#include "unwind/code/flow.h"
#include "unwind/code/instruction.h"

enum { AROUND = 8 * 1024 };

struct sprof_generated {
	struct sprof_code_flow *flow;
	uint8_t bytes[2 * AROUND];
};

struct sprof_generated *sprof_generated_create(void)
{
	struct sprof_generated *generated = calloc(1, sizeof(*generated));

	if (!generated)
		return NULL;
	generated->flow = sprof_code_flow_create();
	if (!generated->flow) {
		free(generated);
		return NULL;
	}
	return generated;
}

void sprof_generated_destroy(struct sprof_generated *generated)
{
	if (!generated)
		return;
	sprof_code_flow_destroy(generated->flow);
	free(generated);
}

/* The readable part of the mapping around the pc. */
static struct sprof_code read_code(
	struct sprof_generated *generated, const struct sprof_maps *maps, uint64_t pc)
{
	const struct sprof_mapping *mapping = sprof_maps_find(maps, pc);
	struct sprof_code code = {.bytes = generated->bytes};
	uint64_t end;

	if (!mapping || !maps->pid || !sprof_instruction_has_decoder())
		return code;
	code.address = pc - mapping->start > AROUND ? pc - AROUND : mapping->start;
	end = mapping->end - pc > AROUND ? pc + AROUND : mapping->end;
	code.size = (uint32_t)sprof_memory_read(
		maps->pid, code.address, generated->bytes, end - code.address);
	return code;
}

struct sprof_rule sprof_generated_find(struct sprof_generated *generated,
	const struct sprof_maps *maps, uint64_t pc, bool *ret_is_behind_call)
{
	struct sprof_code code = read_code(generated, maps, pc);
	uint64_t at = pc - code.address, target;
	struct sprof_cfi_row row;

	*ret_is_behind_call = true;
	if (!code.size || at >= code.size)
		return (struct sprof_rule){.cfa = SPROF_CFA_NONE};
	if (at >= SPROF_CALL_LONGEST)
		*ret_is_behind_call =
			sprof_call_decode(SPROF_MACHINE, code.bytes + at - SPROF_CALL_LONGEST, pc,
				&target) != SPROF_CALL_NONE;
	row = sprof_code_flow_look_ahead(generated->flow, &code, (uint32_t)at);
	return sprof_rule_of_row(&row, row.cfa != SPROF_CFA_NONE);
}
