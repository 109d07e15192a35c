/*
 * Processes none of whose threads has run since the last tick: their sleepers need not be looked at.
 */
#ifndef SPROF_SAMPLER_QUIET_H
#define SPROF_SAMPLER_QUIET_H

struct sampler;

/*
 * Finds out, at the beginning of a tick, which processes are quiet (their struct sprof_process says so), and
 * emits what the sleepers of those that are so no more have slept through.
 */
void sprof_quiet_look(struct sampler *sampler);

#endif
