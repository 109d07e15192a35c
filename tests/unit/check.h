/*
 * cmocka needs these headers before its own, in every test.
 */
#ifndef SPROF_TESTS_UNIT_CHECK_H
#define SPROF_TESTS_UNIT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
