/* A program that is compiled once, with the kept headers, and must work with every later library
 * of the same ABI: it uses each struct that may grow, and looks whether anything was written behind
 * those that it gives away. What it prints is the same in every run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twill/twill.h>

static int mistakes;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    mistakes++;
    printf("WRONG: %s (last message: %s)\n", what, twill_message());
}

#define OK(call) expect((call) == TWILL_OK, #call)

/* A struct of the program with a strip behind it that nobody may touch. */
enum { STRIP = 256, MARK = 0x5a };
#define GUARDED(type)      \
    struct {               \
        type it;           \
        char strip[STRIP]; \
    }
#define PREPARE(g) (memset(&(g), MARK, sizeof(g)), (g).it.size = sizeof((g).it))
#define FILLED(g, call) \
    (PREPARE(g),        \
     expect((call) == TWILL_OK && is_whole((g).strip, sizeof((g).it), (g).it.size), #call))

static bool is_whole(const char *strip, size_t size, size_t said)
{
    for (int i = 0; i < STRIP; i++)
        if (strip[i] != MARK)
            return false;
    return size == said;
}

/* ---- a scheduler: one list for all, oldest first ----------------------------------------- */

typedef struct line {
    pthread_mutex_t mutex;
    twill_item *head, **tail;
} line;

static twill_status line_open(const twill_sched_env *env, void **state)
{
    line *l = malloc(sizeof *l);
    expect(env->size >= sizeof *env && env->workers == 2 && env->engine && env->seed == 77 &&
               env->neighbours(env, 0)[0] == 1 && env->cost(env, NULL, 0) == 0.0,
           "what the scheduler is told");
    if (!l)
        return TWILL_ERR_MEMORY;
    pthread_mutex_init(&l->mutex, NULL);
    l->head = NULL;
    l->tail = &l->head;
    *state = l;
    return TWILL_OK;
}

static void line_close(void *state)
{
    pthread_mutex_destroy(&((line *)state)->mutex);
    free(state);
}

static int line_push(void *state, int worker, twill_item *list, int n, bool soon)
{
    line *l = state;
    (void)worker, (void)soon;
    pthread_mutex_lock(&l->mutex);
    *l->tail = list;
    while (*l->tail)
        l->tail = &(*l->tail)->next;
    pthread_mutex_unlock(&l->mutex);
    return n;
}

static twill_item *line_pop(void *state, int worker)
{
    line *l = state;
    (void)worker;
    pthread_mutex_lock(&l->mutex);
    twill_item *item = l->head;
    if (item && !(l->head = item->next))
        l->tail = &l->head;
    pthread_mutex_unlock(&l->mutex);
    return item;
}

static const twill_sched_ops in_line = {.size = sizeof(twill_sched_ops),
                                        .name = "line",
                                        .about = "one list for all, oldest first",
                                        .open = line_open,
                                        .close = line_close,
                                        .push = line_push,
                                        .pop = line_pop};

/* ---- classes ------------------------------------------------------------------------------ */

static twill_outcome add_body(twill_task *t)
{
    *(double *)twill_task_data(t, 0) += (double)twill_task_int(t, 1);
    return TWILL_DONE;
}

static twill_outcome add_team(twill_task *t, twill_team *team)
{
    twill_team_barrier(team);
    return twill_team_rank(team) == 0 ? add_body(t) : TWILL_DONE;
}

static void add_about(const twill_task *t, twill_about *about)
{
    expect(about->size >= sizeof *about, "what describe is given");
    about->parameters = 1;
    about->parameter[0] = twill_task_int(t, 1);
    about->flops = 1;
}

static const twill_class add = {.size = sizeof(twill_class),
                                .name = "add",
                                .chores = {TWILL_TEAM(add_team, 2), TWILL_CPU(add_body)},
                                .parameters = "n",
                                .describe = add_about};
static const twill_class plain = {
    .size = sizeof(twill_class), .name = "plain", .chores = {TWILL_CPU(add_body)}};

static void zero(void *into, int64_t rows, int64_t cols, int64_t ld)
{
    (void)rows, (void)cols, (void)ld;
    *(double *)into = 0;
}

static void combine(void *into, int64_t ld_into, const void *from, int64_t ld_from, int64_t rows,
                    int64_t cols)
{
    (void)ld_into, (void)ld_from, (void)rows, (void)cols;
    *(double *)into += *(const double *)from;
}

static const twill_reduction sum = {
    .size = sizeof(twill_reduction), .name = "sum", .zero = zero, .combine = combine};

static double value_of(twill_array *a, int64_t i, int64_t j)
{
    twill_view v = twill_view_tile(a, i, j);
    void *data = NULL;
    int64_t ld;
    OK(twill_map(v, TWILL_READ, &data, &ld));
    double x = data ? *(double *)data : -1;
    OK(twill_unmap(v, data));
    return x;
}

static void run_stf(twill *tw)
{
    twill_graph *g;
    twill_array *a;
    twill_pattern pattern = twill_tiled(2, 1, 1, 1);
    OK(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a));
    OK(twill_stf_begin(tw, &g));
    for (int i = 1; i <= 10; i++) {
        OK(twill_insert(g, i % 2 ? &add : &plain, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(i)));
        OK(twill_insert(g, &plain, TWILL_REDUCE(twill_tile_at(a, 1, 0), &sum), TWILL_INT(i)));
    }
    OK(twill_wait(g));
    printf("stf %g %g\n", value_of(a, 0, 0), value_of(a, 1, 0));
    twill_graph_free(g);
    twill_array_free(a);
}

static void run_dag(twill *tw)
{
    twill_graph *g;
    twill_array *a;
    twill_pattern pattern = twill_tiled(1, 1, 1, 1);
    int64_t first, second;
    OK(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a));
    OK(twill_dag_begin(tw, &g));
    OK(twill_dag_add(g, &first, &plain, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(1)));
    OK(twill_dag_add(g, &second, &add, TWILL_RW(twill_tile_at(a, 0, 0)), TWILL_INT(2)));
    OK(twill_dag_edge(g, first, second));
    for (int i = 0; i < 3; i++) {
        OK(twill_dag_run(g));
        OK(twill_wait(g));
    }
    printf("dag %g\n", value_of(a, 0, 0));
    twill_graph_free(g);
}

/* ---- a parameterised graph: Pascal's triangle, and a column of each tile that goes home ---- */

enum { N = 9 };
enum { ABOVE, LEFT, MINE };

typedef struct globals {
    twill_array *a;
    const twill_datatype *column;
} globals;

static int64_t inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] < 0 || p[0] >= N || p[1] < 0 || p[1] >= N ? -1 : (p[0] > 0) + (p[1] > 0);
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = p[1] = 0;
    return first;
}

static void bind(twill_ptg_inputs *in, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    twill_ptg_memory(in, MINE, twill_tile_at(g->a, p[0], p[1]));
}

static void release(twill_ptg_outputs *out, const void *globals_, const int64_t *p)
{
    const globals *g = globals_;
    twill_datatype made = {.size = sizeof made};
    twill_ptg_output(out, MINE);
    if (p[0] < N - 1)
        twill_ptg_send(out, 0, ABOVE, (const int64_t[]){p[0] + 1, p[1]});
    if (p[1] < N - 1)
        twill_ptg_send_region(out, 0, LEFT, (const int64_t[]){p[0], p[1] + 1}, g->column);
    twill_ptg_store(out, twill_tile_at(g->a, p[0], p[1]),
                    twill_datatype_at(&made, g->column, 1, 0));
}

static twill_outcome pascal_body(twill_task *t, const void *g, const int64_t *p,
                                 const twill_flow *flow)
{
    (void)t, (void)g;
    double *mine = flow[MINE].data;
    const double *above = flow[ABOVE].data, *left = flow[LEFT].data;
    *mine = p[0] && p[1] ? *above + *left : 1;
    return TWILL_DONE;
}

static const twill_ptg_class pascal_class = {
    .size = sizeof(twill_ptg_class),
    .name = "PASCAL",
    .parameters = 2,
    .flows = 3,
    .parameter = (const char *const[]){"i", "j"},
    .flow = (const twill_ptg_flow[]){{.name = "above", .mode = TWILL_FLOW_READ},
                                     {.name = "left", .mode = TWILL_FLOW_READ},
                                     {.name = "mine", .mode = TWILL_FLOW_READ_WRITE}},
    .inputs = inputs,
    .startup = startup,
    .bind = bind,
    .release = release,
    .chores = {TWILL_CPU(pascal_body)}};

static const twill_ptg_graph pascal = {
    .size = sizeof(twill_ptg_graph),
    .name = "pascal",
    .classes = 1,
    .collections = 1,
    .cls = (const twill_ptg_class *const[]){&pascal_class},
    .collection = (const twill_ptg_collection[]){
        {.name = "A", .offset = offsetof(globals, a), .access = TWILL_READ_WRITE}}};

static void run_ptg(twill *tw)
{
    static const twill_datatype column = {.size = sizeof(twill_datatype), .col = {.count = 1}};
    twill_pattern pattern = twill_tiled(2 * N, 2 * N, 2, 2);
    globals g = {.column = &column};
    twill_graph *graph;
    OK(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &g.a));
    OK(twill_ptg_new(tw, &pascal, &g, sizeof g, &graph));
    OK(twill_ptg_run(graph));
    OK(twill_wait(graph));
    printf("ptg %g\n", value_of(g.a, N - 1, N - 1));
    twill_graph_free(graph);
}

static void run_la(twill *tw)
{
    twill_la_options options = {.size = sizeof options, .no_priority = true, .lookahead = 2};
    twill_array *a, *f;
    twill_graph *g;
    twill_pattern pattern = twill_tiled(100, 100, 32, 32);
    double ratio = 1e9;
    OK(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &a));
    OK(twill_array_create(tw, &pattern, TWILL_FLOAT64, 0, &f));
    OK(twill_fill_spd(a, 42));
    OK(twill_copy(a, f));
    OK(twill_stf_begin(tw, &g));
    OK(twill_potrf_insert(g, TWILL_LOWER, f, &options));
    OK(twill_wait(g));
    OK(twill_potrf_residual(TWILL_LOWER, a, f, &ratio));
    printf("la %s\n", ratio < 30 ? "good" : "bad");
}

/* ---- what Twill fills in ------------------------------------------------------------------ */

static void ask_context(twill *tw)
{
    static GUARDED(twill_counters) counters;
    static GUARDED(twill_option_info) option;
    static GUARDED(twill_machine) machine;
    static GUARDED(twill_blas) blas;
    static GUARDED(twill_tuning) tuning;
    FILLED(counters, twill_count(tw, &counters.it));
    printf("counters %d %d\n", counters.it.inserted > 0, (int)counters.it.skipped);
    FILLED(option, twill_option(tw, 1, &option.it));
    printf("option %s=%s from %s\n", option.it.name, option.it.value, option.it.origin);
    FILLED(machine, twill_machine_info(tw, &machine.it));
    printf("machine %d\n", machine.it.cores > 0 && machine.it.peak_how && *machine.it.peak_how);
    FILLED(blas, twill_blas_info(tw, &blas.it));
    printf("blas %d\n", blas.it.provider && blas.it.threads == 1);
    FILLED(tuning, twill_tune_get(tw, &tuning.it));
    printf("tuning %d\n", tuning.it.tiles);
}

static void ask_trace(const twill_trace *trace)
{
    static GUARDED(twill_stats) stats;
    static GUARDED(twill_worker_stats) worker;
    static GUARDED(twill_class_stats) cls;
    static GUARDED(twill_idle_cause) cause;
    FILLED(stats, twill_trace_stats(trace, &stats.it));
    printf("trace %d tasks, %d workers\n", (int)stats.it.tasks, stats.it.workers);
    FILLED(worker, twill_trace_worker(trace, 0, &worker.it));
    FILLED(cause, twill_trace_idle(trace, 0, &cause.it));
    expect(worker.it.name && cause.it.cause && cause.it.advice, "texts of statistics");
    int count = 0;
    for (int i = 0; i < stats.it.classes; i++) {
        FILLED(cls, twill_trace_class(trace, i, &cls.it));
        expect(cls.it.name && cls.it.verdict, "texts of a class");
        count += (int)cls.it.count;
    }
    printf("%d classes of %d tasks\n", stats.it.classes, count);
}

int main(void)
{
    const twill_sched_ops *const own[] = {&in_line, NULL};
    twill_options options = {.size = sizeof options,
                             .workers = 2,
                             .sched = "line",
                             .sched_seed = "77",
                             .bind = "off",
                             .tune = "off",
                             .schedulers = own};
    twill *tw = NULL;
    twill_trace *trace = NULL;
    OK(twill_check_version());
    if (twill_start(&tw, &options) != TWILL_OK) {
        printf("WRONG: %s\n", twill_message());
        return 1;
    }
    OK(twill_trace_begin(tw));
    run_stf(tw);
    run_dag(tw);
    run_ptg(tw);
    OK(twill_trace_end(tw, &trace));
    run_la(tw);
    ask_context(tw);
    ask_trace(trace);
    twill_trace_free(trace);
    twill_stop(tw);
    puts(mistakes ? "FAILED" : "OK");
    return mistakes != 0;
}
