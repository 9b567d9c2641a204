/* What `bench small` measures. Lengths of characters are the last arguments of LAPACK's routines.
 */
#include "bench/small_cases.h"

#include <string.h>

static const double one = 1.0;

/* ---- factorizations ------------------------------------------------------------------------ */

static twill_status our_potrf(const small_ours *x)
{
    int64_t info;
    return twill_potrf(TWILL_LOWER, x->a, &info);
}

typedef void dpotrf(const char *, const int *, double *, const int *, int *, size_t);
static void their_potrf(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dpotrf *)routine)("L", &x->n, x->a, &x->n, &info, 1);
}

static twill_status our_getrf(const small_ours *x)
{
    int64_t info;
    return twill_getrf(x->a, x->ipiv, &info);
}

typedef void dgetrf(const int *, const int *, double *, const int *, int *, int *);
static void their_getrf(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dgetrf *)routine)(&x->n, &x->n, x->a, &x->n, x->ipiv, &info);
}

static twill_status our_geqrf(const small_ours *x)
{
    return twill_geqrf(x->a, x->h);
}

typedef void dgeqrf(const int *, const int *, double *, const int *, double *, double *,
                    const int *, int *);
static void their_geqrf(small_symbol *routine, const small_theirs *x)
{
    int info, lwork = x->lwork - x->n;
    ((dgeqrf *)routine)(&x->n, &x->n, x->a, &x->n, x->work, x->work + x->n, &lwork, &info);
}

/* ---- solves -------------------------------------------------------------------------------- */

static twill_status our_posv(const small_ours *x)
{
    int64_t info;
    return twill_posv(TWILL_LOWER, x->a, x->b, &info);
}

typedef void dposv(const char *, const int *, const int *, double *, const int *, double *,
                   const int *, int *, size_t);
static void their_posv(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dposv *)routine)("L", &x->n, &x->nrhs, x->a, &x->n, x->b, &x->n, &info, 1);
}

static twill_status our_gesv(const small_ours *x)
{
    int64_t info;
    return twill_gesv(x->a, x->ipiv, x->b, &info);
}

typedef void dgesv(const int *, const int *, double *, const int *, int *, double *, const int *,
                   int *);
static void their_gesv(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dgesv *)routine)(&x->n, &x->nrhs, x->a, &x->n, x->ipiv, x->b, &x->n, &info);
}

static twill_status our_sysv(const small_ours *x)
{
    int64_t info;
    return twill_sysv(TWILL_LOWER, x->a, x->b, &info);
}

typedef void dsysv(const char *, const int *, const int *, double *, const int *, int *, double *,
                   const int *, double *, const int *, int *, size_t);
static void their_sysv(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dsysv *)routine)("L", &x->n, &x->nrhs, x->a, &x->n, x->ipiv, x->b, &x->n, x->work, &x->lwork,
                       &info, 1);
}

static twill_status our_gels(const small_ours *x)
{
    int64_t info;
    return twill_gels(TWILL_NO_TRANS, x->a, x->b, &info);
}

typedef void dgels(const char *, const int *, const int *, const int *, double *, const int *,
                   double *, const int *, double *, const int *, int *, size_t);
static void their_gels(small_symbol *routine, const small_theirs *x)
{
    int info;
    ((dgels *)routine)("N", &x->n, &x->n, &x->nrhs, x->a, &x->n, x->b, &x->n, x->work, &x->lwork,
                       &info, 1);
}

static twill_status our_trsm(const small_ours *x)
{
    return twill_trsm(TWILL_LEFT, TWILL_LOWER, TWILL_NO_TRANS, TWILL_NON_UNIT, twill_real(1.0),
                      x->a, x->b);
}

typedef void dtrsm(const char *, const char *, const char *, const char *, const int *, const int *,
                   const double *, const double *, const int *, double *, const int *, size_t,
                   size_t, size_t, size_t);
static void their_trsm(small_symbol *routine, const small_theirs *x)
{
    ((dtrsm *)routine)("L", "L", "N", "N", &x->n, &x->nrhs, &one, x->a, &x->n, x->b, &x->n, 1, 1, 1,
                       1);
}

/* ---- others -------------------------------------------------------------------------------- */

/* Any matrix that can be a factor will do. */
static twill_status our_potri(const small_ours *x)
{
    int64_t info;
    return twill_potri(TWILL_LOWER, x->a, &info);
}

static const small_case all[] = {
    {"potrf", "dpotrf_", our_potrf, their_potrf}, {"posv", "dposv_", our_posv, their_posv},
    {"potri", "dpotri_", our_potri, their_potrf}, {"getrf", "dgetrf_", our_getrf, their_getrf},
    {"gesv", "dgesv_", our_gesv, their_gesv},     {"sysv", "dsysv_", our_sysv, their_sysv},
    {"geqrf", "dgeqrf_", our_geqrf, their_geqrf}, {"gels", "dgels_", our_gels, their_gels},
    {"trsm", "dtrsm_", our_trsm, their_trsm},
};

enum { CASES = sizeof all / sizeof *all };

const small_case *small_case_at(int i)
{
    return i < CASES ? &all[i] : NULL;
}

const small_case *small_case_named(const char *who, const char *name)
{
    for (int i = 0; i < CASES; i++)
        if (!strcmp(all[i].name, name))
            return &all[i];
    complain(who, "--case %s: must be potrf, posv, potri, getrf, gesv, sysv, geqrf, gels or trsm",
             name);
    return NULL;
}
