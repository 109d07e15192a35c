/*
 * Attributes of functions, for compilers that know GNU's.
 */
#ifndef SPROF_BASE_ATTRIBUTES_H
#define SPROF_BASE_ATTRIBUTES_H

/* The result says whether the function failed, so ignoring it is a bug. */
#define SPROF_MUST_USE __attribute__((warn_unused_result))

#endif
