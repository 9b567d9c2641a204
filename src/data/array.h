/* Arrays and tiles. */
#ifndef TW_DATA_ARRAY_H
#define TW_DATA_ARRAY_H

#include "data/chain.h"
#include "data/pattern/pattern.h"
#include "data/replica.h"
#include "data/space.h"
#include "data/value.h"

#include <twill/array.h>

struct tw_reducing; /* an open reduction; the STF front end's */
struct tw_whole;

struct twill_tile {
    _Alignas(TW_LINE) tw_value value; /* the home bytes */
    twill_array *array;               /* NULL until the record is made */
    tw_chain chain;                   /* under the array's lock */
    _Atomic(struct tw_reducing *) reducing;
    uint64_t seen;           /* uses of the whole array up to this one: see whole.h */
    struct twill_tile *made; /* the record that was made before this one */
};

_Static_assert(sizeof(twill_tile) == 2 * TW_LINE, "there may be millions of them");

/* What all arrays of a context share. */
typedef struct tw_data {
    tw_pool epochs;
    tw_replicas replicas;
    int rank, ranks;       /* among the contexts that share arrays */
    int64_t memory;        /* bytes of RAM: more than that is refused */
    atomic_bool hinted;    /* some array has had preferences for workers */
    _Atomic int64_t bytes; /* of slabs, wrapped elements, and copies of tiles of other ranks */
    tw_lock lock;          /* of the list, and of the next */
    uint64_t serials;      /* given to arrays so far */
    twill_array *arrays;
} tw_data;

struct twill_array {
    twill_pattern pattern;
    twill_type type;
    size_t element;
    tw_data *shared;
    twill *context;
    const tw_space *space;      /* the slab's; NULL when wrapped */
    char *slab;                 /* this rank's tiles, or the program's memory */
    size_t slab_size;           /* 0 when wrapped, or when the rank has no tiles */
    size_t wrapped_size;        /* bytes of its elements in wrapped memory, else 0 */
    int64_t ld;                 /* of wrapped memory, else 0 */
    size_t stride;              /* bytes from tile to tile in the slab */
    int64_t blocks[TWILL_DIMS]; /* tiles along each dimension */
    int64_t ntiles;
    uint64_t serial;            /* tells it from all others of the context, gone ones included; the
                                   same on all ranks, if they make the same arrays */
    int64_t here[TWILL_DIMS];   /* of a root: this rank's coordinates in the grid */
    int64_t local[TWILL_DIMS];  /* of a root: tiles of this rank along each dimension */
    int64_t *columns;           /* of a triangle over several ranks: see local.c */
    int64_t *slots;             /* of a root with an owner function: see local.c */
    struct tw_items *items;     /* of a collection: see collection.c */
    bool tiles_chosen;          /* their size, by Twill and not by the program */
    tw_region stored;           /* the region of a matrix whose tiles there are */
    twill_array *root;          /* whose tiles these are: it, or the array it is a submatrix of */
    int64_t origin[TWILL_DIMS]; /* of a submatrix: its first tile in the root */
    bool plain;                 /* all tiles are there, and they are its own */
    atomic_int refs;            /* of a root: one for itself and one for each submatrix */
    twill_tile *tiles;          /* of the root; records of tiles that are not stored stay empty */
    size_t tiles_size;
    twill_tile *made;           /* of a root: the tile whose record was made last */
    tw_lock lock;               /* orders insertions; protects chains and what follows */
    bool coarse;                /* of a root: who uses tiles has to look at what follows first */
    bool touched;               /* some tile may be in use, or poisoned */
    bool remainders;            /* there may be some in the list */
    uint64_t entered;           /* the number of the last use of the whole array */
    struct tw_whole *wholes;    /* uses of the whole array: see whole.h */
    twill_array *locked_before; /* by whoever holds the lock and those of other arrays */
    tw_lock make_lock;          /* makes tile records */
    bool unreachable;           /* by copies of other ranks: this and the next under their lock */
    int visitors;               /* such copies */
    twill_array *next, **link;
};

void tw_data_open(tw_data *data, int64_t memory);
void tw_data_close(tw_data *data);
/* Bytes that the arrays hold, elements in memory of the program, wrapped, among them. */
int64_t tw_data_bytes(tw_data *data);

/* What an array is made of, apart from its pattern. */
typedef struct tw_array_kind {
    twill_type type;
    size_t element; /* bytes; 0: the type's */
    /* TW_FULL, or of a square matrix of square tiles those of a triangle: TW_LOWER_PART or
     * TW_UPPER_PART. */
    tw_region stored;
    const tw_space *space; /* whose memory its slab is: allocated there, and freed there */
} tw_array_kind;

twill_status tw_array_create_kind(tw_data *data, twill *context, const twill_pattern *pattern,
                                  const tw_array_kind *kind, twill_array **a);

/* The same in main memory: with all tiles, or with those of a triangle. */
twill_status tw_array_create(tw_data *data, twill *context, const twill_pattern *pattern,
                             twill_type type, size_t element, twill_array **a);
twill_status tw_array_create_triangle(tw_data *data, twill *context, const twill_pattern *pattern,
                                      twill_type type, tw_region stored, twill_array **a);

twill_status tw_array_wrap(tw_data *data, twill *context, const twill_pattern *pattern,
                           twill_type type, size_t element, void *memory, int64_t ld,
                           twill_array **a);

/* Of the program's functions (collection.c). */
twill_status tw_array_collection(tw_data *data, twill *context, const twill_pattern *pattern,
                                 twill_type type, size_t element,
                                 const twill_collection *collection, twill_array **a);

/* Where the bytes of local tile number `slot` of a collection are, and the end of what it has. */
tw_host_bytes tw_items_bytes(const struct tw_items *items, int64_t slot);
void tw_items_free(struct tw_items *items);

/* An array without memory, not known to its context yet; and the end of one. */
twill_status tw_array_make(tw_data *data, twill *context, const twill_pattern *pattern,
                           const tw_array_kind *kind, twill_array **a);
void tw_array_discard(twill_array *a);

/* A submatrix that begins and ends with tiles, on the same tiles. The root lives until the
 * last of its submatrices is released. */
twill_status tw_array_sub(const twill_view *v, twill_array **a);

/* Make a new array known to its context. A root gets its serial number, which one that could not be
 * made has used up, since other ranks may have made it. */
void tw_array_enlist(twill_array *a);
void tw_array_skip(tw_data *data);

/* The root with this number; NULL: there is none any more, or (*early) not yet. */
twill_array *tw_data_find(tw_data *data, uint64_t serial, bool *early);

/* Nobody uses it any more: let go of it. Returns what must be destroyed then: the array, or the one
 * that it was the last submatrix of; else NULL. */
twill_array *tw_array_release(twill_array *a);
void tw_array_destroy(twill_array *root, tw_cache *epochs);

/* Is the tile one of the array's? */
bool tw_array_has(const twill_array *a, const twill_tile *tile);

/* Do they have tiles in common? */
bool tw_array_overlaps(const twill_array *a, const twill_array *b);

void tw_array_make_tile(twill_array *a, int64_t number);

/* Tile number `number` (first dimension fastest) of an array with all tiles of its own, made on
 * first use. */
static inline twill_tile *tw_array_tile(twill_array *a, int64_t number)
{
    twill_tile *tile = &a->tiles[number];
    if (tw_unlikely(!__atomic_load_n(&tile->array, __ATOMIC_ACQUIRE)))
        tw_array_make_tile(a, number);
    return tile;
}

/* Of a matrix that may store a triangle only: is the tile one of these? */
static inline bool tw_array_stores(const twill_array *a, int64_t i, int64_t j)
{
    return a->stored & (i > j ? TW_BELOW : i < j ? TW_ABOVE : TW_DIAGONAL);
}

/* Tile number `number` of any array; NULL when it is not stored. */
twill_tile *tw_array_nth(twill_array *a, int64_t number);

/* Block coordinates of a tile, in the array that it belongs to. */
void tw_tile_block(const twill_tile *tile, int64_t *block);

static inline int64_t tw_tile_owner(const twill_tile *tile)
{
    return tile->value.owner;
}

/* Does this rank have its bytes? */
static inline bool tw_tile_is_local(const twill_tile *tile)
{
    return tile->value.owner == tile->array->shared->rank;
}

/* ---- what of an array this rank has (local.c) -------------------------------------------- */

/* Find out; false when there is no memory. */
bool tw_local_open(twill_array *a);

/* Tiles in the slab. */
int64_t tw_local_tiles(const twill_array *a);

/* The number of a tile of this rank among those it has. */
int64_t tw_local_slot(const twill_array *a, const int64_t *block);

/* Where the bytes of a tile of this rank are. */
tw_host_bytes tw_local_bytes(const twill_array *a, const int64_t *block);

/* ------------------------------------------------------------------------------------------ */

/* Memory for a copy of a tile of another rank, unless it has some; false without. And the end of
 * that. For whoever has the tile to itself. */
bool tw_tile_take_bytes(twill_tile *tile, bool zeroed);
void tw_tile_drop_bytes(twill_tile *tile);
/* The same, but the memory stays: a transport that has failed may still write there. */
void tw_tile_lose_bytes(twill_tile *tile);

/* Bytes that tw_host_new gave, a column after the other, become those of the tile. False: it has
 * bytes of its own, or others in another memory. */
bool tw_tile_adopt_bytes(twill_tile *tile, void *bytes);

/* Does it belong to no array of the program? */
static inline bool tw_tile_is_private(const twill_tile *tile)
{
    return !tile->array->tiles;
}

/* A tile that belongs to no array of the program: memory of its own, made for a reduction. `owner`
 * is the rank that writes it; on others it is without memory until it gets some for a copy. */
twill_tile *tw_tile_private(twill_array *like, int64_t rows, int64_t cols, int owner);
void tw_tile_private_free(twill_tile *tile, tw_cache *epochs);

/* In `local` of a view: why it is none. */
enum {
    TW_VIEW_NO_LOCAL = -1,  /* its pattern has no local views */
    TW_VIEW_NO_GLOBAL = -2, /* a local view of several blocks was to be one of the array */
    TW_VIEW_NO_BLOCK = -3   /* this rank has no such block */
};

/* TWILL_OK, or a sentence saying how the view leaves its array. */
twill_status tw_view_check(const twill_view *v);

/* The same, and one of the array: not a local view. */
twill_status tw_view_check_box(const twill_view *v);

/* What a view has of a tile, in elements along each dimension. */
typedef struct tw_section {
    int64_t inside[TWILL_DIMS]; /* where it begins in the tile, */
    int64_t at[TWILL_DIMS];     /* and in the view */
    int64_t extent[TWILL_DIMS];
    int64_t whole[TWILL_DIMS]; /* of the tile */
} tw_section;

/* Of the tile at these block coordinates. */
void tw_view_section(const twill_view *v, const int64_t *block, tw_section *section);

/* Bytes from one element to the next along each dimension, of a box with these extents that is
 * stored as a tile is, with that ld. */
void tw_section_steps(const twill_pattern *p, const int64_t *extent, int64_t ld, size_t element,
                      int64_t *step);

/* Block coordinates of tile number `number`. */
void tw_array_block(const twill_array *a, int64_t number, int64_t *block);

/* The element at these coordinates of a box with these extents, stored as a tile is. */
void *tw_section_at(const twill_pattern *p, const int64_t *extent, const int64_t *at,
                    tw_host_bytes bytes, size_t element);

/* Copy the section between its tile and memory with all elements of the view, stored as a tile is:
 * from the tile, or back there. */
void tw_section_copy(const twill_view *v, const tw_section *section, tw_host_bytes tile,
                     tw_host_bytes memory, bool back);

/* TWILL_OK, or a sentence saying that not all of the view's tiles are this rank's. */
twill_status tw_view_check_local(const twill_view *v);
bool tw_view_is_local(const twill_view *v);

/* The same elements as a view of the array whose tiles they are in. */
twill_view tw_view_in_root(twill_view v);

/* Call `visit` with the number of each tile a view touches. */
void tw_view_tiles(const twill_view *v, void (*visit)(int64_t number, void *arg), void *arg);

#endif
