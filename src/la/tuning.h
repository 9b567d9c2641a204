/* What `twill tune` measured: the file, and what a context takes from it. */
#ifndef TW_LA_TUNING_H
#define TW_LA_TUNING_H

#include "engine/extension.h"

#include <twill/array.h>
#include <twill/tune.h>

/* A context's own, read on first use. */
typedef struct tw_tuning {
    tw_extension extension;
    char file[4096]; /* "": none */
    twill_tuning found;
} tw_tuning;

/* The context's; NULL without memory, which is as good as nothing measured. The second is for
 * whoever holds the context's wait_mutex. */
const tw_tuning *tw_tuning_get(twill *tw);
const tw_tuning *tw_tuning_get_locked(twill *tw);

/* Does it speak of the BLAS in use? Not when options ask for a particular one. */
bool tw_tuning_applies(const twill *tw);

/* The tile size measured for the order nearest to n, 0 when there is none. */
int64_t tw_tuning_tile(const twill_tuning *t, twill_type type, int workers, int64_t n);

/* Read a file that is meant for this processor. False: there is none, it is damaged, for another
 * processor, or a library is not the one that was measured. *t is set only on true. */
bool tw_tuning_read(const char *file, const char *cpu, twill_tuning *t);

/* Replace it. */
twill_status tw_tuning_write(const char *file, const char *cpu, const twill_tuning *t);

#endif
