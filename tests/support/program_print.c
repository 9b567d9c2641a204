/* A random program in words, for whoever looks into a failure. */
#include "support/program.h"

#include <stdio.h>

static void print_task(const prog_task *t, int indent)
{
    static const char *const how[] = {"", " again", " async", " team", " nest", " spawn"};
    static const char *const kind[] = {[TWILL_ARG_READ] = "R",
                                       [TWILL_ARG_WRITE] = "W",
                                       [TWILL_ARG_READ_WRITE] = "RW",
                                       [TWILL_ARG_COMMUTE] = "COMMUTE",
                                       [TWILL_ARG_REDUCE] = "REDUCE"};
    printf("%*stask%s", indent, "", how[t->how]);
    for (int k = 0; k < t->nargs; k++)
        printf(" %s(%s%d)", kind[t->arg[k].kind], t->arg[k].fine ? "fine " : "", t->arg[k].tile);
    printf("%s\n", t->scratch ? " scratch" : "");
    for (int i = 0; i < t->nchildren; i++)
        print_task(&t->child[i], indent + 4);
}

static void print_dag(const prog_dag *d)
{
    printf("  explicit graph, %d runs%s, edges", d->runs, d->stays ? ", not waited for" : "");
    for (int e = 0; e < d->nedges; e++)
        printf(" %d->%d", d->from[e], d->to[e]);
    printf("\n");
    for (int i = 0; i < d->n; i++)
        print_task(&d->node[i], 4);
}

static void print_step(const prog_step *s)
{
    static const char *const mode[] = {"", "read", "write", "read and write"};
    switch (s->kind) {
    case PROG_INSERT:
        printf("  graph %d:", s->graph);
        print_task(s->task, 1);
        break;
    case PROG_WAIT:
        printf("  wait for graph %d\n", s->graph);
        break;
    case PROG_WAIT_TILE:
        printf("  wait to %s tile %d\n", mode[s->mode], s->tile);
        break;
    case PROG_MAP:
        printf("  map array %d from (%lld, %lld), %lld by %lld, to %s, for %d insertions\n",
               s->array, (long long)s->i, (long long)s->j, (long long)s->rows, (long long)s->cols,
               mode[s->mode], s->hold);
        break;
    case PROG_DAG:
        print_dag(s->dag);
        break;
    case PROG_REOPEN:
        printf("  another graph in place of the lane's\n");
        break;
    }
}

void prog_print(const program *p)
{
    for (int i = 0; i < p->narrays; i++) {
        const prog_array *a = &p->array[i];
        printf("array %d of lane %d%s: %lld by %lld, tiles %d to %d\n", i, a->lane,
               a->wrapped ? ", wrapped" : "", (long long)a->rows, (long long)a->cols, a->first,
               a->first + a->ntiles - 1);
    }
    for (int i = 0; i < p->nlanes; i++) {
        printf("lane %d\n", i);
        for (int s = 0; s < p->lane[i].nsteps; s++)
            print_step(&p->lane[i].step[s]);
    }
}
