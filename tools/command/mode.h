/* --mode, --reserved and --prescribed: who runs the critical path. */
#ifndef MODE_H
#define MODE_H

#include "command/command.h"

/* The sizes of --prescribed, to be freed. Returns the exit status, after a complaint when it is not
 * STATUS_OK: the mode is prescribed and there are none, or the other way round. */
int mode_sizes(const char *who, const char *mode, const char *prescribed, int **sizes,
               int64_t *count);

/* Let a context run in this mode. Returns the exit status, after a complaint when it is not
 * STATUS_OK. */
int mode_set(const char *who, twill *tw, const char *mode, int64_t reserved,
             const char *prescribed);

#endif
