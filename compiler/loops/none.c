/* --from-c in a build without libclang or isl. */
#include "loops/loops.h"

bool loops_read(source *s, const loops_options *o, loops_result *result, const char **why)
{
    (void)s, (void)o, (void)result;
    *why = "--from-c needs the headers of libclang and isl, and this twillc was built without them";
    return false;
}
