/* A program as text: --print loops. */
#include "loops/program.h"

#include <isl/printer.h>
#include <stdlib.h>

static void print_set(FILE *out, const program *p, isl_set *set)
{
    isl_set *known = isl_set_gist_params(isl_set_copy(set), isl_set_copy(p->context));
    char *text = isl_set_to_str(known);
    fprintf(out, "  domain %s\n", text ? text : "?");
    free(text);
    isl_set_free(known);
}

static void print_access(FILE *out, const program *p, const access *a, const char *word)
{
    char *text = isl_map_to_str(a->map);
    fprintf(out, "  %s %s %s", word, p->collections[a->collection].name, text ? text : "?");
    if (a->arg >= 0)
        fprintf(out, " argument %d %s", a->arg + 1, a->flow);
    fputc('\n', out);
    free(text);
}

static void print_order(FILE *out, const stmt *s)
{
    fputs("  order", out);
    for (int i = 0; i < s->depth; i++)
        fprintf(out, " %d %s%s", s->order[i], s->down[i] ? "-" : "", s->names[i]);
    fprintf(out, " %d\n", s->order[s->depth]);
}

void program_print(FILE *out, const program *p)
{
    static const char *const modes[] = {"", "reads", "writes", "changes"};
    fprintf(out, "function %s%s\n", p->function->name, p->in_place ? ", in place" : "");
    for (int i = 0; i < p->param_count; i++)
        fprintf(out, "parameter %s = %s\n", p->params[i].name,
                c_text_of(p->memory, p->params[i].value));
    for (int i = 0; i < p->collection_count; i++) {
        const collection *c = &p->collections[i];
        fprintf(out, "array %s of %d %s\n", c->name, c->dims, c->dims == 1 ? "index" : "indices");
    }
    for (int i = 0; i < p->stmt_count; i++) {
        const stmt *s = &p->stmts[i];
        fprintf(out, "\nstatement %s line %d\n", s->name, (int)s->at.line);
        print_set(out, p, s->domain);
        print_order(out, s);
        for (int k = 0; k < s->access_count; k++)
            print_access(out, p, &s->accesses[k], modes[s->accesses[k].mode]);
        if (s->on)
            print_access(out, p, s->on, "on");
    }
}
