/* The object of a function: the shared object, program or other module that contains its code. */
#pragma once

#include "profile/model/profile.h"

/*
 * By function: the path of its module; SPROF_MODULE_KERNEL for kernel frames; NULL for frames that
 * are only a name. The caller frees the array; the profile owns the texts. Returns NULL if out of
 * memory.
 */
const char **sprof_objects_paths(const struct sprof_profile *profile);

/* The same without folders, such as "libc.so.6". */
const char **sprof_objects_names(const struct sprof_profile *profile);
