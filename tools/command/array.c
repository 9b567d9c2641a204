/* twill array: how an array is cut into blocks, and whose they are: a table, JSON, or a picture. */
#include "command/array.h"

#include "command/json.h"
#include "command/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct values {
    const char *extent, *pattern, *grid, *order, *weights, *draw;
    int64_t shifted;
    bool json;
} values;

static const option own_options[] = {
    OPTION_IS_TEXT("extent", "N,N,...", "elements along each of 1 to 6 dimensions",
                   offsetof(values, extent)),
    OPTION_IS_TEXT("pattern", "KIND,...",
                   "how each dimension is cut: none, blocked, cyclic, blockcyclic(B), tiled(B); "
                   "the last kind holds for all that follow (blocked)",
                   offsetof(values, pattern)),
    OPTION_IS_TEXT("grid", "PxQx...", "ranks along each dimension (1x1x...)",
                   offsetof(values, grid)),
    OPTION_IS_CHOICE("order", "col|row", "the first or the last dimension runs fastest (col)",
                     offsetof(values, order)),
    OPTION_IS_INTEGER("shifted", "P", "no grid: blocks on one diagonal go to one of P ranks",
                      offsetof(values, shifted), 1, 1 << 20),
    OPTION_IS_TEXT("weights", "W,W,...",
                   "the first dimension is cut in proportion, one weight for each rank along it",
                   offsetof(values, weights)),
    OPTION_IS_TEXT("draw", "FILE.svg", "draw the first two dimensions there",
                   offsetof(values, draw)),
    OPTION_IS_FLAG("json", "an object per block", offsetof(values, json)),
    OPTION_END};

static const option_set options = {
    .command = "array",
    .about = "Show who owns what of an array: its blocks, their ranks, their numbers there, and "
             "where their elements begin.",
    .tables = {own_options}};

/* ---- reading ------------------------------------------------------------------------------ */

static int bad(const char *option, const char *text, const char *wanted)
{
    complain("array", "--%s %s: %s", option, text, wanted);
    return STATUS_USAGE;
}

/* Numbers with `between` between them; how many, or -1. */
static int read_numbers(const char *text, char between, int64_t *numbers)
{
    for (int n = 0; n < TWILL_DIMS; n++) {
        char *end;
        errno = 0;
        numbers[n] = strtoll(text, &end, 10);
        if (end == text || errno || *text < '0' || *text > '9')
            return -1;
        if (*end == '\0')
            return n + 1;
        if (*end != between)
            return -1;
        text = end + 1;
    }
    return -1;
}

/* One kind, and what follows it; NULL: it is none. */
static const char *read_kind(const char *text, twill_dim *dim)
{
    static const struct {
        const char *name;
        twill_dim_kind kind;
        bool block;
    } kinds[] = {{"none", TWILL_DIM_NONE, false},
                 {"blocked", TWILL_DIM_BLOCKED, false},
                 {"cyclic", TWILL_DIM_CYCLIC, false},
                 {"blockcyclic", TWILL_DIM_BLOCKCYCLIC, true},
                 {"tiled", TWILL_DIM_TILED, true}};
    size_t length = strcspn(text, "(,");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strlen(kinds[i].name) != length || strncmp(text, kinds[i].name, length) != 0)
            continue;
        *dim = twill_dim_of(kinds[i].kind, 1);
        text += length;
        if (!kinds[i].block)
            return *text == '(' ? NULL : text;
        char *end;
        errno = 0;
        dim->block = *text == '(' ? strtoll(text + 1, &end, 10) : 0;
        return dim->block > 0 && !errno && *end == ')' ? end + 1 : NULL;
    }
    return NULL;
}

static int read_kinds(const char *text, int ndim, twill_dim *dim)
{
    const char *at = text;
    for (int d = 0; d < ndim; d++) {
        if (d > 0 && *at == '\0') {
            dim[d] = dim[d - 1];
            continue;
        }
        at = read_kind(d > 0 ? at + 1 : at, &dim[d]);
        if (!at || (*at != ',' && *at != '\0'))
            return bad("pattern", text,
                       "kinds are none, blocked, cyclic, blockcyclic(B) and tiled(B), with commas "
                       "between them");
    }
    return *at ? bad("pattern", text, "there are more kinds than dimensions") : STATUS_OK;
}

static int read_grid(const values *v, int ndim, int64_t *grid)
{
    for (int d = 0; d < ndim; d++)
        grid[d] = 1;
    if (v->grid && read_numbers(v->grid, 'x', grid) != ndim)
        return bad("grid", v->grid, "it wants a number for each dimension, as in 2x3");
    return STATUS_OK;
}

static int weigh(const values *v, array_shown *a)
{
    twill_pattern *p = &a->pattern;
    double weights[ARRAY_WEIGHTS];
    const char *at = v->weights;
    int64_t n = 0, *cuts = a->cuts;
    for (char *end; n < ARRAY_WEIGHTS && *at; n++, at = end + (*end == ',')) {
        weights[n] = strtod(at, &end);
        if (end == at || (*end && *end != ','))
            return bad("weights", v->weights, "it wants numbers with commas between them");
    }
    int64_t room = ARRAY_CUTS;
    for (int d = 0; d < p->ndim; d++)
        room -= p->grid[d] + 1;
    if (n != p->grid[0] || room < 0)
        return bad("weights", v->weights,
                   "it wants a weight for each rank along the first "
                   "dimension of the grid, 1024 at most");
    for (int d = 0; d < p->ndim; d++) {
        for (int64_t r = 0; d > 0 && r < p->grid[d]; r++)
            weights[r] = 1;
        twill_status status =
            twill_pattern_weigh(twill_pattern_blocks(p, d), p->grid[d], weights, cuts);
        if (status != TWILL_OK)
            return complain_library("array", status, "--weights");
        cuts += p->grid[d] + 1;
    }
    p->cuts = a->cuts;
    return STATUS_OK;
}

static int read_pattern(const values *v, array_shown *a)
{
    int64_t extent[TWILL_DIMS], grid[TWILL_DIMS];
    twill_dim dim[TWILL_DIMS];
    int64_t order = v->order && strcmp(v->order, "row") == 0 ? TWILL_ROW_MAJOR : 0;
    if (!v->extent)
        return bad("extent", "N,N,...", "it is needed: the elements along each dimension");
    int ndim = read_numbers(v->extent, ',', extent);
    if (ndim < 1)
        return bad("extent", v->extent, "it wants 1 to 6 numbers with commas between them");
    int status = read_kinds(v->pattern ? v->pattern : "blocked", ndim, dim);
    if (status == STATUS_OK)
        status = read_grid(v, ndim, grid);
    if (status != STATUS_OK)
        return status;
    if (v->shifted && (v->grid || v->weights))
        return bad("shifted", "P", "there is a grid of ranks, or there are shifted blocks");
    twill_status made = twill_pattern_make(ndim, extent, dim, grid, order, &a->pattern);
    if (made != TWILL_OK)
        return complain_library("array", made, v->pattern ? "--pattern" : NULL);
    if (v->shifted) {
        twill_pattern cut = a->pattern;
        a->pattern = twill_pattern_shifted(ndim, extent, cut.block, v->shifted);
        a->pattern.order = cut.order;
    }
    return v->weights ? weigh(v, a) : STATUS_OK;
}

/* ---- printing ----------------------------------------------------------------------------- */

static int64_t all_blocks(const twill_pattern *p)
{
    int64_t blocks = 1;
    for (int d = 0; d < p->ndim; d++)
        if (__builtin_mul_overflow(blocks, twill_pattern_blocks(p, d), &blocks))
            return INT64_MAX;
    return blocks;
}

/* What there is to say about a block. */
typedef struct block {
    int64_t at[TWILL_DIMS], offset[TWILL_DIMS], extent[TWILL_DIMS], rank, number;
} block;

static block block_nth(const twill_pattern *p, int64_t number)
{
    block b = {.number = 0};
    twill_pattern_block(p, number, b.at);
    for (int d = 0; d < p->ndim; d++) {
        b.offset[d] = b.at[d] * p->block[d];
        b.extent[d] = twill_pattern_block_extent(p, d, b.at[d]);
    }
    b.rank = twill_pattern_owner(p, b.at);
    b.number = twill_pattern_lblock_number(p, b.at);
    return b;
}

static void json_list(json *j, const char *key, const int64_t *x, int n)
{
    json_open(j, key, '[');
    for (int d = 0; d < n; d++)
        json_integer(j, NULL, x[d]);
    json_close(j, ']');
}

static void print_json(const twill_pattern *p)
{
    json j = {.out = stdout};
    for (int64_t n = 0; n < all_blocks(p); n++) {
        block b = block_nth(p, n);
        json_open(&j, NULL, '{');
        json_list(&j, "block", b.at, p->ndim);
        json_integer(&j, "unit", b.rank);
        json_integer(&j, "local", b.number);
        json_list(&j, "offset", b.offset, p->ndim);
        json_list(&j, "extent", b.extent, p->ndim);
        json_close(&j, '}');
        json_end(&j);
    }
}

static void print_list(const int64_t *x, int n)
{
    char text[TWILL_DIMS * 22];
    size_t length = 0;
    for (int d = 0; d < n; d++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%lld", d ? "," : "",
                                   (long long)x[d]);
    printf("%-16s", text);
}

static void print_properties(const twill_pattern *p)
{
    static const struct {
        uint64_t property;
        const char *name;
    } names[] = {
        {TWILL_BALANCED_BLOCKS, "balanced blocks"}, {TWILL_BALANCED_RANKS, "balanced ranks"},
        {TWILL_SINGLE_BLOCK, "single block"},       {TWILL_SEPARABLE, "separable"},
        {TWILL_CONTIGUOUS, "contiguous"},           {TWILL_DIAGONAL, "diagonal"}};
    uint64_t properties = twill_pattern_properties(p);
    const char *before = "properties: ";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (properties & names[i].property) {
            printf("%s%s", before, names[i].name);
            before = ", ";
        }
    puts(before[0] == 'p' ? "properties: none" : "");
}

static void print_table(const twill_pattern *p)
{
    printf("%-16s%-8s%-8s%-16s%-16s\n", "block", "unit", "local", "offset", "extent");
    for (int64_t n = 0; n < all_blocks(p); n++) {
        block b = block_nth(p, n);
        print_list(b.at, p->ndim);
        printf("%-8lld%-8lld", (long long)b.rank, (long long)b.number);
        print_list(b.offset, p->ndim);
        print_list(b.extent, p->ndim);
        putchar('\n');
    }
    print_properties(p);
}

/* ---- the subcommand ----------------------------------------------------------------------- */

static int run(int argc, char **argv)
{
    enum { MOST = 1 << 20 };
    values v = {0};
    array_shown a;
    int status = STATUS_OK;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    status = read_pattern(&v, &a);
    if (status != STATUS_OK)
        return status;
    if (all_blocks(&a.pattern) > MOST) {
        complain("array", "there are more than %d blocks; choose larger ones", (int)MOST);
        return STATUS_USAGE;
    }
    if (v.draw && !array_draw(&a.pattern, v.draw)) {
        complain("array", "%s: %s", v.draw, strerror(errno));
        return STATUS_SYSTEM;
    }
    if (v.json)
        print_json(&a.pattern);
    else if (!v.draw)
        print_table(&a.pattern);
    return STATUS_OK;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command array_command = {"array", "show who owns what of a distributed array", run, help};
