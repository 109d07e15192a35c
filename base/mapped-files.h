/* Protection against files that shrink while mapped. */
#pragma once

/*
 * From now on, a page of a mapped file beyond a new end reads as zeros instead of raising SIGBUS.
 * The rest of the file reads normally. Children inherit this until they exec.
 */
void sprof_mapped_files_survive_truncation(void);
