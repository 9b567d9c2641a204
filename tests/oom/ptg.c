/* A parameterised graph, run twice. It is in flows.jdf. */
#include "support/shortage.h"

#include "flows.h"

enum { N = 2, M = 3, ROWS = 5, LEAVES = 150, RUNS = 2 };

void add_to(const twill_flow *t, int upper, int64_t what);
int64_t sum_of(const twill_flow *t, int upper);
void add_column(const twill_flow *t, int64_t column, int64_t what);

static int64_t *at(const twill_flow *t, int64_t row, int64_t col)
{
    return (int64_t *)t->data + row + col * t->ld;
}

/* The upper triangle with the diagonal, or what is below it. */
void add_to(const twill_flow *t, int upper, int64_t what)
{
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            if ((i <= j) == upper)
                *at(t, i, j) += what;
}

int64_t sum_of(const twill_flow *t, int upper)
{
    int64_t sum = 0;
    for (int64_t j = 0; j < t->cols; j++)
        for (int64_t i = 0; i < t->rows; i++)
            sum += (i <= j) == upper ? *at(t, i, j) : 0;
    return sum;
}

void add_column(const twill_flow *t, int64_t column, int64_t what)
{
    for (int64_t i = 0; i < t->rows; i++)
        *at(t, i, column) += what;
}

typedef struct data {
    twill_array *a, *sums, *c, *out;
    twill_graph *g;
} data;

static twill_status make(twill *tw, data *d)
{
    static const twill_datatype lower = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_STRICTLY_LOWER};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_UPPER};
    static const twill_datatype column = {.size = sizeof(twill_datatype), .col = {.count = 1}};
    static const twill_datatype one = {
        .size = sizeof(twill_datatype), .rows = 1, .cols = 1, .element = sizeof(int64_t)};
    twill_pattern tiles = twill_tiled(N * ROWS, ROWS, ROWS, ROWS), sums = twill_tiled(N, M, 1, 1);
    twill_status status;
    TRY(twill_array_create(tw, &tiles, TWILL_BYTES, sizeof(int64_t), &d->a));
    TRY(twill_array_create(tw, &tiles, TWILL_BYTES, sizeof(int64_t), &d->c));
    TRY(twill_array_create(tw, &sums, TWILL_BYTES, sizeof(int64_t), &d->sums));
    TRY(shortage_integers(tw, LEAVES, &d->out));
    TRY(twill_flows_new(tw, N, M, LEAVES, d->a, d->sums, d->c, d->out, &lower, &upper, &column,
                        &one, ROWS, &d->g));
done:
    return status;
}

static twill_status run(twill_graph *g)
{
    twill_status status = twill_ptg_run(g);
    return status == TWILL_OK ? twill_wait(g) : status;
}

/* What comes out where the arrays were zero. */
static int64_t wanted_a(int64_t i, int64_t j)
{
    return RUNS * (i % ROWS <= j ? 2 + M : 1);
}

static int64_t wanted_c(int64_t i, int64_t j)
{
    (void)i;
    return RUNS * (j + 1);
}

static int64_t wanted_sum(int64_t i, int64_t j)
{
    (void)i, (void)j;
    return RUNS * ROWS * (ROWS - 1) / 2;
}

static int64_t wanted_out(int64_t i, int64_t j)
{
    (void)j;
    return 1000 + i;
}

static twill_status look(twill_array *a, int64_t (*wanted)(int64_t i, int64_t j), atomic_int *wrong)
{
    twill_view all = twill_view_all(a);
    void *bytes;
    int64_t ld;
    twill_status status = twill_map(all, TWILL_READ, &bytes, &ld);
    if (status != TWILL_OK)
        return status;
    const int64_t *x = bytes;
    for (int64_t j = 0; j < all.extent[1]; j++)
        for (int64_t i = 0; i < all.extent[0]; i++)
            *wrong += x[i + j * ld] != wanted(i, j);
    return twill_unmap(all, bytes);
}

static twill_status body(twill *tw, bool leave, atomic_int *wrong)
{
    data d = {0};
    twill_status status;
    TRY(make(tw, &d));
    for (int i = 0; i < RUNS; i++)
        TRY(run(d.g));
    TRY(look(d.a, wanted_a, wrong));
    TRY(look(d.c, wanted_c, wrong));
    TRY(look(d.sums, wanted_sum, wrong));
    TRY(look(d.out, wanted_out, wrong));
done:
    if (!leave) {
        twill_graph_free(d.g);
        twill_array_free(d.a);
        twill_array_free(d.c);
        twill_array_free(d.sums);
        twill_array_free(d.out);
    }
    return status;
}

TEST(parameterised_graphs)
{
    shortage_sweep(&(shortage){.name = "ptg", .body = body});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameterised_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
