/*
 * Which functions of a module never return: a call of such a function does not lead to the code
 * after it.
 */
#ifndef SPROF_UNWIND_CODE_RETURNS_H
#define SPROF_UNWIND_CODE_RETURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/code-starts.h"
#include "elfsym/image.h"

struct sprof_code_returns;

/* Image and starts must outlive it. NULL: no memory. */
struct sprof_code_returns *sprof_code_returns_create(
	const struct sprof_image *image, const struct sprof_code_starts *starts) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_code_returns_destroy(struct sprof_code_returns *returns);

/* Whether the function at a link-time address may return; true also if this is unknown. */
bool sprof_code_may_return(struct sprof_code_returns *returns, uint64_t function);

#endif
