/* --explain: where each dependence comes from, and what becomes of it. */
#include "loops/depend.h"

#include <stdlib.h>

static void write_instances(FILE *out, const stmt *s)
{
    fprintf(out, "%s(", s->name);
    for (int i = 0; i < s->depth; i++)
        fprintf(out, "%s%s", i ? ", " : "", s->names[i]);
    fputc(')', out);
}

/* A relation by the names of the loops: the same name on both sides stands for two things, so isl
 * marks one of them. */
static void write_relation(FILE *out, const dependences *d, const edge *e)
{
    const stmt *from = &d->program->stmts[e->from], *to = &d->program->stmts[e->to];
    isl_map *map = isl_map_set_tuple_name(isl_map_copy(e->map), isl_dim_in, from->name);
    map = isl_map_set_tuple_name(map, isl_dim_out, to->name);
    for (int i = 0; i < from->depth; i++)
        map = isl_map_set_dim_name(map, isl_dim_in, (unsigned)i, from->names[i]);
    for (int i = 0; i < to->depth; i++)
        map = isl_map_set_dim_name(map, isl_dim_out, (unsigned)i, to->names[i]);
    char *text = isl_map_to_str(map);
    fprintf(out, "    %s\n", text ? text : "?");
    free(text);
    isl_map_free(map);
}

static const char *array_of(const dependences *d, int s, int access)
{
    const program *p = d->program;
    return p->collections[p->stmts[s].accesses[access].collection].name;
}

static void explain(FILE *out, const dependences *d, const edge *e, const char *what)
{
    const program *p = d->program;
    const stmt *from = &p->stmts[e->from], *to = &p->stmts[e->to];
    fprintf(out, "%s:%d after line %d: ", p->source->path, (int)to->at.line, (int)from->at.line);
    write_instances(out, to);
    if (e->to_access >= 0)
        fprintf(out, " %s of %s that ", what, array_of(d, e->to, e->to_access));
    else
        fprintf(out, " %s ", what);
    write_instances(out, from);
    fprintf(out, "%s\n", e->to_access < 0 ? "" : *what == 't' ? " has written" : " uses");
    write_relation(out, d, e);
}

void dependences_explain(const dependences *d, FILE *out)
{
    for (int i = 0; i < d->data_count; i++)
        explain(out, d, &d->data[i], "takes the tile");
    for (int i = 0; i < d->removed_count; i++)
        explain(out, d, &d->removed[i], "overwrites the tile");
    if (d->removed_count)
        fputs(
            "Who overwrites a tile waits only where a line below says so: values are passed on, so "
            "that\nothers keep what they have.\n",
            out);
    for (int i = 0; i < d->control_count; i++)
        explain(out, d, &d->control[i], "waits for");
}
