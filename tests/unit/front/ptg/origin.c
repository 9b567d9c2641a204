/* Runs of a graph by one of two ranks, which another one never answers: its own tasks run, and no
 * others; tiles of the other rank are asked for, and waited for. The graph is in origin.jdf. */
#include "support/test.h"

#include "front/ptg/remote.h"

#include "origin.h"

enum { N = 6 };

/* The number in tile i, which this rank owns. */
static int64_t exchange(twill_array *a, int64_t i, twill_access mode, int64_t number)
{
    void *bytes;
    int64_t ld;
    OK(twill_map(twill_view_tile(a, i, 0), mode, &bytes, &ld));
    if (mode == TWILL_WRITE)
        *(int64_t *)bytes = number;
    number = *(int64_t *)bytes;
    OK(twill_unmap(twill_view_tile(a, i, 0), bytes));
    return number;
}

/* Tile i of an array whose tiles all belong to `owner`, or to both ranks in turn (-1), is 10 + i.
 */
static twill_array *numbers(twill *tw, int owner)
{
    twill_array *a = NULL;
    twill_pattern pattern =
        twill_pattern_nd(1, (int64_t[]){N}, (int64_t[]){1}, (int64_t[]){owner < 0 ? 2 : 1});
    pattern.first = owner > 0 ? owner : 0;
    OK(twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int64_t), &a));
    for (int64_t i = 0; i < N; i++)
        if (twill_owner_at(a, i, 0) == twill_rank(tw))
            exchange(a, i, TWILL_WRITE, 10 + i);
    return a;
}

static twill *pretend(int rank)
{
    twill *tw = test_start(2, "lws");
    tw->data.rank = rank;
    tw->data.ranks = 2;
    return tw;
}

typedef struct setup {
    twill *tw;
    twill_array *a, *b;
    twill_graph *g;
    atomic_int ran;
} setup;

static void begin(setup *s, int rank, int a_owner, int b_owner)
{
    s->tw = pretend(rank);
    s->a = numbers(s->tw, a_owner);
    s->b = numbers(s->tw, b_owner);
    s->ran = 0;
    OK(twill_origin_new(s->tw, N, s->a, s->b, &s->ran, &s->g));
}

static void end(setup *s)
{
    twill_graph_free(s->g);
    twill_stop(s->tw);
}

static int64_t result(int64_t i)
{
    return 2 * (10 + i + 10 + i) + 10 + N - 1 - i;
}

static void check_results(setup *s)
{
    for (int64_t i = 0; i < N; i++)
        if (twill_owner_at(s->b, i, 0) == twill_rank(s->tw))
            assert_int_equal(exchange(s->b, i, TWILL_READ, 0), result(i));
}

TEST(a_rank_that_owns_all_runs_all)
{
    for (int rank = 0; rank < 2; rank++) {
        setup s;
        begin(&s, rank, rank, rank);
        OK(twill_ptg_run(s.g));
        OK(twill_wait(s.g));
        assert_int_equal(s.ran, 2 * N);
        check_results(&s);
        end(&s);
    }
}

TEST(a_rank_that_owns_nothing_runs_nothing)
{
    for (int rank = 0; rank < 2; rank++) {
        setup s;
        begin(&s, rank, 1 - rank, 1 - rank);
        OK(twill_ptg_run(s.g));
        OK(twill_wait(s.g));
        assert_int_equal(s.ran, 0);
        end(&s);
    }
}

/* ---- tiles of the other rank --------------------------------------------------------------- */

static atomic_int fetched;

/* What the other rank's tile has arrives at once. */
static void fetch(tw_worker *w, tw_ptg_class *c, const int64_t *p, const tw_ptg_origin *o)
{
    tw_ready ready = {0};
    const tw_value *home = &o->tile->value;
    tw_value *v =
        tw_value_new(tw_ptg_cache(c->ptg, w->index), home->rows, home->cols, home->element);
    if (!v || o->rank == c->ptg->rank)
        return;
    int64_t block[TWILL_DIMS];
    tw_tile_block(o->tile, block);
    *(int64_t *)v->host.data = 10 + block[0];
    atomic_fetch_add(&fetched, 1);
    tw_ptg_fetched(w, c, p, o->flow, v, &ready);
    if (ready.n)
        tw_push(w, &ready);
}

static void never_send(twill_task *t, tw_ptg_parts *parts)
{
    (void)t, (void)parts;
    atomic_fetch_add(&fetched, 1000);
}

static const tw_ptg_transport at_once = {.pack = never_send, .send = never_send, .fetch = fetch};

TEST(tiles_of_another_rank_are_fetched_and_counted_as_inputs)
{
    setup s;
    begin(&s, 0, 1, 0);
    ((tw_ptg *)s.g->front)->transport = &at_once;
    for (int run = 0; run < 2; run++) {
        fetched = 0;
        OK(twill_ptg_run(s.g));
        OK(twill_wait(s.g));
        assert_int_equal(fetched, 2 * N);
        assert_int_equal(s.ran, 2 * N * (run + 1));
        if (run == 0)
            check_results(&s);
    }
    end(&s);
}

/* Every second task, with half of the tiles that are not its own's. */
TEST(each_rank_runs_its_own_tasks)
{
    for (int rank = 0; rank < 2; rank++) {
        setup s;
        begin(&s, rank, -1, -1);
        ((tw_ptg *)s.g->front)->transport = &at_once;
        fetched = 0;
        OK(twill_ptg_run(s.g));
        OK(twill_wait(s.g));
        assert_int_equal(s.ran, N);
        assert_int_equal(fetched, N / 2);
        check_results(&s);
        end(&s);
    }
}

TEST(a_tile_that_never_comes_is_named)
{
    setup s;
    begin(&s, 0, 1, 0);
    OK(twill_ptg_run(s.g));
    REFUSED(twill_wait(s.g), TWILL_ERR_STUCK, "waits for Y from a tile of rank 1");
    assert_int_equal(s.ran, 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_that_owns_all_runs_all),
        cmocka_unit_test(a_rank_that_owns_nothing_runs_nothing),
        cmocka_unit_test(tiles_of_another_rank_are_fetched_and_counted_as_inputs),
        cmocka_unit_test(each_rank_runs_its_own_tasks),
        cmocka_unit_test(a_tile_that_never_comes_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
