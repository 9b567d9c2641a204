/*
 * Peer of `bench tasks`: StarPU tasks with empty bodies, inserted by the main thread. Data are of
 * the void interface, so that dependencies are all that StarPU has to manage.
 */
#define _GNU_SOURCE
#include "starpu_begin.h"
#include "tasks.h"

#include <starpu.h>
#include <stdlib.h>

/* Microseconds a task: more of them would change the time of the run, not the result. */
enum { MOST_TASKS = 100000 };

static starpu_data_handle_t data[RANDOM_DATA];
static starpu_data_handle_t rows[2][STENCIL_WIDTH];

static void body(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
}

/* One codelet for each combination of accesses. */
#define CODELET(count, ...)                                                                    \
    {                                                                                          \
        .where = STARPU_CPU, .cpu_funcs = {body}, .nbuffers = (count), .modes = {__VA_ARGS__}, \
    }

static struct starpu_codelet none = CODELET(0, STARPU_NONE);
static struct starpu_codelet update = CODELET(1, STARPU_RW);
static struct starpu_codelet read1 = CODELET(1, STARPU_R);
static struct starpu_codelet read2_write = CODELET(3, STARPU_R, STARPU_R, STARPU_W);
static struct starpu_codelet read3_write = CODELET(4, STARPU_R, STARPU_R, STARPU_R, STARPU_W);
static struct starpu_codelet read2_update = CODELET(3, STARPU_R, STARPU_R, STARPU_RW);

static void insert(struct starpu_codelet *codelet, const starpu_data_handle_t *handles)
{
    struct starpu_task *task = starpu_task_create();

    task->cl = codelet;
    for (int i = 0; i < codelet->nbuffers; i++)
        task->handles[i] = handles[i];
    int failed = starpu_task_submit(task);
    if (failed)
        peer_die("starpu_task_submit: %s", strerror(-failed));
}

static void insert_independent(long tasks)
{
    for (long n = 0; n < tasks; n++)
        insert(&none, NULL);
}

static void insert_chain(long tasks)
{
    for (long n = 0; n < tasks; n++)
        insert(&update, data);
}

static void insert_chains(long tasks)
{
    for (long n = 0; n < tasks; n++)
        insert(&update, &data[n % CHAINS]);
}

static void insert_stencil(long tasks)
{
    for (long n = 0; n < tasks; n++) {
        long step = n / STENCIL_WIDTH;
        long i = n % STENCIL_WIDTH;
        long first = i > 0 ? i - 1 : i;
        long last = i < STENCIL_WIDTH - 1 ? i + 1 : i;
        starpu_data_handle_t handles[4];
        int count = 0;

        for (long j = first; j <= last; j++)
            handles[count++] = rows[(step + 1) % 2][j];
        handles[count] = rows[step % 2][i];
        insert(count == 2 ? &read2_write : &read3_write, handles);
    }
}

static void insert_fan(long tasks)
{
    for (long n = 0; n < tasks; n++)
        insert(n % (1 + FAN_READERS) == 0 ? &update : &read1, data);
}

static void insert_random(long tasks)
{
    uint64_t state = RANDOM_SEED;

    for (long n = 0; n < tasks; n++) {
        struct random_pick drawn = random_next(&state);
        const starpu_data_handle_t handles[] = {
            data[drawn.read[0]],
            data[drawn.read[1]],
            data[drawn.update],
        };

        insert(&read2_update, handles);
    }
}

static const struct task_case cases[] = {
    {"independent", insert_independent},
    {"chain", insert_chain},
    {"chains64", insert_chains},
    {"stencil", insert_stencil},
    {"fan", insert_fan},
    {"random", insert_random},
    {NULL, NULL},
};

static void register_data(void)
{
    for (int i = 0; i < RANDOM_DATA; i++)
        starpu_void_data_register(&data[i]);
    for (int i = 0; i < STENCIL_WIDTH; i++) {
        starpu_void_data_register(&rows[0][i]);
        starpu_void_data_register(&rows[1][i]);
    }
}

static double time_tasks(const struct task_run *run)
{
    run->chosen->insert(WARM_UP_TASKS);
    starpu_task_wait_for_all();
    double begin = peer_seconds();
    run->chosen->insert(run->tasks);
    starpu_task_wait_for_all();
    return peer_seconds() - begin;
}

int main(int argc, char **argv)
{
    struct task_run run = task_run_parse(argc, argv, cases);

    if (run.tasks > MOST_TASKS)
        run.tasks = MOST_TASKS;
    starpu_begin(argv[3]);
    register_data();
    task_run_print(time_tasks(&run), run.tasks);
    fflush(stdout);
    /* Unregistering and shutting down would only take time from the next program. */
    _Exit(0);
}
