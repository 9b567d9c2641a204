/* twill info: the machine as Twill sees it, and every option with its value and origin. */
#include "command/json.h"
#include "command/options.h"
#include "command/system.h"

#include <inttypes.h>
#include <string.h>

typedef struct values {
    bool json;
} values;

static const option own_options[] = {
    OPTION_IS_FLAG("json", "one JSON object, and nothing else", offsetof(values, json)),
    OPTION_END};

static const option_set options = {
    .command = "info",
    .about = "Show the machine, the workers, the BLAS, the schedulers and the options in force.",
    .tables = {own_options}};

/* What is shown; `blas_error` says why there is no BLAS when `has_blas` is not set. */
typedef struct facts {
    twill *tw;
    twill_machine machine;
    twill_blas blas;
    bool has_blas;
    char blas_error[512];
    twill_tuning tuning;
    bool has_tuning;
} facts;

static int gather(twill *tw, facts *f)
{
    *f = (facts){.tw = tw,
                 .machine.size = sizeof f->machine,
                 .blas.size = sizeof f->blas,
                 .tuning.size = sizeof f->tuning};
    twill_status status = twill_machine_info(tw, &f->machine);
    if (status != TWILL_OK)
        return complain_library("info", status, NULL);
    f->has_blas = twill_blas_info(tw, &f->blas) == TWILL_OK;
    status = twill_tune_get(tw, &f->tuning);
    f->has_tuning = status == TWILL_OK && (*f->tuning.blas || f->tuning.tiles > 0);
    if (!f->has_blas)
        snprintf(f->blas_error, sizeof f->blas_error, "%s", twill_message());
    return STATUS_OK;
}

static void print_row(const char *name, const char *text)
{
    printf("  %-12s %s\n", name, text);
}

static void print_bytes(const char *name, int64_t bytes)
{
    char text[32];
    print_row(name, bytes > 0 ? system_bytes((double)bytes, text, sizeof text) : "unknown");
}

static void print_devices(const facts *f)
{
    print_row("devices", "cpu");
    for (int d = 1; d <= twill_devices(f->tw); d++) {
        char text[256], room[32];
        twill_device_info i = {.size = sizeof i};
        if (twill_device_get(f->tw, d, &i) != TWILL_OK)
            continue;
        snprintf(text, sizeof text, "%s: %s; %d lanes, room for %s", i.name, i.about, i.lanes,
                 system_bytes((double)i.room, room, sizeof room));
        print_row("", text);
    }
}

static void print_machine(const facts *f)
{
    const twill_machine *m = &f->machine;
    char text[256];
    printf("machine\n");
    print_row("cpu", m->cpu);
    snprintf(text, sizeof text, "%d (%d in the mask), %d PUs, %d packages, %d NUMA nodes", m->cores,
             m->cores_allowed, m->pus, m->packages, m->numa_nodes);
    print_row("cores", text);
    print_bytes("L1", m->l1);
    print_bytes("L2", m->l2);
    print_bytes("L3", m->l3);
    print_bytes("memory", m->memory);
    if (m->peak_gflops > 0)
        snprintf(text, sizeof text, "%.1f GFLOP/s (%s)", m->peak_gflops, m->peak_how);
    print_row("peak", m->peak_gflops > 0 ? text : "unknown");
    print_devices(f);
    const char *transport = twill_transport(f->tw);
    int ranks = twill_ranks(f->tw);
    snprintf(text, sizeof text, "%s, %d rank%s", *transport ? transport : "none", ranks,
             ranks == 1 ? "" : "s");
    print_row("MPI", text);
}

/* Where all ranks are, if there are several. */
static void print_ranks(const facts *f)
{
    char name[32], text[640];
    twill_rank_info p = {.size = sizeof p};
    if (twill_ranks(f->tw) == 1)
        return;
    printf("\nranks\n");
    for (int r = 0; r < twill_ranks(f->tw); r++) {
        if (twill_rank_place(f->tw, r, &p) != TWILL_OK)
            continue;
        snprintf(name, sizeof name, "%d", r);
        int used = snprintf(text, sizeof text, "host %s, PUs %s, %d worker%s", p.host, p.cpus,
                            p.workers, p.workers == 1 ? "" : "s");
        if (p.sharing > 1)
            snprintf(text + used, sizeof text - (size_t)used, ", shared by %d ranks: not bound",
                     p.sharing);
        else
            snprintf(text + used, sizeof text - (size_t)used, *p.pus ? ", bound to %s" : "%s",
                     *p.pus ? p.pus : ", not bound");
        print_row(name, text);
    }
}

static void print_workers(const facts *f)
{
    char name[32], text[64];
    printf("\nworkers\n");
    for (int w = 0; w < twill_workers(f->tw); w++) {
        int core, pu;
        snprintf(name, sizeof name, "%d", w);
        if (twill_worker_place(f->tw, w, &core, &pu) == TWILL_OK && core >= 0)
            snprintf(text, sizeof text, "core %d, PU %d", core, pu);
        else
            snprintf(text, sizeof text, "not bound");
        print_row(name, text);
    }
}

static void print_blas(const facts *f)
{
    char text[32];
    printf("\nBLAS\n");
    if (!f->has_blas) {
        print_row("none", f->blas_error);
        return;
    }
    print_row("provider", f->blas.provider);
    print_row("path", f->blas.path);
    print_row("LAPACK", strcmp(f->blas.lapack, f->blas.path) ? f->blas.lapack : "of the same file");
    print_row("kernels", f->blas.kernels);
    print_row("why", f->blas.why);
    snprintf(text, sizeof text, "%d per worker", f->blas.threads);
    print_row("threads", text);
}

static void print_tuning(const facts *f)
{
    char text[640];
    printf("\ntuning\n");
    if (!f->has_tuning) {
        print_row("none", "'twill tune' measures this machine");
        return;
    }
    print_row("file", twill_tune_file(f->tw));
    snprintf(text, sizeof text, "%s, kernels %s", f->tuning.blas, f->tuning.kernels);
    print_row("BLAS", *f->tuning.blas ? text : "not measured");
    for (int i = 0; i < f->tuning.tiles; i++) {
        const twill_tuned_tile *t = &f->tuning.tile[i];
        snprintf(text, sizeof text, "n %" PRId64 ", type %c, %d workers: nb %" PRId64, t->n,
                 t->type, t->workers, t->nb);
        print_row(i ? "" : "tiles", text);
    }
}

static void write_tuning(json *j, const facts *f)
{
    if (!f->has_tuning) {
        json_null(j, "tuning");
        return;
    }
    json_open(j, "tuning", '{');
    json_text(j, "file", twill_tune_file(f->tw));
    json_text(j, "blas", f->tuning.blas);
    json_text(j, "kernels", f->tuning.kernels);
    json_integer(j, "one_tile", f->tuning.one_tile);
    json_integer(j, "tiles", f->tuning.tiles);
    json_close(j, '}');
}

static void print_lists(const facts *f)
{
    const twill_sched_ops *sched;
    printf("\nschedulers\n");
    for (int i = 0; (sched = twill_scheduler(f->tw, i)); i++)
        print_row(sched->name, sched->about);
    twill_option_info o = {.size = sizeof o};
    printf("\noptions\n");
    for (int i = 0; twill_option(f->tw, i, &o) == TWILL_OK; i++)
        printf("  %-12s %-10s %-12s %-18s %s\n", *o.name ? o.name : "-", *o.value ? o.value : "-",
               o.origin, o.variable, o.help);
}

static void write_machine(json *j, const facts *f)
{
    const twill_machine *m = &f->machine;
    json_open(j, "machine", '{');
    json_text(j, "cpu", m->cpu);
    json_integer(j, "packages", m->packages);
    json_integer(j, "numa_nodes", m->numa_nodes);
    json_integer(j, "cores", m->cores);
    json_integer(j, "pus", m->pus);
    json_integer(j, "cores_allowed", m->cores_allowed);
    json_integer(j, "l1", m->l1);
    json_integer(j, "l2", m->l2);
    json_integer(j, "l3", m->l3);
    json_integer(j, "memory", m->memory);
    json_real(j, "peak_gflops", m->peak_gflops);
    json_text(j, "peak_how", m->peak_how);
    json_close(j, '}');
    json_open(j, "devices", '[');
    json_text(j, NULL, "cpu");
    for (int d = 1; d <= twill_devices(f->tw); d++) {
        twill_device_info i = {.size = sizeof i};
        if (twill_device_get(f->tw, d, &i) == TWILL_OK)
            json_text(j, NULL, i.name);
    }
    json_close(j, ']');
    if (*twill_transport(f->tw))
        json_text(j, "mpi", twill_transport(f->tw));
    else
        json_null(j, "mpi");
    json_integer(j, "ranks", twill_ranks(f->tw));
}

static void write_places(json *j, const facts *f)
{
    twill_rank_info p = {.size = sizeof p};
    json_open(j, "places", '[');
    for (int r = 0; r < twill_ranks(f->tw); r++) {
        if (twill_rank_place(f->tw, r, &p) != TWILL_OK)
            continue;
        json_open(j, NULL, '{');
        json_integer(j, "rank", r);
        json_text(j, "host", p.host);
        json_text(j, "cpus", p.cpus);
        json_text(j, "pus", p.pus);
        json_integer(j, "workers", p.workers);
        json_integer(j, "sharing", p.sharing);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_workers(json *j, const facts *f)
{
    json_open(j, "workers", '[');
    for (int w = 0; w < twill_workers(f->tw); w++) {
        int core = -1, pu = -1;
        twill_worker_place(f->tw, w, &core, &pu);
        json_open(j, NULL, '{');
        json_integer(j, "worker", w);
        json_integer(j, "core", core);
        json_integer(j, "pu", pu);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_blas(json *j, const facts *f)
{
    if (!f->has_blas) {
        json_null(j, "blas");
        json_text(j, "blas_error", f->blas_error);
        return;
    }
    json_open(j, "blas", '{');
    json_text(j, "provider", f->blas.provider);
    json_text(j, "path", f->blas.path);
    json_text(j, "lapack", f->blas.lapack);
    json_text(j, "kernels", f->blas.kernels);
    json_text(j, "why", f->blas.why);
    json_integer(j, "threads", f->blas.threads);
    json_close(j, '}');
}

static void write_lists(json *j, const facts *f)
{
    const twill_sched_ops *sched;
    json_open(j, "schedulers", '[');
    for (int i = 0; (sched = twill_scheduler(f->tw, i)); i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", sched->name);
        json_text(j, "about", sched->about);
        json_close(j, '}');
    }
    json_close(j, ']');
    twill_option_info o = {.size = sizeof o};
    json_open(j, "options", '[');
    for (int i = 0; twill_option(f->tw, i, &o) == TWILL_OK; i++) {
        json_open(j, NULL, '{');
        json_text(j, "name", o.name);
        json_text(j, "value", o.value);
        json_text(j, "origin", o.origin);
        json_text(j, "variable", o.variable);
        json_text(j, "help", o.help);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void show(const facts *f, bool as_json)
{
    if (!as_json) {
        printf("twill %s\n\n", twill_version());
        print_machine(f);
        print_ranks(f);
        print_workers(f);
        print_blas(f);
        print_tuning(f);
        print_lists(f);
        return;
    }
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "version", twill_version());
    write_machine(&j, f);
    write_places(&j, f);
    write_workers(&j, f);
    write_blas(&j, f);
    write_tuning(&j, f);
    write_lists(&j, f);
    json_close(&j, '}');
    json_end(&j);
}

static int run(int argc, char **argv)
{
    values v = {0};
    facts f;
    twill *tw;
    int status;
    if (!options_parse(&options, argc, argv, &v, &status))
        return status;
    status = context_join("info", 0, NULL, NULL, &tw);
    if (status != STATUS_OK)
        return status;
    if (twill_rank(tw) == 0) /* says it for all */
        status = gather(tw, &f);
    if (twill_rank(tw) == 0 && status == STATUS_OK)
        show(&f, v.json);
    context_stop(tw);
    return status;
}

static int help(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return options_help(&options);
}

const command info_command = {"info", "the machine, the BLAS and the options in force", run, help};
