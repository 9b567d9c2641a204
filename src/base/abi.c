/* Copying structs whose two sides may be of different versions. */
#include "base/abi.h"

#include "base/status.h"

#include <string.h>

twill_status tw_abi_check(const char *type, size_t size, size_t first)
{
    if (size >= first)
        return TWILL_OK;
    return tw_fail(TWILL_ERR_ARGUMENT,
                   "the size of a %s is %zu, which is too small: write .size = sizeof(%s)", type,
                   size, type);
}

/* Every such struct begins with its size. */
static size_t size_of(const void *theirs)
{
    size_t size;
    memcpy(&size, theirs, sizeof size);
    return size;
}

twill_status tw_abi_in(const char *type, void *ours, size_t size, const void *theirs, size_t first)
{
    size_t given = size_of(theirs), common = given < size ? given : size;
    twill_status status = tw_abi_check(type, given, first);
    for (size_t i = size; i < given && status == TWILL_OK; i++)
        if (((const char *)theirs)[i])
            status =
                tw_fail(TWILL_ERR_ARGUMENT,
                        "a %s of %zu bytes sets a member that Twill %s does not know: it needs "
                        "the library that the program was built for, or a newer one",
                        type, given, twill_version());
    if (status != TWILL_OK)
        return status;
    memcpy(ours, theirs, common);
    memset((char *)ours + common, 0, size - common);
    memcpy(ours, &size, sizeof size);
    return TWILL_OK;
}

twill_status tw_abi_out(const char *type, void *theirs, const void *ours, size_t size, size_t first)
{
    size_t given = size_of(theirs), common = given < size ? given : size;
    twill_status status = tw_abi_check(type, given, first);
    if (status != TWILL_OK)
        return status;
    memcpy(theirs, ours, common);
    memset((char *)theirs + common, 0, given - common);
    memcpy(theirs, &given, sizeof given);
    return TWILL_OK;
}
