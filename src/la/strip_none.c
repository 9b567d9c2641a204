/* No kernels of strips for this processor: the library's own are used. */
#include "la/strip.h"

tw_strip_solver *tw_strip_kernel(bool single)
{
    (void)single;
    return NULL;
}
