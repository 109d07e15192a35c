/*
 * Files that shrink while they are mapped.
 */
#ifndef SPROF_BASE_MAPPED_FILES_H
#define SPROF_BASE_MAPPED_FILES_H

/*
 * From now on a page of a mapped file that the file has lost reads as zeros, instead of ending this
 * process by SIGBUS. What the file still has is read as it is. Children have it until they execute.
 */
void sprof_mapped_files_survive_truncation(void);

#endif
