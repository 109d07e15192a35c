/* Attributes of functions, for compilers with GNU extensions. */
#pragma once

/* The result shows whether the function failed, so ignoring it is a bug. */
#define SPROF_MUST_USE __attribute__((warn_unused_result))
