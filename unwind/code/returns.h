/* Finds functions that never return: the code after a call of one is not reached by it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/code/starts.h"
#include "elfsym/elf/image.h"

struct sprof_code_returns;

/* Image and starts must outlive the result. Returns NULL if out of memory. */
struct sprof_code_returns *sprof_code_returns_create(
	const struct sprof_image *image, const struct sprof_code_starts *starts) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_code_returns_destroy(struct sprof_code_returns *returns);

/* Whether the function at a link-time address may return; true also if unknown. */
bool sprof_code_may_return(struct sprof_code_returns *returns, uint64_t function);
