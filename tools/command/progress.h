/* What a command that takes longer than a second shows on a terminal: how many tasks are done, how
 * fast that goes, and how long it will take. A process has one command, and so one such line. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <twill/twill.h>

/* The value of --progress: auto (only if standard error is a terminal), on or off. */
void progress_mode(const char *when);

/* Begin to watch the tasks of a context. */
void progress_begin(const twill *tw, const char *label);

/* End it, before the context is stopped. */
void progress_end(void);

/* What the command is doing now, in how many tasks; 0 if that is not known. Counts from here. */
void progress_phase(const char *label, int64_t tasks);

/* How much of the whole command is done, where tasks do not tell: `done` parts of `all`. */
void progress_part(double done, double all);

/* Tasks that others than the context have done. */
void progress_add(int64_t tasks);

/* Take the line away: something else is about to be printed. It comes back by itself. */
void progress_hide(void);

#endif
