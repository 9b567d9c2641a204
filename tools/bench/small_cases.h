/* What `bench small` measures: calls of Twill, and the same of LAPACK. */
#ifndef SMALL_CASES_H
#define SMALL_CASES_H

#include "command/command.h"

/* What a call works on: A, of order n, B with nrhs columns, and what a routine needs besides. */
typedef struct small_ours {
    twill_array *a, *ipiv, *b;
    twill_reflectors *h;
} small_ours;

typedef struct small_theirs {
    int n, nrhs, lwork;
    double *a, *b, *work;
    int *ipiv;
} small_theirs;

typedef void small_symbol(void); /* a routine of LAPACK, whatever its arguments */

typedef struct small_case {
    const char *name, *symbol;
    twill_status (*ours)(const small_ours *x);
    void (*theirs)(small_symbol *routine, const small_theirs *x);
} small_case;

/* Case number i, from 0; NULL past the last one. And by name, NULL after a complaint of `who`. */
const small_case *small_case_at(int i);
const small_case *small_case_named(const char *who, const char *name);

#endif
