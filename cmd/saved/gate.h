/*
 * sprof diff --fail-if: its options, and the comparison of saved profiles that yields the exit
 * code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "profile/compare/gate.h"

enum { SPROF_GATE_CONDITIONS_MAX = 32 };

struct sprof_gate_options {
	struct sprof_gate_condition conditions[SPROF_GATE_CONDITIONS_MAX];
	size_t count;      /* 0: no gate */
	double level;      /* 0: not given */
	const char *junit; /* output files; NULL: none */
	const char *markdown;
};

extern const struct sprof_option sprof_gate_option_table[];

/*
 * Parses a condition: "wall(parse) > +5%", "self-user(parse) > 20ms", "sys > +1%". The condition
 * refers to the text. Returns false with kind USAGE.
 */
SPROF_MUST_USE bool sprof_gate_condition_parse(
	const char *text, struct sprof_gate_condition *ret, struct sprof_error *err);

struct sprof_reading;

/* `operands`: the base files, "--", the new files. */
SPROF_MUST_USE bool sprof_gate_run(const struct sprof_reading *options, char *const operands[],
	int *ret_exit, struct sprof_error *err);
