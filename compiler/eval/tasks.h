/* --print tasks: all instances of a small graph and the edges between them. */
#ifndef TASKS_H
#define TASKS_H

#include "eval/eval.h"

/* Print, one per line,
 *     graph NAME
 *     class NAME PARAMETERS...
 *     task CLASS(1,2) [@ROW,COLUMN]
 *     edge CLASS(1,2).FLOW -> CLASS(1,3).FLOW [TYPE]
 *     in TILE(1,2) -> CLASS(1,2).FLOW
 *     out CLASS(1,2).FLOW -> TILE(1,2)
 *     lost CLASS(1,2).FLOW -> CLASS(1,9).FLOW        there is no such instance
 * The place is left out where the values given do not determine it; the owner of a tile is taken to
 * be that of a cyclic distribution over the grid. Returns false, after saying why to the source,
 * when something that decides which tasks or edges there are has no value. */
bool tasks_print(FILE *out, const ir_file *f, eval *v);

/* How many values --print tasks computes before it gives up. */
enum { TASKS_STEPS = 5 * 1000 * 1000 };

#endif
