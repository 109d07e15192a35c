/*
 * `sprof --self-check`: what works on this machine for this user, what does not, and the remedies.
 */
#pragma once

/* Writes it to stdout. Returns the exit code: FAILED if sprof can't do anything here. */
int sprof_self_check(void);
