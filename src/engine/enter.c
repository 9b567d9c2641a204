/* Which worker a thread is. */
#include "engine/engine.h"

#include <stdlib.h>

/* The one fact about a thread that no context can hold. It is read at every insertion, so it lives
 * where a shared library reaches it without a call. */
static _Thread_local tw_worker *self __attribute__((tls_model("initial-exec")));

tw_worker *tw_self(const twill *tw)
{
    return self && self->tw == tw ? self : NULL;
}

bool tw_in_task(const twill *tw)
{
    const tw_worker *w = self;
    while (w && w->tw != tw)
        w = w->outer;
    return w;
}

void *tw_workspace(size_t size)
{
    if (!self)
        return NULL;
    if (self->workspace_size < size) {
        free(self->workspace);
        self->workspace = aligned_alloc(TW_LINE, tw_whole_lines(size));
        self->workspace_size = self->workspace ? size : 0;
    }
    return self->workspace;
}

tw_worker *tw_become(tw_worker *w)
{
    tw_worker *before = self;
    self = w;
    return before;
}

tw_worker *tw_enter(twill *tw)
{
    tw_worker *w = self;
    if (!w || w->tw != tw) {
        w = &tw->worker[0];
        if (tw_unlikely(!tw_trylock(&w->acting))) {
            w = &tw->worker[tw->workers];
            tw_lock_take(&w->acting);
        }
    }
    tw_return(w);
    return w;
}

void tw_exit(tw_worker *w)
{
    tw_leave(w);
    if (w != self)
        tw_unlock(&w->acting);
}
