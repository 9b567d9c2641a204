/* No products of Twill's own for this processor: the library's are used. */
#include "la/kernel/multiply.h"

const char tw_multiply_name[] = "none";

const tw_multiply *tw_multiply_of(bool single)
{
    (void)single;
    return NULL;
}
