/* --verify in a build without isl. */
#include "verify.h"

int verify(const ir_file *f, FILE *out)
{
    (void)out;
    fprintf(stderr, "twillc: %s: --verify needs isl, and this twillc was built without it\n",
            f->source->path);
    return 3;
}
