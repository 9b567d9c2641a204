/* Which tasks certainly run before which: relations made of paths, never too large.
 *
 * The transitive closure of all dependencies of a graph is often beyond isl. But tasks that touch
 * one tile are nearly always ordered by a path that is simple to describe: it follows one flow
 * from task to task. So paths are made in layers: along one flow, along a few flows one after the
 * other, and only then over whole classes. Closures are used only where isl says they are exact. */
#ifndef VERIFY_ORDER_H
#define VERIFY_ORDER_H

#include "verify/poly.h"

enum { ORDER_LAYERS = 4 };

typedef struct order order;

order *order_make(poly *p);
void order_free(order *o);

/* Pairs x -> y of instances of the two classes such that y waits for x, directly or not; pairs of
 * equals may be among them. Higher layers hold more. The map belongs to the caller. */
isl_map *order_between(order *o, int x, int y, int layer);

#endif
