/*
 * `sprof symbols` and addresses: what is there.
 */
#ifndef SPROF_CMD_SYMBOL_ADDRESS_H
#define SPROF_CMD_SYMBOL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/symbol-subject.h"

/* Whether an operand is an address: a name has no 0x. */
bool sprof_symbol_address_is_one(const char *operand);

/* Reads an address in hexadecimal, with or without 0x. */
SPROF_MUST_USE bool sprof_symbol_address_parse(
	const char *text, uint64_t *ret, struct sprof_error *err);

/* Prints what is at an address of the subject. *ret_exit becomes 1 if that has no name. */
SPROF_MUST_USE bool sprof_symbol_address_print(struct sprof_symbol_subject *subject,
	uint64_t address, int *ret_exit, struct sprof_error *err);

#endif
