/* The course of --verify, and its report. */
#include "verify/verify.h"

#include "verify/bound.h"

#include <isl/options.h>

/* isl has this long; looking at small graphs comes on top. */
static const double SECONDS = 5;

enum { COUNT = 4 };

typedef struct property {
    const char *name;
    void (*prove)(poly *p, verdict *v);
    bool (*find)(unrolled *u, finding *f);
    verdict verdict;
} property;

static void report(const ir_file *f, const property *p, const char *checked, FILE *out)
{
    const char *path = f->source->path;
    static const char *const states[] = {"proved", "not proved", "refuted"};
    for (int i = 0; i < p->verdict.finding_count; i++) {
        const finding *g = &p->verdict.findings[i];
        fprintf(out, "%s:%d: %s\n", path, (int)g->at.line, g->text);
    }
    for (int i = 0; i < p->verdict.warning_count; i++) {
        const finding *g = &p->verdict.warnings[i];
        fprintf(out, "%s:%d: %s: %s\n", path, (int)g->at.line, g->note ? "note" : "warning",
                g->text);
    }
    fprintf(out, "%s: %s: %s", path, p->name, states[p->verdict.state]);
    if (p->verdict.state == OPEN)
        fprintf(out, " (%s), %s", p->verdict.why, checked);
    fputc('\n', out);
}

/* Tasks are ordered by arrows that meet. */
static void explain(property *matches, property *race)
{
    if (matches->verdict.state == REFUTED && race->verdict.state == OPEN)
        race->verdict.why = "not all arrows meet";
}

/* What divides by 0 makes no graph, and nothing is proved of it: an error if it is all there is. */
static void look_for_zero(poly *p, double seconds, FILE *out)
{
    const char *with;
    source *s = p->file->source;
    const ir_expr *zero = find_zero(p, seconds, &with);
    if (!zero)
        return;
    bool quotient = zero->op == IR_DIV || zero->op == IR_MOD;
    const char *what = quotient ? "divides by 0" : "is a step of 0";
    if (*with)
        fprintf(out, "%s:%d: warning: '%s' %s%s: such a graph fails when it runs\n", s->path,
                (int)zero->at.line, ir_text_of(p->memory, zero), what, with);
    else
        source_say(s, ERROR, zero->at, "with these values, this %s", what);
}

/* Returns what was checked of what is not proved. */
static const char *examine(const ir_file *f, double seconds, property *properties, int count,
                           FILE *out)
{
    poly p;
    bounded open[COUNT];
    const char *checked = NULL;
    isl_ctx *ctx = isl_ctx_alloc();
    isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE);
    poly_make(&p, f, f->source->memory, ctx, SECONDS);
    bool any_open = false;
    if (isl_set_is_empty(p.context) == isl_bool_true)
        source_say(f->source, ERROR, (place){0, 0},
                   "there are no values of the globals for which all assumptions hold");
    for (int i = 0; i < count && !f->source->errors; i++) {
        properties[i].prove(&p, &properties[i].verdict);
        open[i] = (bounded){properties[i].find, &properties[i].verdict};
        any_open |= properties[i].verdict.state == OPEN;
    }
    if (!f->source->errors)
        look_for_zero(&p, seconds, out);
    if (!f->source->errors && any_open)
        checked = check_up_to_bound(&p, open, count, seconds);
    poly_free(&p);
    isl_ctx_free(ctx);
    return checked;
}

int verify(const ir_file *f, double seconds, FILE *out, const char **why)
{
    (void)why; /* isl is there */
    property properties[COUNT] = {
        {.name = "every arrow has its arrow back", prove_matches, unroll_unmatched},
        {.name = "one source per flow", prove_sources, unroll_two_sources},
        {.name = "no cycle", prove_no_cycle, unroll_cycle},
        {.name = "no race", prove_no_race, unroll_race}};
    bool refuted = false;
    for (int i = 0; i < COUNT; i++)
        properties[i].verdict.memory = f->source->memory;
    const char *checked = examine(f, seconds, properties, COUNT, out);
    if (f->source->errors)
        return 1;
    explain(&properties[0], &properties[COUNT - 1]);
    for (int i = 0; i < COUNT; i++) {
        report(f, &properties[i], checked, out);
        refuted |= properties[i].verdict.state == REFUTED;
    }
    return refuted;
}
