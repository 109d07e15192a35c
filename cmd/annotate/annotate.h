/* What sprof annotate reads beside the profile: source files and instructions. */
#pragma once

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/saved/naming.h"
#include "output/annotate/annotate.h"

/*
 * Reads a source file: at its path in the debug information (NULL: none), or below `folder` (NULL:
 * none) under any suffix of that path. A missing file is not an error. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_source_read(const struct sprof_profile *profile, const char *folder,
	const char *path, struct sprof_source *ret, struct sprof_error *err);

/*
 * Disassembles the function's copies that have time, with objdump. Fails if objdump or the file is
 * missing, or the file's build id differs.
 */
SPROF_MUST_USE bool sprof_code_build(struct sprof_annotate *annotate,
	const struct sprof_naming *naming, struct sprof_error *err);
void sprof_code_finish(struct sprof_code *code);
