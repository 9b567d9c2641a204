/* Graphs that the command has in it: JDF files, the one of the library's own Cholesky factorization
 * among them. */
#ifndef BUILTIN_H
#define BUILTIN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct builtin_graph {
    const char *name;
    const unsigned char *text;
    size_t size;
} builtin_graph;

/* All there are, in a list that ends with a NULL name; made from files by cmake/EmbedGraphs.cmake.
 */
extern const builtin_graph builtin_graphs[];

enum { BUILTIN_PATH = 4096 };

/* Put one into a file, for the compiler to read, and take it away again. False after a complaint.
 */
bool builtin_write(const builtin_graph *graph, char path[BUILTIN_PATH]);
void builtin_remove(char path[BUILTIN_PATH]);

/* What else the compiler needs to be told of the graph: values that no reader wants to choose, in a
 * list that ends with NULL. */
const char *const *builtin_values(const builtin_graph *graph);

#endif
