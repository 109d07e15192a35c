/* `sprof symbols` with addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/symbols/subject.h"

/* Whether an operand is an address: names don't begin with 0x. */
bool sprof_symbol_address_is_one(const char *operand);

/* Parses a hexadecimal address, with or without 0x. */
SPROF_MUST_USE bool sprof_symbol_address_parse(
	const char *text, uint64_t *ret, struct sprof_error *err);

/* Prints what is at an address of the subject. Sets *ret_exit to 1 if nothing has a name there. */
SPROF_MUST_USE bool sprof_symbol_address_print(struct sprof_symbol_subject *subject,
	uint64_t address, int *ret_exit, struct sprof_error *err);
