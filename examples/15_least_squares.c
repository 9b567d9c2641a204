/* Least squares: fit a polynomial to noisy points, in one call; then the same step by step, as one
 * program that waits once. */
#include <math.h>
#include <stdio.h>
#include <twill/twill.h>

enum { POINTS = 3000, TERMS = 4, NB = 64 };

static const double truth[TERMS] = {1.0, -2.0, 0.5, 3.0};

/* The problem in memory of the program's, and as Twill sees it. */
typedef struct problem {
    double a[POINTS * TERMS], b[POINTS];
    twill_array *matrix, *right;
} problem;

static twill_status wrap(twill *tw, problem *p)
{
    twill_pattern a = twill_tiled(POINTS, TERMS, NB, NB), b = twill_tiled(POINTS, 1, NB, 1);
    twill_status status = twill_array_wrap(tw, &a, TWILL_FLOAT64, 0, p->a, POINTS, &p->matrix);
    if (status == TWILL_OK)
        status = twill_array_wrap(tw, &b, TWILL_FLOAT64, 0, p->b, POINTS, &p->right);
    return status;
}

/* Touch the memory between graphs: `use` it inside twill_map and twill_unmap. */
static twill_status access(problem *p, void (*use)(double *a, double *b))
{
    twill_view a = twill_view_all(p->matrix), b = twill_view_all(p->right);
    void *x, *y;
    int64_t ld;
    twill_status status = twill_map(a, TWILL_READ_WRITE, &x, &ld);
    if (status != TWILL_OK)
        return status;
    status = twill_map(b, TWILL_READ_WRITE, &y, &ld);
    if (status == TWILL_OK) {
        use(x, y);
        status = twill_unmap(b, y);
    }
    twill_status ended = twill_unmap(a, x);
    return status == TWILL_OK ? ended : status;
}

/* Row i: powers of x, and what was measured there. */
static void measure(double *a, double *b)
{
    for (int i = 0; i < POINTS; i++) {
        double x = 2.0 * i / (POINTS - 1) - 1.0, power = 1.0, y = 0.0;
        for (int j = 0; j < TERMS; j++, power *= x) {
            a[i + j * POINTS] = power;
            y += truth[j] * power;
        }
        b[i] = y + 1e-3 * sin(1000.0 * i);
    }
}

/* The first rows of Q^T b, which belong to R. */
static twill_status rotate(twill *tw, problem *p, twill_reflectors *h)
{
    twill_graph *g;
    twill_status status = twill_stf_begin(tw, &g);
    if (status != TWILL_OK)
        return status;
    twill_geqrf_insert(g, p->matrix, h, NULL);
    twill_unmqr_insert(g, TWILL_LEFT, TWILL_TRANS, p->matrix, h, p->right, NULL);
    status = twill_wait(g); /* knows of failed insertions, too */
    twill_graph_free(g);
    return status;
}

/* Back substitution by the program: R is small. */
static void substitute(double *a, double *b)
{
    for (int i = TERMS - 1; i >= 0; i--) {
        for (int j = i + 1; j < TERMS; j++)
            b[i] -= a[i + j * POINTS] * b[j];
        b[i] /= a[i + i * POINTS];
    }
}

static double error(const double *x)
{
    double worst = 0.0;
    for (int j = 0; j < TERMS; j++)
        worst = fmax(worst, fabs(x[j] - truth[j]));
    return worst;
}

int main(void)
{
    static problem p;
    twill *tw = NULL;
    twill_reflectors *h = NULL;
    twill_tree tree;
    int64_t info = -1, ib;
    if (twill_start(&tw, NULL) || wrap(tw, &p) || access(&p, measure) ||
        twill_gels(TWILL_NO_TRANS, p.matrix, p.right, &info))
        goto failed;
    double first = error(p.b);
    printf("at once: info %lld, error %.1e\n", (long long)info, first);

    if (access(&p, measure) || twill_reflectors_create(tw, NULL, &h) || rotate(tw, &p, h) ||
        twill_reflectors_info(h, &tree, &ib) || access(&p, substitute))
        goto failed;
    double second = error(p.b);
    printf("step by step: %s tree, error %.1e\n", tree == TWILL_TREE_BINARY ? "binary" : "another",
           second);
    twill_reflectors_free(h);
    twill_stop(tw);
    return first < 1e-3 && fabs(second - first) < 1e-9 ? 0 : 1;

failed:
    fprintf(stderr, "%s\n", twill_message());
    twill_reflectors_free(h);
    twill_stop(tw);
    return 1;
}
