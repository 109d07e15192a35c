/*
 * Whose a function is: the shared object, program or other module that has its code.
 */
#ifndef SPROF_PROFILE_OBJECTS_H
#define SPROF_PROFILE_OBJECTS_H

#include "profile/profile.h"

/*
 * By function: the path of its module, SPROF_MODULE_KERNEL for the kernel's end of a stack, NULL
 * for a mere name. The array is the caller's to free, the texts are the profile's. NULL: no memory.
 */
const char **sprof_objects_paths(const struct sprof_profile *profile);

/* The same without folders: "libc.so.6". */
const char **sprof_objects_names(const struct sprof_profile *profile);

#endif
