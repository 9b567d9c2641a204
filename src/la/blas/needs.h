/* Which libraries a library needs, in a file that is ours to change. */
#ifndef TW_LA_NEEDS_H
#define TW_LA_NEEDS_H

#include <stdbool.h>

/* In a copy of a LAPACK library, let `to` stand where it names the BLAS it was linked with, so that
 * the loader binds it to that one. True when there was such a name and `to` fits in its place. */
bool tw_needs_redirect(int fd, const char *to);

#endif
