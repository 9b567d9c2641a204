/* The end of a parameterised graph whose last task waits for a service: it runs when the service
 * sends, and the graph is stuck when the service gives up, however both meet the look at the end.
 */
#include "_common.h"

#include "front/ptg/id.h"

static atomic_int ran, started;
static bool sends;

typedef struct sender {
    tw_service service; /* first */
    twill_graph *graph;
} sender;

/* T(0) sends to T(1), which has two inputs. */
static int64_t inputs(const void *g, const int64_t *p)
{
    (void)g;
    return p[0] == 0 ? 0 : 2;
}

static bool startup(const void *g, int64_t *p, bool first)
{
    (void)g;
    p[0] = 0;
    return first;
}

static void release(twill_ptg_outputs *out, const void *g, const int64_t *p)
{
    (void)g;
    int64_t to = 1;
    twill_ptg_output(out, 0);
    if (p[0] == 0)
        twill_ptg_send(out, 0, 0, &to);
}

static twill_outcome body(twill_task *t, const void *g, const int64_t *p, const twill_flow *flow)
{
    (void)t, (void)g, (void)flow;
    atomic_fetch_add(&ran, 1);
    if (p[0] == 0)
        atomic_store(&started, 1);
    progress();
    return TWILL_DONE;
}

static const twill_ptg_class t_class = {
    .size = sizeof(twill_ptg_class),
    .name = "T",
    .parameters = 1,
    .flows = 1,
    .parameter = (const char *const[]){"i"},
    .flow = (const twill_ptg_flow[]){{.name = "x", .mode = TWILL_FLOW_CTL}},
    .inputs = inputs,
    .startup = startup,
    .release = release,
    .chores = {TWILL_CPU(body)}};
static const twill_ptg_graph definition = {.size = sizeof(twill_ptg_graph),
                                           .name = "outside",
                                           .classes = 1,
                                           .cls = (const twill_ptg_class *const[]){&t_class}};

/* It counts as a task meanwhile: the graph does not end while the last input arrives. */
static void send(sender *s, tw_worker *w)
{
    tw_ptg *ptg = s->graph->front;
    int64_t one[TW_PTG_PARAMETERS] = {1};
    tw_activation a = {.cls = &ptg->classes[0]};
    tw_ready ready = {0};
    tw_graph_added(s->graph, w, 0, 1);
    a.id = tw_instance_id(a.cls, one);
    a.bucket = tw_table_bucket(&ptg->waiting, a.id);
    twill_task *t = tw_pending_arrive(w, &a, one, NULL);
    if (t) {
        tw_ready_add(&ready, t);
        tw_graph_added(s->graph, w, 0, 1);
        tw_push(w, &ready);
    }
    tw_graph_retired(s->graph, w, 0, 1);
    tw_graph_look(s->graph, w);
}

static bool poll(tw_service *service, tw_worker *w)
{
    if (atomic_exchange(&started, 0) == 0)
        return false;
    if (sends)
        send((sender *)service, w);
    tw_service_settle(service, w, 1);
    progress();
    return true;
}

int main(void)
{
    twill *tw = start();
    char nothing = 0;
    sender s = {.service = {.name = "sender", .things = "messages", .poll = poll}};
    sends = draw(2);
    s.service.nap_ns = draw(2) ? 0 : 100000;
    atomic_init(&s.service.interval_ticks, draw(2) * 1000);
    succeed(twill_ptg_new(tw, &definition, &nothing, sizeof nothing, &s.graph), "twill_ptg_new");
    succeed(tw_service_add(tw, &s.service), "tw_service_add");
    tw_service_expect(&s.service, 1);
    succeed(twill_ptg_run(s.graph), "twill_ptg_run");
    twill_status status = twill_wait(s.graph);
    must(status == (sends ? TWILL_OK : TWILL_ERR_STUCK), "the wait says something else");
    must(ran == (sends ? 2 : 1), "another number of tasks ran");
    tw_service_remove(&s.service);
    twill_stop(tw);
    return 0;
}
