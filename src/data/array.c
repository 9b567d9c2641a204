/* Arrays: one slab per rank, tiles at pattern offsets, records made on first use. */
#include "data/whole.h"

#include "base/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void tw_data_open(tw_data *data, int64_t memory)
{
    memset(data, 0, sizeof *data);
    data->memory = memory;
    data->ranks = 1;
    tw_pool_open(&data->epochs, sizeof(tw_epoch));
}

void tw_data_close(tw_data *data)
{
    tw_packed_close(&data->replicas.packed);
    tw_pool_close(&data->epochs);
}

int64_t tw_data_bytes(tw_data *data)
{
    return atomic_load_explicit(&data->bytes, memory_order_relaxed);
}

/* *product *= factor; false when it does not fit. */
static bool times(int64_t *product, int64_t factor)
{
    return !__builtin_mul_overflow(*product, factor, product);
}

static double gib(double bytes)
{
    return bytes / (1024.0 * 1024.0 * 1024.0);
}

/* Tables of records up to this size get their pages at once. */
enum { POPULATED = 4 << 20 };

/* Memory for tile records: zero pages that the system provides when a record is first used. That is
 * a read, so the page is a shared one until the record is made, and replacing it interrupts all
 * cores that run other workers: some 10 us on a virtual machine, which small tables spare them. */
static bool make_table(twill_array *a)
{
    a->tiles_size = (size_t)(a->ntiles > 0 ? a->ntiles : 1) * sizeof(twill_tile);
    int populate = a->tiles_size <= POPULATED ? MAP_POPULATE : 0;
    void *table = mmap(NULL, a->tiles_size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | populate, -1, 0);
    if (table == MAP_FAILED)
        return false;
    a->tiles = table;
    return true;
}

/* Does every rank exist that the owner function says? */
static twill_status check_owners(const tw_data *data, const twill_pattern *pattern)
{
    int64_t block[TWILL_DIMS] = {0};
    for (int d = 0; d < pattern->ndim; d++)
        if (pattern->extent[d] == 0)
            return TWILL_OK;
    do {
        int64_t rank = twill_pattern_owner(pattern, block);
        if (rank < 0 || rank >= data->ranks)
            return tw_fail(TWILL_ERR_ARGUMENT,
                           "the owner function of the pattern says rank %lld for block (%lld, "
                           "%lld), and there %s %d",
                           (long long)rank, (long long)block[0], (long long)block[1],
                           data->ranks == 1 ? "is" : "are", data->ranks);
    } while (tw_pattern_next(pattern, block));
    return TWILL_OK;
}

/* Does every rank of the pattern's grid exist? */
static twill_status check_grid(const tw_data *data, const twill_pattern *pattern)
{
    int64_t ranks = 1;
    bool fits = true;
    if (pattern->owner)
        return check_owners(data, pattern);
    for (int d = 0; d < pattern->ndim; d++)
        fits = fits && times(&ranks, pattern->grid[d]);
    if (fits && ranks <= data->ranks - pattern->first)
        return TWILL_OK;
    return tw_fail(TWILL_ERR_UNSUPPORTED,
                   "the pattern wants %lld ranks from rank %lld on, and there %s %d",
                   fits ? (long long)ranks : (long long)INT64_MAX, (long long)pattern->first,
                   data->ranks == 1 ? "is" : "are", data->ranks);
}

static twill_status check_arguments(const tw_data *data, const twill_pattern *pattern,
                                    twill_type type, size_t *element)
{
    twill_status status = twill_pattern_check(pattern);
    if (status == TWILL_OK)
        status = check_grid(data, pattern);
    if (status != TWILL_OK)
        return status;
    size_t natural = twill_type_size(type);
    if (!*element)
        *element = natural;
    if (!*element || (natural && *element != natural))
        return tw_fail(TWILL_ERR_ARGUMENT, "an element of type %d cannot have %zu bytes", (int)type,
                       *element);
    return TWILL_OK;
}

twill_status tw_array_make(tw_data *data, twill *context, const twill_pattern *pattern,
                           const tw_array_kind *kind, twill_array **out)
{
    size_t element = kind->element;
    twill_status status = check_arguments(data, pattern, kind->type, &element);
    if (status != TWILL_OK)
        return status;
    int64_t ntiles = 1, size = (int64_t)element;
    bool fits = element < INT64_MAX / 2;
    for (int d = 0; d < pattern->ndim; d++)
        fits = fits && times(&ntiles, twill_pattern_blocks(pattern, d)) &&
               times(&size, pattern->extent[d]);
    if (!fits)
        return tw_fail(TWILL_ERR_ARGUMENT, "the array has more than 2^63 bytes");
    twill_array *a = calloc(1, sizeof *a);
    if (!a)
        tw_array_skip(data);
    if (!a)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for an array");
    *a = (twill_array){.pattern = *pattern,
                       .type = kind->type,
                       .element = element,
                       .shared = data,
                       .context = context,
                       .space = kind->space,
                       .stored = kind->stored,
                       .plain = kind->stored == TW_FULL,
                       .refs = 1,
                       .coarse = true,
                       .ntiles = ntiles};
    a->root = a;
    for (int d = 0; d < TWILL_DIMS; d++)
        a->blocks[d] = twill_pattern_blocks(pattern, d);
    bool table = tw_local_open(a) && ntiles <= INT64_MAX / (int64_t)sizeof(twill_tile);
    if (!table || !make_table(a)) {
        free(a->columns);
        free(a->slots);
        free(a);
        tw_array_skip(data);
        return tw_fail(TWILL_ERR_MEMORY,
                       "no memory for the records of %lld tiles; use larger tiles",
                       (long long)ntiles);
    }
    *out = a;
    return TWILL_OK;
}

void tw_array_enlist(twill_array *a)
{
    tw_data *data = a->shared;
    tw_lock_take(&data->lock);
    a->serial = a->root == a ? ++data->serials : 0;
    a->next = data->arrays;
    a->link = &data->arrays;
    if (a->next)
        a->next->link = &a->next;
    data->arrays = a;
    tw_unlock(&data->lock);
}

void tw_array_skip(tw_data *data)
{
    tw_lock_take(&data->lock);
    data->serials++;
    tw_unlock(&data->lock);
}

/* It lives as long as one of its submatrices. */
twill_array *tw_data_find(tw_data *data, uint64_t serial, bool *early)
{
    tw_lock_take(&data->lock);
    twill_array *a = data->arrays;
    while (a && a->root->serial != serial)
        a = a->next;
    *early = serial > data->serials;
    tw_unlock(&data->lock);
    return a ? a->root : NULL;
}

static void delist(twill_array *a)
{
    tw_lock_take(&a->shared->lock);
    *a->link = a->next;
    if (a->next)
        a->next->link = a->link;
    tw_unlock(&a->shared->lock);
}

void tw_array_discard(twill_array *a)
{
    if (a->slab_size)
        a->space->free(a->space, a->slab, a->slab_size);
    atomic_fetch_sub_explicit(&a->shared->bytes, (int64_t)(a->slab_size + a->wrapped_size),
                              memory_order_relaxed);
    munmap(a->tiles, a->tiles_size);
    free(a->columns);
    free(a->slots);
    tw_items_free(a->items);
    free(a);
}

static twill_status make_slab(twill_array *a)
{
    int64_t block = (int64_t)a->element;
    bool fits = true;
    for (int d = 0; d < a->pattern.ndim; d++)
        fits = fits && times(&block, tw_pattern_room(&a->pattern, d));
    int64_t size = (block + 63) / 64 * 64;
    fits = fits && block < INT64_MAX - 64;
    a->stride = (size_t)size;
    int64_t tiles = tw_local_tiles(a);
    fits = fits && times(&size, tiles);
    double wanted = (double)a->stride * (double)tiles;
    if (!fits || size > a->shared->memory)
        return tw_fail(TWILL_ERR_MEMORY, "the array needs %.1f GiB and this machine has %.1f GiB",
                       gib(wanted), gib((double)a->shared->memory));
    /* an array without elements has an address too, for whoever maps it */
    a->slab_size = a->ntiles ? (size_t)size : 64;
    a->slab = a->slab_size ? a->space->alloc(a->space, a->slab_size) : NULL;
    if (a->slab || !a->slab_size) {
        atomic_fetch_add_explicit(&a->shared->bytes, (int64_t)a->slab_size, memory_order_relaxed);
        return TWILL_OK;
    }
    a->slab_size = 0;
    return tw_fail(TWILL_ERR_MEMORY, "the system refuses %.1f GiB for an array", gib(wanted));
}

twill_status tw_array_create_kind(tw_data *data, twill *context, const twill_pattern *pattern,
                                  const tw_array_kind *kind, twill_array **out)
{
    twill_array *a;
    twill_status status = tw_array_make(data, context, pattern, kind, &a);
    if (status != TWILL_OK)
        return status;
    status = make_slab(a);
    if (status != TWILL_OK) {
        tw_array_discard(a);
        tw_array_skip(data);
        return status;
    }
    tw_array_enlist(a);
    *out = a;
    return TWILL_OK;
}

twill_status tw_array_create(tw_data *data, twill *context, const twill_pattern *pattern,
                             twill_type type, size_t element, twill_array **out)
{
    tw_array_kind kind = {type, element, TW_FULL, &tw_host};
    return tw_array_create_kind(data, context, pattern, &kind, out);
}

twill_status tw_array_create_triangle(tw_data *data, twill *context, const twill_pattern *pattern,
                                      twill_type type, tw_region stored, twill_array **out)
{
    tw_array_kind kind = {type, 0, stored, &tw_host};
    return tw_array_create_kind(data, context, pattern, &kind, out);
}

/* Tiles have their columns equally far apart in wrapped memory only if no dimension between the
 * fastest and the slowest one that tiles have elements of is cut on a rank: which; -1: none. */
static int cut_between(const twill_array *a)
{
    const twill_pattern *p = &a->pattern;
    int last = p->ndim - 1;
    while (last > 0 && tw_pattern_room(p, tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, last)) == 1)
        last--;
    for (int k = 1; k < last; k++) {
        int d = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, k);
        for (int64_t r = 0; r < p->grid[d]; r++)
            if (twill_pattern_local_blocks(p, d, r) > 1)
                return d;
    }
    return -1;
}

/* Can this be memory for what the rank has of the array? */
static twill_status check_memory(const twill_array *a, const void *memory, int64_t ld)
{
    const twill_pattern *p = &a->pattern;
    int first = tw_pattern_dim(p, TWILL_ROW_MAJOR_ELEMENTS, 0);
    int64_t rows = a->local[first] ? twill_pattern_local_extent(p, first, a->here[first]) : 0;
    if (p->owner)
        return tw_fail(TWILL_ERR_UNSUPPORTED,
                       "memory is wrapped over a grid of ranks, and this pattern has an owner "
                       "function: create an array instead");
    int cut = cut_between(a);
    if (cut >= 0)
        return tw_fail(
            TWILL_ERR_ARGUMENT,
            "tiles would have gaps of several sizes in the memory: a rank may own only one "
            "block along dimension %d, since only the first and the last are free",
            cut);
    if (ld < (rows > 1 ? rows : 1))
        return tw_fail(TWILL_ERR_ARGUMENT, "leading dimension %lld is below the %lld rows%s",
                       (long long)ld, (long long)rows,
                       rows == p->extent[first] ? "" : " that this rank has");
    if (!memory && tw_local_tiles(a) > 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "there is no memory to wrap: the pointer is NULL");
    return TWILL_OK;
}

/* How many elements this rank has. */
static size_t local_elements(const twill_array *a)
{
    size_t n = 1;
    for (int d = 0; d < a->pattern.ndim; d++)
        n *= a->local[d] ? (size_t)twill_pattern_local_extent(&a->pattern, d, a->here[d]) : 0;
    return n;
}

twill_status tw_array_wrap(tw_data *data, twill *context, const twill_pattern *pattern,
                           twill_type type, size_t element, void *memory, int64_t ld,
                           twill_array **out)
{
    twill_array *a;
    tw_array_kind kind = {type, element, TW_FULL, NULL};
    twill_status status = tw_array_make(data, context, pattern, &kind, &a);
    if (status != TWILL_OK)
        return status;
    status = check_memory(a, memory, ld);
    if (status != TWILL_OK) {
        tw_array_discard(a);
        tw_array_skip(data);
        return status;
    }
    a->slab = memory;
    a->ld = ld;
    a->wrapped_size = local_elements(a) * a->element;
    atomic_fetch_add_explicit(&data->bytes, (int64_t)a->wrapped_size, memory_order_relaxed);
    tw_array_enlist(a);
    *out = a;
    return TWILL_OK;
}

twill_array *tw_array_release(twill_array *a)
{
    twill_array *root = a->root;
    delist(a);
    if (a != root)
        free(a);
    /* whoever lets go last sees what the others did */
    return atomic_fetch_sub_explicit(&root->refs, 1, memory_order_acq_rel) == 1 ? root : NULL;
}

void tw_array_destroy(twill_array *root, tw_cache *epochs)
{
    for (twill_tile *tile = root->made; tile; tile = tile->made) {
        tw_chain_close(&tile->chain, &root->shared->epochs, epochs);
        if (tw_value_is_replicated(&tile->value))
            tw_replicas_drop(&root->shared->replicas, &tile->value);
        if (!tw_tile_is_local(tile))
            tw_tile_drop_bytes(tile);
    }
    tw_whole_forget_all(root);
    tw_array_discard(root);
}

const twill_pattern *twill_array_pattern(const twill_array *a)
{
    return &a->pattern;
}

twill_type twill_array_type(const twill_array *a)
{
    return a->type;
}

size_t twill_array_element(const twill_array *a)
{
    return a->element;
}

twill *twill_array_context(const twill_array *a)
{
    return a->context;
}

size_t twill_type_size(twill_type type)
{
    static const size_t sizes[] = {[TWILL_BYTES] = 0,
                                   [TWILL_FLOAT32] = 4,
                                   [TWILL_FLOAT64] = 8,
                                   [TWILL_COMPLEX64] = 8,
                                   [TWILL_COMPLEX128] = 16};
    return (unsigned)type <= TWILL_COMPLEX128 ? sizes[type] : 0;
}
