/* Hashes of insertions: fewer of them, the more there are. */
#include "engine/remote/sequence.h"

#include "base/mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tw_sequence_begin(tw_sequence *s)
{
    tw_lock_take(&s->lock);
    if (!s->step) {
        s->step = s->few;
        s->room = TW_STEPS_FEW;
    }
    s->n = s->kept = 0;
    s->hash = 0;
    s->every = 1;
    tw_unlock(&s->lock);
}

void tw_sequence_end(tw_sequence *s)
{
    if (s->step != s->few)
        free(s->step);
    s->step = NULL;
}

/* False when there is no memory, or when there are enough. */
static bool grow(tw_sequence *s)
{
    int64_t room = 2 * s->room;
    tw_step *step = room > TW_STEPS ? NULL : malloc((size_t)room * sizeof *step);
    if (!step)
        return false;
    memcpy(step, s->step, (size_t)s->kept * sizeof *step);
    if (s->step != s->few)
        free(s->step);
    s->step = step;
    s->room = room;
    return true;
}

/* Of two neighbours the second stays. */
static void thin_out(tw_sequence *s)
{
    s->kept /= 2;
    s->every *= 2;
    for (int64_t i = 0; i < s->kept; i++)
        s->step[i] = s->step[2 * i + 1];
}

void tw_sequence_add(tw_sequence *s, tw_step step)
{
    tw_lock_take(&s->lock);
    s->hash = tw_mix(s->hash ^ step.hash);
    s->n++;
    if (s->n % s->every == 0) {
        if (s->kept == s->room && !grow(s))
            thin_out(s);
        step.hash = s->hash;
        if (s->n % s->every == 0)
            s->step[s->kept++] = step;
    }
    tw_unlock(&s->lock);
}

int64_t tw_sequence_find(tw_sequence *s, int64_t k, uint64_t *hash)
{
    tw_lock_take(&s->lock);
    int64_t i = (k < s->n ? k : s->n) / s->every, found = i * s->every;
    *hash = i ? s->step[i - 1].hash : 0;
    if (k >= s->n) {
        found = s->n;
        *hash = s->hash;
    }
    tw_unlock(&s->lock);
    return found;
}

int64_t tw_sequence_length(tw_sequence *s, uint64_t *hash)
{
    return tw_sequence_find(s, INT64_MAX, hash);
}

int64_t tw_sequence_grain(tw_sequence *s)
{
    tw_lock_take(&s->lock);
    int64_t every = s->every;
    tw_unlock(&s->lock);
    return every;
}

void tw_sequence_describe(tw_sequence *s, int64_t k, char text[TW_STEP_TEXT])
{
    tw_lock_take(&s->lock);
    const tw_step *x = k > 0 && k <= s->n && k % s->every == 0 ? &s->step[k / s->every - 1] : NULL;
    if (k > s->n)
        snprintf(text, TW_STEP_TEXT, "missing");
    else if (!x)
        snprintf(text, TW_STEP_TEXT, "another task");
    else if (!x->rows)
        snprintf(text, TW_STEP_TEXT, "%.100s", x->name);
    else
        snprintf(text, TW_STEP_TEXT, "%.100s at tile (%lld, %lld) of array %u", x->name,
                 (long long)(x->tile % x->rows), (long long)(x->tile / x->rows), x->array);
    tw_unlock(&s->lock);
}
