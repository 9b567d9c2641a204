/* Groups: some of the ranks of a context, in an order, as MPI's groups and DASH's teams are. A
 * group is split into parts, and these again, to any depth: the same tree on every rank, so arrays
 * that all ranks make may lie on ranks of one group.
 *
 * Threads: any thread may ask about a group; but one at a time makes, splits and frees groups of a
 * tree, and nobody else uses that tree meanwhile. */
#ifndef TWILL_GROUP_H
#define TWILL_GROUP_H

#include <twill/context.h>
#include <twill/pattern.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct twill_group twill_group;

/* The group of all ranks of the context, in their order. Not collective. It is the root of a tree
 * of parts, and is freed before twill_stop. */
TWILL_API twill_status twill_group_all(twill *tw, twill_group **group);

/* Free a group of twill_group_all with all its parts, after the arrays whose patterns they have
 * made. NULL is allowed; a part is freed with its root only. */
TWILL_API void twill_group_free(twill_group *group);

/* Ranks of the group, which have numbers from 0 on: the rank of the context that has a number, the
 * number of a rank, and that of the calling rank; -1 when there is none. */
TWILL_API int64_t twill_group_size(const twill_group *group);
TWILL_API int64_t twill_group_rank(const twill_group *group, int64_t number);
TWILL_API int64_t twill_group_number(const twill_group *group, int64_t rank);
TWILL_API int64_t twill_group_mine(const twill_group *group);

/* Have both the same ranks in the same order? */
TWILL_API bool twill_group_equal(const twill_group *a, const twill_group *b);

/* ---- parts ------------------------------------------------------------------------------- */

enum { TWILL_GROUP_NONE = -1 }; /* a color: in no part */

/* Split a group into parts, one for each color, in ascending order of colors; in a part, ranks are
 * in ascending order of keys, and of their numbers before where keys are equal. Collective: *every*
 * rank of the context calls, those outside the group as well, whose color and key mean nothing.
 * TWILL_ERR_ARGUMENT, on all ranks: some rank has a negative color, or another group;
 * TWILL_ERR_STATE: the group has parts already (to split it otherwise, make another one). */
TWILL_API twill_status twill_group_split(twill_group *group, int64_t color, int64_t key);

/* The same with a part for each host, and for each NUMA domain of each host; ranks whose cores
 * belong to several domains of a host are in one part. Parts and ranks keep their order. Not
 * collective: all ranks have told the others in twill_start. */
TWILL_API twill_status twill_group_split_host(twill_group *group);
TWILL_API twill_status twill_group_split_numa(twill_group *group);

/* How many parts it has, 0 before it was split; part number i, and the part that a rank is in; NULL
 * when there is none. The group that a group is a part of; NULL for a root. */
TWILL_API int64_t twill_group_parts(const twill_group *group);
TWILL_API twill_group *twill_group_part(const twill_group *group, int64_t i);
TWILL_API twill_group *twill_group_part_of(const twill_group *group, int64_t rank);
TWILL_API twill_group *twill_group_parent(const twill_group *group);

/* ---- units ------------------------------------------------------------------------------- */

typedef enum twill_unit_kind {
    TWILL_UNIT_RANK,
    TWILL_UNIT_WORKER,
    TWILL_UNIT_DEVICE
} twill_unit_kind;

/* What a rank has of a kind. Its layout is fixed for one TWILL_ABI. */
typedef struct twill_unit {
    int64_t rank;   /* of the context */
    int64_t number; /* there: 0 for a rank, from 0 for workers, from 1 for devices, as they count */
} twill_unit;

/* How many units of a kind the ranks of the group have, and which one is number i: those of a rank
 * follow each other, in the order of ranks in the group. TWILL_ERR_ARGUMENT: there is no such. */
TWILL_API int64_t twill_group_units(const twill_group *group, twill_unit_kind kind);
TWILL_API twill_status twill_group_unit(const twill_group *group, twill_unit_kind kind, int64_t i,
                                        twill_unit *unit);

/* ---- arrays ------------------------------------------------------------------------------ */

/* Deal a pattern over a group: its ranks are numbers in the group, those of *pattern ranks of the
 * context. All ranks of the context make the array; those outside the group own nothing of it. If
 * the ranks of the group follow each other in the context, the pattern stays a grid; else it
 * becomes a pattern with an owner function: without local views, wrapped memory, and
 * TWILL_LOCAL_ARRAY. TWILL_ERR_ARGUMENT: it has more ranks than the group. Any thread, also while
 * others do the same. */
TWILL_API twill_status twill_group_pattern(twill_group *group, const twill_pattern *numbers,
                                           twill_pattern *pattern);

#ifdef __cplusplus
}
#endif
#endif
