/* What operations that solve or invert have in common: their matrices, and their residuals. */
#ifndef SOLUTION_H
#define SOLUTION_H

#include "operation/probe.h"

/* Operands of A X = B. */
enum { SOLUTION_A, SOLUTION_B, SOLUTION_X };

/* They, A being filled in some way. Returns how many. */
int solution_operands(operand *list, filling fill);

twill_status solution_digest(work *w, uint64_t *digest);

/* |B - A X| / (n |A| |X| eps), and |I - A Y| / (n |A| |Y| eps) with Y in the place of A. `shape` is
 * how A is read, in the triangle of --uplo. */
twill_status solution_residual(work *w, probe_shape shape, double *ratio);
twill_status solution_inverse_residual(work *w, probe_shape shape, double *ratio);

/* The same for any A and X: A X = B with so many columns, B NULL being the identity. */
twill_status solution_compare(const work *w, probe_matrix a, probe_matrix x, twill_array *b,
                              int64_t cols, double *ratio);

/* A matrix of the operation, read that way. */
probe_matrix solution_read(const work *w, twill_array *a, probe_shape shape);

/* Insert by a function, wait, and tell info. */
typedef twill_status solution_insert(const work *w, const twill_la_options *expert,
                                     twill_graph *graph);
twill_status solution_run(const work *w, solution_insert *insert, int64_t *info);

/* X := B, before a solve in the place of X. */
twill_status solution_copy(const work *w);

/* All pivots of an array, on every rank, as numbers to be freed. Collective. */
twill_status pivots_read(twill_array *pivots, double **ipiv);

/* What a number at a place of the result adds to its digest. */
uint64_t solution_digest_of(uint64_t place, uint64_t bits);

/* Mixed precision: --precision or the name of the operation asks for it; it is for double precision
 * only; and what came of it. */
bool solution_is_mixed(const problem *p);
twill_refine solution_refinement(const problem *p);
int solution_check_mixed(const problem *p);
void solution_json(const work *w, json *j);

#endif
