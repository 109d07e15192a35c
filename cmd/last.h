/*
 * The last recording that was shown on a terminal: it is kept, so that `sprof report` can show all of it.
 */
#ifndef SPROF_CMD_LAST_H
#define SPROF_CMD_LAST_H

/*
 * The file's path, whose folder is made where it is missing; NULL: there is no place for it. The text is valid
 * as long as the program runs.
 */
const char *sprof_last_path(void);

/* What a person would type for it: "~/.cache/sprof/last.pb.gz". */
const char *sprof_last_name(void);

#endif
