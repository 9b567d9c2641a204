/* Public structs grow at their end from version to version. Each begins with its size, as the
 * program was compiled; nothing is read or written beyond that. */
#ifndef TW_BASE_ABI_H
#define TW_BASE_ABI_H

#include <stddef.h>
#include <twill/status.h>

/* Where a member of a struct ends. With the last member of the struct's first version: the size of
 * that version, which does not change when the struct grows. There is no padding behind it, so that
 * no later member can be where an old program has left what it likes. */
#define TW_ABI_END(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

/* Does a struct that is read in place have a member? Those of the first version need no test. */
#define TW_ABI_HAS(type, theirs, member) ((theirs)->size >= TW_ABI_END(type, member))

/* TWILL_OK, or TWILL_ERR_ARGUMENT when a struct says less than the size of its first version. */
twill_status tw_abi_check(const char *type, size_t size, size_t first);

/* Our copy of a struct of the program's: what it does not have is zero. Members that only a newer
 * library knows must be zero, or it is refused: the program relies on them. */
twill_status tw_abi_in(const char *type, void *ours, size_t size, const void *theirs, size_t first);

/* The other way. The struct keeps its size, and members that only a newer library knows are zero.
 */
twill_status tw_abi_out(const char *type, void *theirs, const void *ours, size_t size,
                        size_t first);

/* The same by the name of the type and of the last member of its first version. */
#define TW_ABI_CHECK(type, last, theirs) tw_abi_check(#type, (theirs)->size, TW_ABI_END(type, last))
#define TW_ABI_IN(type, last, ours, theirs) \
    tw_abi_in(#type, (ours), sizeof(type), (theirs), TW_ABI_END(type, last))
#define TW_ABI_OUT(type, last, theirs, ours) \
    tw_abi_out(#type, (theirs), (ours), sizeof(type), TW_ABI_END(type, last))

#endif
