/* What a context takes from the tuning file. */
#include "la/tuning.h"

#include "base/abi.h"
#include "base/stored.h"
#include "engine/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tw_tuning *open_tuning(const twill *tw)
{
    const char *wanted = tw->options.text[TW_OPT_TUNE];
    tw_tuning *t = calloc(1, sizeof *t);
    if (!t || strcmp(wanted, "off") == 0)
        return t;
    if (strchr(wanted, '/'))
        snprintf(t->file, sizeof t->file, "%s", wanted);
    else
        tw_stored_place("tune", tw->topo.machine.cpu, t->file, sizeof t->file);
    if (*t->file)
        tw_tuning_read(t->file, tw->topo.machine.cpu, &t->found);
    return t;
}

static const char key;

static void close_tuning(tw_extension *x)
{
    free(x);
}

const tw_tuning *tw_tuning_get_locked(twill *tw)
{
    tw_tuning *t = (tw_tuning *)tw_extension_find(tw, &key);
    if (!t && (t = open_tuning(tw))) {
        t->extension = (tw_extension){.key = &key, .close = close_tuning};
        tw_extension_add(tw, &t->extension);
    }
    return t;
}

const tw_tuning *tw_tuning_get(twill *tw)
{
    pthread_mutex_lock(&tw->wait_mutex);
    const tw_tuning *t = tw_tuning_get_locked(tw);
    pthread_mutex_unlock(&tw->wait_mutex);
    return t;
}

bool tw_tuning_applies(const twill *tw)
{
    char *const *option = tw->options.text;
    return !strcmp(option[TW_OPT_BLAS], "auto") && !strcmp(option[TW_OPT_LAPACK], "auto") &&
           !strcmp(option[TW_OPT_KERNELS], "auto");
}

/* How well a measurement suits: sizes matter by their ratio, another type counts as farther away
 * than any size. */
static double distance(const twill_tuned_tile *tile, char type, int64_t n)
{
    return fabs(log((double)tile->n) - log((double)n)) + (tile->type == type ? 0 : 1000);
}

int64_t tw_tuning_tile(const twill_tuning *t, twill_type type, int workers, int64_t n)
{
    static const char prefixes[] = {[TWILL_FLOAT32] = 's',
                                    [TWILL_FLOAT64] = 'd',
                                    [TWILL_COMPLEX64] = 'c',
                                    [TWILL_COMPLEX128] = 'z'};
    char prefix = type >= TWILL_FLOAT32 && type <= TWILL_COMPLEX128 ? prefixes[type] : 'd';
    const twill_tuned_tile *best = NULL;
    for (int i = 0; i < t->tiles && n > 0; i++) {
        const twill_tuned_tile *tile = &t->tile[i];
        if (tile->workers == workers &&
            (!best || distance(tile, prefix, n) < distance(best, prefix, n)))
            best = tile;
    }
    return best ? best->nb : 0;
}

/* ---- the API ----------------------------------------------------------------------------- */

twill_status twill_tune_get(twill *tw, twill_tuning *tuning)
{
    if (!tw || !tuning)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_get: an argument is NULL");
    const tw_tuning *t = tw_tuning_get(tw);
    static const twill_tuning nothing;
    return TW_ABI_OUT(twill_tuning, tile, tuning, t ? &t->found : &nothing);
}

const char *twill_tune_file(twill *tw)
{
    const tw_tuning *t = tw ? tw_tuning_get(tw) : NULL;
    return t ? t->file : "";
}

static twill_status check(const twill_tuning *t)
{
    if (t->tiles < 0 || t->tiles > TWILL_TUNED_TILES || t->one_tile < 0)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_set: %d tile sizes, one tile up to %lld",
                       t->tiles, (long long)t->one_tile);
    for (int i = 0; i < t->tiles; i++)
        if (t->tile[i].n < 1 || t->tile[i].nb < 1 || t->tile[i].workers < 1 ||
            !strchr("sdcz", t->tile[i].type) || !t->tile[i].type)
            return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_set: tile size number %d is not valid",
                           i);
    return TWILL_OK;
}

twill_status twill_tune_set(twill *tw, const twill_tuning *given)
{
    twill_tuning tuning = {.size = sizeof tuning};
    if (!tw || !given)
        return tw_fail(TWILL_ERR_ARGUMENT, "twill_tune_set: an argument is NULL");
    twill_status status = TW_ABI_IN(twill_tuning, tile, &tuning, given);
    if (status == TWILL_OK)
        status = check(&tuning);
    if (status != TWILL_OK)
        return status;
    const tw_tuning *t = tw_tuning_get(tw);
    if (!t || !*t->file)
        return tw_fail(TWILL_ERR_STATE, "there is no file to remember it in: option tune "
                                        "(TWILL_TUNE) is off, or neither XDG_CACHE_HOME nor HOME "
                                        "is set");
    return tw_tuning_write(t->file, tw->topo.machine.cpu, &tuning);
}
