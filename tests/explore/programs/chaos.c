/* Everything at once: threads that insert tasks of all kinds, wait, map, cancel, run explicit
 * graphs, ask for reports and free arrays, in an order that belongs to the seed. Without failures
 * each task runs once; with them nothing hangs and nothing refuses data in the end. */
#include "_common.h"

enum { GRAPHS = 2, TILES = 3, USERS = 2, OPERATIONS = 4, MOST = 16, LARGE = 1200 };
static twill *tw;
static twill_graph *graph[GRAPHS], *dag;
static twill_array *a;
static atomic_int ran, inserted, stop, nodes, runs;
static _Atomic(twill_task *) left[MOST];
static bool fails;

static twill_tile *any_tile(void)
{
    return twill_tile_at(a, (int64_t)draw(TILES), 0);
}

static twill_outcome ran_once(void)
{
    atomic_fetch_add(&ran, 1);
    progress();
    return TWILL_DONE;
}

static twill_outcome plain_body(twill_task *t)
{
    (void)t;
    return ran_once();
}

static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(plain_body)}};

static twill_outcome again_body(twill_task *t)
{
    progress();
    return draw(2) ? TWILL_AGAIN : plain_body(t);
}

static const twill_class again = {
    .size = sizeof(twill_class), .name = "again", .chores = {TWILL_CPU(again_body)}};

static twill_outcome async_body(twill_task *t)
{
    if (draw(3) == 0)
        return TWILL_AGAIN;
    ran_once();
    for (int i = 0; i < MOST; i++) {
        twill_task *none = NULL;
        if (atomic_compare_exchange_strong(&left[i], &none, t))
            return TWILL_ASYNC;
    }
    return TWILL_DONE;
}

static const twill_class async = {
    .size = sizeof(twill_class), .name = "async", .chores = {TWILL_CPU(async_body)}};

static twill_outcome insert_body(twill_task *t)
{
    if (twill_insert(twill_task_graph(t), draw(2) ? &again : &async, TWILL_INT(0)) == TWILL_OK)
        atomic_fetch_add(&inserted, 1);
    if (draw(4) == 0)
        twill_describe(tw, NULL, 0);
    return ran_once();
}

static const twill_class inserts = {
    .size = sizeof(twill_class), .name = "inserts", .chores = {TWILL_CPU(insert_body)}};

static twill_outcome fail_body(twill_task *t)
{
    ran_once();
    return fails ? twill_task_fail(t, "planted") : TWILL_DONE;
}

static const twill_class bad = {
    .size = sizeof(twill_class), .name = "bad", .chores = {TWILL_CPU(fail_body)}};

static twill_outcome team_body(twill_task *t, twill_team *team)
{
    (void)t;
    twill_team_barrier(team);
    if (twill_team_rank(team) == 0)
        ran_once();
    return TWILL_DONE;
}

static const twill_class team = {
    .size = sizeof(twill_class), .name = "team", .chores = {TWILL_TEAM(team_body, 2)}};

static twill_outcome nest_body(twill_task *t)
{
    twill_graph *g;
    if (draw(3) == 0)
        return TWILL_AGAIN;
    ran_once();
    if (twill_nest(t, &g) != TWILL_OK)
        return TWILL_ERROR;
    static const twill_class *const kinds[] = {&plain, &again, &async, &inserts, &bad, &team};
    for (unsigned n = draw(3); n > 0; n--)
        if (twill_insert(g, kinds[draw(6)], TWILL_INT(0)) == TWILL_OK)
            atomic_fetch_add(&inserted, 1);
    return twill_nest_end(g);
}

static const twill_class nest = {
    .size = sizeof(twill_class), .name = "nest", .chores = {TWILL_CPU(nest_body)}};

static twill_outcome node_body(twill_task *t)
{
    (void)t;
    if (draw(4) == 0)
        return TWILL_AGAIN;
    atomic_fetch_add(&nodes, 1);
    progress();
    return TWILL_DONE;
}

static const twill_class node = {
    .size = sizeof(twill_class), .name = "node", .chores = {TWILL_CPU(node_body)}};

static void *complete(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        for (int i = 0; i < MOST; i++) {
            twill_task *t = atomic_exchange(&left[i], NULL);
            if (t)
                twill_task_done(t, fails && draw(4) == 0 ? TWILL_ERR_TASK : TWILL_OK);
        }
        nap_ns(2000);
    }
    return NULL;
}

static void insert_one(twill_graph *g)
{
    static const twill_class *const kinds[] = {&plain, &again, &async, &inserts,
                                               &bad,   &team,  &nest};
    static char large[LARGE];
    const twill_class *cls = kinds[draw(7)];
    twill_arg size = draw(2) ? TWILL_INT(0) : TWILL_VALUE(large);
    twill_tile *x = any_tile(), *y = any_tile();
    twill_arg first = draw(2) ? TWILL_RW(x) : draw(2) ? TWILL_COMMUTE(x) : TWILL_W(x);
    twill_status status =
        draw(3) ? twill_insert(g, cls, size, first, TWILL_R(y)) : twill_insert(g, cls, size);
    must(status == TWILL_OK || fails, "twill_insert");
    if (status == TWILL_OK)
        atomic_fetch_add(&inserted, 1);
}

static void map_one(void)
{
    void *data;
    int64_t ld;
    twill_view v = twill_view_tile(a, (int64_t)draw(TILES), 0);
    twill_status status = twill_map(v, draw(2) ? TWILL_READ : TWILL_READ_WRITE, &data, &ld);
    must(status == TWILL_OK || fails, "twill_map");
    if (status == TWILL_OK)
        succeed(twill_unmap(v, data), "twill_unmap");
}

static void use_own_array(twill_graph *g)
{
    twill_array *own = integers(tw, 1);
    if (twill_insert(g, &again, TWILL_RW(twill_tile_at(own, 0, 0)), TWILL_R(any_tile())) ==
        TWILL_OK)
        atomic_fetch_add(&inserted, 1);
    twill_array_free(own);
}

static void do_one(void)
{
    twill_graph *g = graph[draw(GRAPHS)];
    switch (draw(9)) {
    case 0:
        must(twill_wait(g) == TWILL_OK || fails, "twill_wait");
        break;
    case 1:
        twill_describe(tw, NULL, 0);
        break;
    case 2:
        map_one();
        break;
    case 3:
        use_own_array(g);
        break;
    case 4:
        if (twill_dag_run(dag) == TWILL_OK)
            atomic_fetch_add(&runs, 1);
        break;
    case 5:
        if (fails && draw(2))
            twill_cancel(draw(3) ? g : dag);
        break;
    default:
        insert_one(g);
    }
}

static void *use(void *arg)
{
    for (int i = 0; i < OPERATIONS; i++)
        do_one();
    return arg;
}

static void make_dag(void)
{
    succeed(twill_dag_begin(tw, &dag), "twill_dag_begin");
    for (int i = 0; i < 3; i++)
        succeed(twill_dag_add(dag, NULL, &node, TWILL_RW(twill_tile_at(a, i % TILES, 0))),
                "twill_dag_add");
    succeed(twill_dag_edge(dag, 0, 1), "twill_dag_edge");
}

static void check(void)
{
    for (int i = 0; i < GRAPHS; i++)
        must(twill_wait(graph[i]) == TWILL_OK || fails, "twill_wait");
    for (int i = 0; i < GRAPHS; i++)
        twill_wait(graph[i]); /* canceled because of the other one */
    must(twill_wait(dag) == TWILL_OK || fails, "twill_wait");
    if (!fails) {
        must(ran == inserted, "a task did not run once");
        must(nodes == 3 * runs, "a run did not run all tasks");
    }
    fails = false;
    for (int i = 0; i < TILES; i++)
        read_integer(a, i);
    succeed(twill_dag_run(dag), "the last run");
    succeed(twill_wait(dag), "the last wait");
}

int main(void)
{
    twill_options o = {.size = sizeof(twill_options), .window = 1 + (int64_t)draw(8)};
    tw = start_with(o);
    fails = draw(2);
    a = integers(tw, TILES);
    for (int i = 0; i < GRAPHS; i++)
        graph[i] = begin(tw);
    make_dag();
    pthread_t completer = thread(complete, NULL), user[USERS];
    for (int i = 0; i < USERS; i++)
        user[i] = thread(use, NULL);
    use(NULL);
    for (int i = 0; i < USERS; i++)
        pthread_join(user[i], NULL);
    check();
    atomic_store(&stop, 1);
    pthread_join(completer, NULL);
    twill_stop(tw);
    return 0;
}
