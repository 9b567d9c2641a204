/* The course of --verify, and its report. */
#include "verify.h"

#include "verify_proof.h"

#include <isl/options.h>

/* isl has this long; checking up to a bound comes on top. */
static const double SECONDS = 5;

typedef struct property {
    const char *name;
    void (*prove)(poly *p, verdict *v);
    verdict verdict;
} property;

static void report(const ir_file *f, const property *p, FILE *out)
{
    const char *path = f->source->path;
    static const char *const states[] = {"proved", "not proved", "refuted"};
    for (int i = 0; i < p->verdict.finding_count; i++) {
        const finding *g = &p->verdict.findings[i];
        fprintf(out, "%s:%d: %s\n", path, (int)g->at.line, g->text);
    }
    fprintf(out, "%s: %s: %s", path, p->name, states[p->verdict.state]);
    if (p->verdict.state == OPEN)
        fprintf(out, " (%s)", p->verdict.why);
    fputc('\n', out);
}

static void prove(const ir_file *f, property *properties, int count)
{
    poly p;
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    poly_make(&p, f, f->source->memory, ctx, SECONDS);
    for (int i = 0; i < count; i++)
        properties[i].prove(&p, &properties[i].verdict);
    poly_free(&p);
    isl_ctx_free(ctx);
}

int verify(const ir_file *f, FILE *out)
{
    property properties[] = {{.name = "every arrow has its arrow back", .prove = prove_matches},
                             {.name = "one source per flow", .prove = prove_sources},
                             {.name = "no cycle", .prove = prove_no_cycle},
                             {.name = "no race", .prove = prove_no_race}};
    enum { COUNT = sizeof properties / sizeof *properties };
    bool refuted = false;
    for (int i = 0; i < COUNT; i++)
        properties[i].verdict.memory = f->source->memory;
    prove(f, properties, COUNT);
    for (int i = 0; i < COUNT; i++) {
        report(f, &properties[i], out);
        refuted |= properties[i].verdict.state == REFUTED;
    }
    return refuted;
}
