/* The outputs of every instance of a graph on several ranks: what is listed, what goes to other
 * ranks and what is delivered are the same, each output once and on its rank.
 *
 * One context plays all ranks in turn. Arrivals and stores are written down instead of being done.
 * The graphs are in ranks.jdf and cholesky_modern.jdf. */
#include "support/test.h"

#include "front/ptg/outputs.h"

#include "cholesky_modern.h"
#include "ranks.h"

#include <string.h>

enum { N = 5, ROWS = 2, COLS = 3, RANKS = ROWS * COLS, MOST = 4096 };

void ran(const char *task, int count, ...);
void ran(const char *task, int count, ...)
{
    (void)task, (void)count;
}

/* ---- what is written down ---------------------------------------------------------------- */

/* An output: listed, or delivered. */
typedef struct record {
    int64_t rank;
    const tw_ptg_class *cls; /* NULL: memory */
    int to;
    int64_t p[3];
    const twill_tile *tile;
    const tw_value *value; /* delivered: this one */
    tw_region region;      /* which was so much of the flow */
} record;

typedef struct notes {
    record of[MOST];
    int n;
} notes;

static struct {
    tw_ptg *ptg;
    notes listed, delivered;
} all;

static record *note(notes *to)
{
    assert_true(to->n < MOST);
    record *r = &to->of[to->n++];
    memset(r, 0, sizeof *r);
    return r;
}

twill_task *__wrap_tw_pending_arrive(tw_worker *w, const tw_activation *a, const int64_t *p,
                                     tw_value *v);
twill_task *__wrap_tw_pending_arrive(tw_worker *w, const tw_activation *a, const int64_t *p,
                                     tw_value *v)
{
    record *r = note(&all.delivered);
    r->rank = all.ptg->rank;
    r->cls = a->cls;
    r->to = a->flow;
    memcpy(r->p, p, (size_t)a->cls->cls->parameters * sizeof *p);
    r->value = v && v->whole ? v->whole : v;
    r->region = v ? v->region : 0;
    if (v)
        tw_value_drop(tw_ptg_cache(all.ptg, w->index), v);
    return NULL;
}

const char *__wrap_tw_ptg_store_value(tw_ptg_collector *c, twill_tile *tile, const tw_value *v,
                                      const twill_datatype *type, tw_region *kept);
const char *__wrap_tw_ptg_store_value(tw_ptg_collector *c, twill_tile *tile, const tw_value *v,
                                      const twill_datatype *type, tw_region *kept)
{
    (void)c, (void)type, (void)kept;
    record *r = note(&all.delivered);
    r->rank = all.ptg->rank;
    r->tile = tile;
    r->value = v;
    r->region = v->region;
    return NULL;
}

static void list(const tw_ptg_edge *e, void *arg)
{
    record *r = note(&all.listed);
    (void)arg;
    assert_true(e->rank >= 0 && e->rank < RANKS);
    assert_true(!e->cls == !!e->tile);
    r->rank = e->rank;
    r->cls = e->cls;
    r->to = e->to;
    if (e->cls)
        memcpy(r->p, e->p, (size_t)e->cls->cls->parameters * sizeof *e->p);
    r->tile = e->tile;
    assert_int_equal(e->rank, e->cls ? tw_ptg_rank(e->cls, e->p) : tw_ptg_owner(e->tile));
}

static bool is_same(const record *a, const record *b)
{
    return a->rank == b->rank && a->cls == b->cls && a->to == b->to &&
           memcmp(a->p, b->p, sizeof a->p) == 0 && a->tile == b->tile;
}

static int times(const notes *in, const record *r)
{
    int n = 0;
    for (int i = 0; i < in->n; i++)
        n += is_same(&in->of[i], r);
    return n;
}

/* ---- all instances of a graph ------------------------------------------------------------- */

typedef void on_instance(tw_ptg_class *c, const int64_t *p);

static int each_instance(const tw_ptg *ptg, on_instance *act)
{
    int found = 0;
    for (int i = 0; i < ptg->definition->classes; i++) {
        tw_ptg_class *c = &ptg->classes[i];
        int64_t p[3], n = 1;
        for (int d = 0; d < c->cls->parameters; d++)
            n *= N;
        for (int64_t k = 0; k < n; k++) {
            p[0] = k % N;
            p[1] = k / N % N;
            p[2] = k / N / N;
            if (c->cls->inputs(ptg->globals, p) < 0)
                continue;
            found++;
            act(c, p);
        }
    }
    return found;
}

static twill_array *create(twill *tw)
{
    twill_array *a = NULL;
    twill_pattern pattern = twill_block_cyclic(2 * N, 2 * N, 2, 2, ROWS, COLS);
    OK(twill_array_create(tw, &pattern, TWILL_BYTES, sizeof(int64_t), &a));
    return a;
}

static void with_graphs(void (*test)(twill *tw, int instances_wanted))
{
    static const twill_datatype lower = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_LOWER,
                                         .rows = 2,
                                         .cols = 2,
                                         .element = sizeof(int64_t)};
    static const twill_datatype upper = {.size = sizeof(twill_datatype),
                                         .region = TWILL_REGION_STRICTLY_UPPER};
    for (int which = 0; which < 2; which++) {
        twill_graph *g;
        twill *tw = test_start(1, "lws");
        tw->data.ranks = RANKS;
        if (which == 0)
            OK(twill_ranks_new(tw, N, create(tw), create(tw), create(tw), &lower, &upper, &g));
        else
            OK(twill_cholesky_modern_new(tw, N, create(tw), &g));
        all.ptg = g->front;
        test(tw, which == 0 ? 3 * N * N : 35);
        all.ptg->rank = 0;
        twill_graph_free(g);
        twill_stop(tw);
    }
}

/* ---- destinations ------------------------------------------------------------------------- */

static void count_parts(const tw_ptg_parts *parts, int64_t rank, int *tasks, int *tiles)
{
    *tasks = *tiles = 0;
    for (int i = 0; i < parts->n; i++)
        if (parts->part[i].rank == rank) {
            *tasks += (int)parts->part[i].tasks;
            *tiles += (int)parts->part[i].tiles;
        }
}

static void count_listed(int64_t rank, int *tasks, int *tiles)
{
    *tasks = *tiles = 0;
    for (int i = 0; i < all.listed.n; i++)
        if (all.listed.of[i].rank == rank) {
            *tasks += all.listed.of[i].cls != NULL;
            *tiles += all.listed.of[i].cls == NULL;
        }
}

static bool same_part(const tw_ptg_part *a, const tw_ptg_part *b)
{
    return a->rank == b->rank && a->flow == b->flow && a->control == b->control &&
           a->typed == b->typed && (!a->typed || tw_ptg_same_type(&a->type, &b->type)) &&
           a->tasks == b->tasks && a->tiles == b->tiles;
}

/* What goes to a rank, as the receiver finds it: the same list. */
static void check_receiver(const tw_ptg_class *c, const int64_t *p, const tw_ptg_parts *sent,
                           int64_t rank)
{
    tw_ptg_parts expected = {0};
    uint32_t flows = 0;
    int first = 0;
    while (first < sent->n && sent->part[first].rank < rank)
        first++;
    all.ptg->rank = (int)rank;
    assert_true(tw_ptg_destinations(c, p, rank, &expected));
    for (int i = 0; i < expected.n; i++) {
        assert_true(first + i < sent->n);
        assert_true(same_part(&sent->part[first + i], &expected.part[i]));
        flows |= 1U << expected.part[i].flow;
    }
    assert_true(first + expected.n == sent->n || sent->part[first + expected.n].rank > rank);
    assert_int_equal(tw_ptg_flows_to(sent, rank), flows);
    tw_ptg_parts_free(&expected);
}

static void carries_once(const tw_ptg_edge *e, void *arg)
{
    const tw_ptg_parts *parts = arg;
    int n = 0;
    for (int i = 0; i < parts->n; i++)
        n += tw_ptg_part_carries(&parts->part[i], e);
    assert_int_equal(n, e->rank != all.ptg->rank);
}

static void check_destinations(tw_ptg_class *c, const int64_t *p)
{
    tw_ptg_parts parts = {0};
    int64_t here = tw_ptg_rank(c, p);
    int tasks, tiles, listed_tasks, listed_tiles;
    all.listed.n = 0;
    all.ptg->rank = (int)here;
    tw_ptg_each_output(c, p, list, NULL);
    assert_true(tw_ptg_destinations(c, p, TW_PTG_OTHERS, &parts));
    tw_ptg_each_output(c, p, carries_once, &parts);
    for (int64_t rank = 0; rank < RANKS; rank++) {
        count_parts(&parts, rank, &tasks, &tiles);
        count_listed(rank, &listed_tasks, &listed_tiles);
        assert_int_equal(tasks, rank == here ? 0 : listed_tasks);
        assert_int_equal(tiles, rank == here ? 0 : listed_tiles);
        if (rank != here)
            check_receiver(c, p, &parts, rank);
    }
    tw_ptg_parts_free(&parts);
}

static void test_destinations(twill *tw, int wanted)
{
    (void)tw;
    assert_int_equal(each_instance(all.ptg, check_destinations), wanted);
}

TEST(destinations_are_the_ranks_of_what_is_listed)
{
    with_graphs(test_destinations);
}

/* ---- delivery ------------------------------------------------------------------------------ */

static tw_value *new_value(tw_worker *w)
{
    tw_value *v = tw_value_new(tw_ptg_cache(all.ptg, w->index), 2, 2, sizeof(int64_t));
    assert_non_null(v);
    return v;
}

/* What a part carries, as it would come out of a message: all of its region. R of GEN has no data.
 */
static tw_value *value_of_part(tw_worker *w, const tw_ptg_class *c, const tw_ptg_part *part)
{
    if (part->control || strcmp(c->cls->flow[part->flow].name, "R") == 0)
        return NULL;
    tw_value *v = new_value(w);
    if (part->typed)
        v->region = (uint8_t)tw_ptg_region(&part->type);
    return v;
}

static tw_worker *releasing;

static void pack_nothing(twill_task *t, tw_ptg_parts *parts)
{
    (void)t, (void)parts;
}

/* Whoever hears of a task finds what it has stored on its rank. */
static void check_stored(void)
{
    for (int i = 0; i < all.listed.n; i++) {
        const record *r = &all.listed.of[i];
        if (r->tile && r->rank == all.ptg->rank)
            assert_int_equal(times(&all.delivered, r), 1);
    }
}

/* To each rank at once; every second one gets its parts one by one. */
static void transport(twill_task *t, tw_ptg_parts *parts)
{
    int here = all.ptg->rank, last, ranks = 0;
    tw_worker *w = releasing;
    if (parts->only != TW_PTG_TILES)
        check_stored();
    for (int first = 0; first < parts->n; first = last) {
        tw_ready ready = {0};
        tw_value *value[64];
        const tw_ptg_part *part = &parts->part[first];
        for (last = first; last < parts->n && parts->part[last].rank == part->rank; last++)
            value[last - first] = value_of_part(w, tw_ptg_class_of(t), &parts->part[last]);
        all.ptg->rank = (int)part->rank;
        int step = part->rank % 2 ? 1 : last - first;
        for (int i = 0; i < last - first; i += step)
            tw_ptg_arrive(w, tw_ptg_class_of(t), tw_ptg_words(t), part + i, value + i, step,
                          &ready);
        assert_int_equal(ready.n, 0);
        ranks++;
    }
    all.ptg->rank = here;
    while (parts->only == TW_PTG_TILES && ranks-- > 0)
        tw_ptg_stored(w, all.ptg, t, &(tw_ready){0});
}

static void release(tw_ptg_class *c, const int64_t *p)
{
    tw_ready ready = {0};
    all.ptg->rank = (int)tw_ptg_rank(c, p);
    twill_task *t = tw_ptg_make(releasing, c, p);
    assert_non_null(t);
    for (int f = 0; f < c->cls->flows; f++)
        if (c->cls->flow[f].mode != TWILL_FLOW_CTL)
            tw_ptg_values(t)[f] = new_value(releasing);
    tw_ptg_release(releasing, t, 0, &ready);
    tw_task_put(releasing, t);
    assert_int_equal(ready.n, 0);
}

static void check_release(tw_ptg_class *c, const int64_t *p)
{
    all.listed.n = all.delivered.n = 0;
    tw_ptg_each_output(c, p, list, NULL);
    release(c, p);
    assert_int_equal(all.delivered.n, all.listed.n);
    for (int i = 0; i < all.listed.n; i++) {
        assert_int_equal(times(&all.listed, &all.listed.of[i]), 1);
        assert_int_equal(times(&all.delivered, &all.listed.of[i]), 1);
    }
    for (int i = 0; i < all.delivered.n; i++) {
        const record *r = &all.delivered.of[i];
        bool control = r->cls && r->cls->cls->flow[r->to].mode == TWILL_FLOW_CTL;
        bool empty = r->cls && strcmp(r->cls->cls->flow[r->to].name, "R") == 0;
        assert_true(!r->value == control);
        assert_true((r->value == &all.ptg->nothing) == (empty && r->rank != all.ptg->rank));
    }
    assert_int_equal(all.ptg->nothing.refs, 1);
}

static void test_delivery(twill *tw, int wanted)
{
    static const tw_ptg_transport direct = {.pack = pack_nothing, .send = transport};
    all.ptg->transport = &direct;
    releasing = tw_enter(tw);
    assert_int_equal(each_instance(all.ptg, check_release), wanted);
    tw_exit(releasing);
}

TEST(every_output_is_delivered_once_and_on_its_rank)
{
    with_graphs(test_delivery);
}

/* ---- without memory ------------------------------------------------------------------------ */

static bool refusing;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
    return refusing ? NULL : __real_malloc(size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    return refusing ? NULL : __real_realloc(old, size);
}

static void count_sent(twill_task *t, tw_ptg_parts *parts)
{
    (void)t, (void)parts;
    all.delivered.n += 1000;
}

static void test_without_memory(twill *tw, int wanted)
{
    static const tw_ptg_transport counting = {.pack = count_sent, .send = count_sent};
    tw_ptg_class *first = &all.ptg->classes[0];
    int64_t p[3] = {0};
    tw_ptg_parts parts = {0};
    if (wanted != 3 * N * N)
        return;
    /* one with so many parts that they need memory */
    for (int64_t at = 0; parts.n <= TW_PTG_FEW && at < N * N; at++) {
        p[0] = at % N;
        p[1] = at / N;
        assert_true(tw_ptg_destinations(first, p, TW_PTG_OTHERS, &parts));
    }
    assert_true(parts.n > TW_PTG_FEW);
    tw_ptg_parts_free(&parts);
    refusing = true;
    assert_false(tw_ptg_destinations(first, p, TW_PTG_OTHERS, &parts));
    refusing = false;
    assert_true(tw_ptg_destinations(first, p, TW_PTG_OTHERS, &parts));
    assert_true(parts.n > 0);
    tw_ptg_parts_free(&parts);
    all.ptg->transport = &counting;
    all.delivered.n = 0;
    releasing = tw_enter(tw);
    refusing = true;
    release(first, p);
    refusing = false;
    tw_exit(releasing);
    assert_true(all.delivered.n < 1000);
    assert_true(tw_graph_failed(all.ptg->graph));
}

TEST(without_memory_the_graph_fails_and_nothing_is_sent)
{
    with_graphs(test_without_memory);
}

/* ---- regions ------------------------------------------------------------------------------- */

/* What arrives at a flow of ROW(1, j), or is stored: so much within a rank, so much between. */
static void check_region(tw_ptg_class *gen, int64_t j, int to, tw_region near, tw_region far)
{
    int seen[2] = {0};
    const int64_t p[] = {1, j};
    int64_t here = tw_ptg_rank(gen, p);
    all.delivered.n = all.listed.n = 0;
    release(gen, p);
    for (int i = 0; i < all.delivered.n; i++) {
        const record *r = &all.delivered.of[i];
        if (to < 0 ? r->cls != NULL : !r->cls || r->to != to)
            continue;
        seen[r->rank != here]++;
        assert_int_equal(r->region, r->rank == here ? near : far);
    }
    assert_true(seen[0] + seen[1] > 0);
}

static void test_regions(twill *tw, int wanted)
{
    static const tw_ptg_transport direct = {.pack = pack_nothing, .send = transport};
    if (wanted != 3 * N * N)
        return;
    tw_ptg_class *gen = &all.ptg->classes[0];
    all.ptg->transport = &direct;
    releasing = tw_enter(tw);
    check_region(gen, 0, 0, TW_FULL, TW_FULL);
    check_region(gen, 1, 1, TW_LOWER_PART, TW_LOWER_PART);
    check_region(gen, 2, 2, TW_LOWER_PART, TW_ABOVE);
    check_region(gen, 3, 3, TW_FULL, TW_ABOVE);
    check_region(gen, 4, -1, TW_FULL, TW_LOWER_PART);
    tw_exit(releasing);
}

TEST(regions_within_a_rank_and_between_ranks_are_those_of_the_file)
{
    with_graphs(test_regions);
}

/* ---- what is taken from memory ------------------------------------------------------------- */

static void note_origin(const tw_ptg_origin *o, void *arg)
{
    (void)arg;
    record *r = note(&all.listed);
    r->rank = o->rank;
    r->to = o->flow;
    r->tile = o->tile;
    assert_int_equal(o->rank, tw_ptg_owner(o->tile));
}

static void check_origins(tw_ptg_class *c, const int64_t *p)
{
    int elsewhere = 0;
    all.listed.n = 0;
    tw_ptg_each_origin(c, p, note_origin, NULL);
    for (int rank = 0; rank < RANKS; rank++) {
        all.ptg->rank = rank;
        elsewhere = 0;
        for (int i = 0; i < all.listed.n; i++)
            elsewhere += all.listed.of[i].rank != rank;
        assert_int_equal(tw_ptg_remote_origins(c, p), elsewhere);
    }
    if (strcmp(c->cls->name, "ROW") == 0) {
        assert_int_equal(all.listed.n, 1);
        assert_int_equal(all.listed.of[0].to, 4);
    } else if (strcmp(c->cls->name, "GEN") == 0) {
        assert_int_equal(all.listed.n, 1 + (p[0] > p[1]));
    }
}

static void test_origins(twill *tw, int wanted)
{
    (void)tw;
    assert_int_equal(each_instance(all.ptg, check_origins), wanted);
}

TEST(tiles_that_are_taken_are_listed_with_their_owners)
{
    with_graphs(test_origins);
}

TEST(classes_are_found_by_their_numbers)
{
    twill *tw = test_start(1, "lws");
    twill_graph *g, *other;
    OK(twill_cholesky_modern_new(tw, N, test_integers(tw, N), &g));
    OK(twill_stf_begin(tw, &other));
    assert_string_equal(tw_ptg_class_number(g, 3)->cls->name, "GEMM");
    assert_null(tw_ptg_class_number(g, 4));
    assert_null(tw_ptg_class_number(g, -1));
    assert_null(tw_ptg_class_number(other, 0));
    twill_graph_free(g);
    twill_graph_free(other);
    twill_stop(tw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destinations_are_the_ranks_of_what_is_listed),
        cmocka_unit_test(every_output_is_delivered_once_and_on_its_rank),
        cmocka_unit_test(without_memory_the_graph_fails_and_nothing_is_sent),
        cmocka_unit_test(regions_within_a_rank_and_between_ranks_are_those_of_the_file),
        cmocka_unit_test(tiles_that_are_taken_are_listed_with_their_owners),
        cmocka_unit_test(classes_are_found_by_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
