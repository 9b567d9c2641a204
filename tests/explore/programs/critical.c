/* A critical set that changes: a path of tasks beside others, while another thread changes mode and
 * size, and somebody waits or nobody does. Every task runs once, those of the path in order, teams
 * with each rank once. */
#include "_common.h"

enum { LENGTH = 4, SIDES = 2, CHANGES = 3, MOST = 16 };
static atomic_int next_place, ranks[LENGTH][MOST], begun[LENGTH], path[LENGTH],
    sides[LENGTH * SIDES];

static void at(int place)
{
    must(atomic_fetch_add(&next_place, 1) == place, "a task of the path is out of order");
    atomic_fetch_add(&path[place], 1);
    progress();
}

static twill_outcome alone(twill_task *t)
{
    at((int)twill_task_int(t, 0));
    return TWILL_DONE;
}

static twill_outcome together(twill_task *t, twill_team *team)
{
    int place = (int)twill_task_int(t, 0);
    must(atomic_fetch_add(&ranks[place][twill_team_rank(team)], 1) == 0, "a rank ran twice");
    atomic_fetch_add(&begun[place], 1);
    twill_team_barrier(team);
    must(begun[place] == twill_team_size(team), "somebody passed the barrier too early");
    if (twill_team_rank(team) == 0)
        at(place);
    return TWILL_DONE;
}

static twill_outcome side(twill_task *t)
{
    atomic_fetch_add(&sides[twill_task_int(t, 0)], 1);
    progress();
    return TWILL_DONE;
}

static const twill_class critical = {.size = sizeof(twill_class),
                                     .name = "critical",
                                     .chores = {TWILL_CPU(alone), TWILL_TEAM(together, 0)}};
static const twill_class ordinary = {
    .size = sizeof(twill_class), .name = "ordinary", .chores = {TWILL_CPU(side)}};

static void *change(void *arg)
{
    static const int sizes[] = {2, 0, 3, 1};
    for (int i = 0; i < CHANGES; i++) {
        const twill_critical wanted = {.size = sizeof wanted,
                                       .mode = (twill_mode)draw(4),
                                       .reserved = (int)draw(4),
                                       .prescribed = sizes,
                                       .prescribed_count = 1 + draw(4)};
        succeed(twill_critical_set(arg, &wanted), "twill_critical_set");
    }
    return NULL;
}

static twill_graph *build(twill *tw)
{
    twill_graph *g = NULL;
    int64_t before = -1, node, next;
    succeed(twill_dag_begin(tw, &g), "twill_dag_begin");
    for (int i = 0; i < LENGTH; i++) {
        succeed(twill_dag_add(g, &next, &critical, TWILL_INT(i), TWILL_CRITICAL), "twill_dag_add");
        if (before >= 0)
            succeed(twill_dag_edge(g, before, next), "twill_dag_edge");
        for (int k = 0; k < SIDES; k++) {
            succeed(twill_dag_add(g, &node, &ordinary, TWILL_INT(i * SIDES + k)), "twill_dag_add");
            succeed(twill_dag_edge(g, next, node), "twill_dag_edge");
        }
        before = next;
    }
    return g;
}

int main(void)
{
    static const char *const modes[] = {"regular", "fixed", "adaptive"};
    twill *tw = start_with((twill_options){.mode = modes[draw(3)]});
    twill_graph *g = build(tw);
    pthread_t changer = thread(change, tw);
    succeed(twill_dag_run(g), "twill_dag_run");
    int64_t added, done;
    for (int i = 0, looks = (int)draw(50); i < looks; i++) /* nobody waits yet */
        twill_graph_progress(g, &added, &done);
    succeed(twill_wait(g), "twill_wait");
    pthread_join(changer, NULL);
    each_once(path, LENGTH);
    each_once(sides, LENGTH * SIDES);
    twill_stop(tw);
    return 0;
}
