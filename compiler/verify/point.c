/* Questions put to isl: is this set empty, and if not, what is in it? */
#include "verify/poly.h"

#include <isl/ctx.h>
#include <isl/point.h>
#include <time.h>

/* isl counts steps of its solvers. This many take about a second. */
enum { BUDGET = 1000 * 1000, NEXT_TO_NOTHING = 1, WORLD_STEPS = 20 * 1000 * 1000 };

int64_t poly_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

bool poly_is_late(const poly *p)
{
    return poly_clock() > p->deadline;
}

void poly_fresh_budget(poly *p)
{
    isl_ctx_reset_error(p->ctx);
    isl_ctx_reset_operations(p->ctx);
    isl_ctx_set_max_operations(p->ctx, poly_is_late(p) ? NEXT_TO_NOTHING : BUDGET);
}

/* ---- Where to look ----------------------------------------------------------------------- */

/* Values of globals that are tried first: people think in small positive sizes. */
typedef struct box {
    int lo, hi;
} box;

enum { FAR = 1 << 20 };
static const box boxes[] = {{1, 3},   {1, 8},  {1, 64},   {1, 1024},     {1, FAR},   {0, 1024},
                            {0, FAR}, {-8, 8}, {-64, 64}, {-1024, 1024}, {-FAR, FAR}};
enum { BOXES = sizeof boxes / sizeof *boxes };

/* Parameters first, then the coordinates of the tuple, all of them dimensions. */
static isl_set *without_params(const poly *p, isl_set *set)
{
    unsigned params = (unsigned)p->param_count;
    set = isl_set_insert_dims(isl_set_flatten(set), isl_dim_set, 0, params);
    for (int i = 0; i < p->param_count; i++)
        set = isl_set_equate(set, isl_dim_param, i, isl_dim_set, i);
    return isl_set_project_out(set, isl_dim_param, 0, params);
}

static isl_set *bounded(isl_set *set, int first, int count, int lo, int hi)
{
    for (int i = first; i < first + count; i++) {
        set = isl_set_lower_bound_si(set, isl_dim_set, (unsigned)i, lo);
        set = isl_set_upper_bound_si(set, isl_dim_set, (unsigned)i, hi);
    }
    return set;
}

/* The part whose parameters are in the box. Takes the set. */
static isl_set *within(isl_set *set, int params, box b)
{
    isl_size dims = isl_set_dim(set, isl_dim_set);
    set = bounded(set, 0, params, b.lo, b.hi);
    return bounded(set, params, dims < params ? 0 : dims - params, -FAR, FAR);
}

static bool is_empty(poly *p, isl_set *set)
{
    poly_fresh_budget(p);
    bool empty = isl_set_is_empty(set) != isl_bool_false;
    isl_set_free(set);
    return empty;
}

/* The smallest box of its kind, not greater than this one, that leaves something of the set. */
static box shrink(poly *p, isl_set *set, box b)
{
    int least = b.lo > 0 ? b.lo : 0;
    for (int hi = b.hi; least < hi;) {
        int middle = least + (hi - least) / 2;
        box smaller = {b.lo < 0 ? -middle : b.lo, middle};
        if (is_empty(p, within(isl_set_copy(set), p->param_count, smaller)))
            least = middle + 1;
        else
            hi = middle;
    }
    return (box){b.lo < 0 ? -least : b.lo, least};
}

/* The smallest point whose parameters are in the box; NULL if there is none. */
static isl_point *smallest(poly *p, isl_set *set, box b)
{
    if (is_empty(p, within(isl_set_copy(set), p->param_count, b)))
        return NULL;
    box least = p->param_count ? shrink(p, set, b) : b;
    poly_fresh_budget(p);
    set = within(isl_set_copy(set), p->param_count, least);
    return isl_set_sample_point(isl_set_lexmin(set));
}

/* ---- What is there ----------------------------------------------------------------------- */

typedef struct question {
    poly *poly;
    poly_confirm *confirm;
    void *context;
} question;

static bool coordinates(isl_point *at, int64_t *values, int count)
{
    bool good = true;
    for (int i = 0; i < count && good; i++) {
        isl_val *v = isl_point_get_coordinate_val(at, isl_dim_set, i);
        good = v && isl_val_is_int(v) == isl_bool_true && isl_val_cmp_si(v, INT32_MAX) < 0 &&
               isl_val_cmp_si(v, INT32_MIN) > 0;
        values[i] = good ? isl_val_get_num_si(v) : 0;
        isl_val_free(v);
    }
    return good;
}

static void choose(const poly *p, world *w, const int64_t *values)
{
    for (int i = 0; i < p->param_count; i++) {
        const poly_param *q = &p->params[i];
        if (q->kind == PARAM_MEMBER)
            world_choose_member(w, q->index, values[i]);
        if (q->kind == PARAM_GLOBAL)
            world_choose_global(w, q->index, values[i]);
    }
    eval_settle(&w->eval);
}

static bool try_values(question *q, isl_point *at, int count)
{
    poly *p = q->poly;
    arena scratch = {0};
    int64_t *values = arena_get(&scratch, sizeof *values * (size_t)(count + 1));
    world w;
    bool is = false;
    if (coordinates(at, values, count)) {
        world_make(&w, p->file, &scratch, WORLD_STEPS);
        choose(p, &w, values);
        is = world_is_assumed(&w) && q->confirm(q->context, &w, values + p->param_count);
    }
    arena_free(&scratch);
    return is;
}

/* Takes the point. */
static bool try(question *q, isl_point *at)
{
    if (!at)
        return false;
    isl_space *space = isl_point_get_space(at);
    isl_size count = isl_space_dim(space, isl_dim_set);
    bool is = isl_point_is_void(at) == isl_bool_false && count >= 0 && !poly_is_late(q->poly) &&
              try_values(q, at, count);
    isl_space_free(space);
    isl_point_free(at);
    return is;
}

poly_answer poly_ask(poly *p, isl_set *set, poly_confirm *confirm, void *context)
{
    question q = {p, confirm, context};
    set = isl_set_coalesce(set);
    isl_bool empty = isl_set_is_empty(set);
    poly_answer answer = empty == isl_bool_true ? NO_POINT : UNSURE;
    if (empty == isl_bool_false) {
        set = isl_set_coalesce(isl_set_compute_divs(without_params(p, set)));
        for (int i = 0; i < BOXES && answer == UNSURE; i++) {
            if (try(&q, smallest(p, set, boxes[i])))
                answer = CONFIRMED;
        }
        poly_fresh_budget(p);
        if (answer == UNSURE && try(&q, isl_set_sample_point(isl_set_copy(set))))
            answer = CONFIRMED;
    }
    isl_set_free(set);
    return answer;
}
