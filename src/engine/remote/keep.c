/* What came too early, by run. */
#include "engine/remote/keep.h"

#include <stdlib.h>
#include <string.h>

void tw_keep_open(tw_keep *all)
{
    for (int i = 0; i < TW_KEEP_SPARES; i++) {
        all->spares[i].later = all->spare;
        all->spare = &all->spares[i];
    }
}

static void release(tw_keep *all, tw_kept *k)
{
    free(k->bytes);
    if (!k->spare) {
        free(k);
        return;
    }
    k->later = all->spare;
    all->spare = k;
}

static bool take_nothing(void *arg, const tw_kept *k)
{
    (void)arg, (void)k;
    return true;
}

void tw_keep_close(tw_keep *all)
{
    tw_keep_offer(all, take_nothing, NULL);
}

/* That a rank has left is told before its run begins: it waits for the graph alone. */
static bool is_same_run(const tw_remote_head *a, const tw_remote_head *b)
{
    return a->graph == b->graph && a->run == b->run &&
           (a->what == TW_REMOTE_LEFT) == (b->what == TW_REMOTE_LEFT);
}

/* The first one to that run, or where it would be. */
static tw_kept **find_run(tw_keep *all, const tw_remote_head *head)
{
    tw_kept **link = &all->runs;
    while (*link && !is_same_run(&(*link)->head, head))
        link = &(*link)->next;
    return link;
}

bool tw_keep_has(const tw_keep *all, const tw_remote_head *head)
{
    return all->runs && *find_run((tw_keep *)(uintptr_t)all, head);
}

static tw_kept *new_kept(tw_keep *all, size_t size)
{
    tw_kept *k = malloc(sizeof *k);
    void *bytes = malloc(size + 1);
    if (k && bytes) {
        *k = (tw_kept){.bytes = bytes, .size = size};
        return k;
    }
    free(k);
    free(bytes);
    k = all->spare;
    if (k) {
        all->spare = k->later;
        *k = (tw_kept){.spare = true};
    }
    return k;
}

static bool is_front(const tw_remote_head *head)
{
    return head->what == TW_REMOTE_FRONT || head->what == TW_REMOTE_LOAN;
}

/* A spare one that says already that there was no memory for messages to this run, or NULL. */
static tw_kept *find_spare(tw_kept *k)
{
    while (k && !(k->spare && is_front(&k->head)))
        k = k->later;
    return k;
}

void tw_keep_add(tw_keep *all, const tw_remote_head *head, const void *bytes, size_t size)
{
    tw_kept **run = find_run(all, head), *first = *run;
    tw_kept *k = new_kept(all, size);
    tw_kept *same = (!k || k->spare) && is_front(head) ? find_spare(first) : NULL;
    if (same) {
        same->more++;
        if (k)
            release(all, k);
        return;
    }
    if (!k)
        return; /* more than what any runs have that have not begun */
    k->head = *head;
    if (k->bytes && size)
        memcpy(k->bytes, bytes, size);
    if (first)
        first->last->later = k;
    else
        *run = k;
    (first ? first : k)->last = k;
}

/* The first one of a run goes; the next one takes its place. */
static void remove_first(tw_keep *all, tw_kept **link)
{
    tw_kept *k = *link, *heir = k->later ? k->later : k->next;
    if (k->later) {
        k->later->next = k->next;
        k->later->last = k->last;
    }
    *link = heir;
    release(all, k);
}

void tw_keep_offer(tw_keep *all, bool (*take)(void *arg, const tw_kept *k), void *arg)
{
    for (tw_kept **link = &all->runs; *link;)
        if (take(arg, *link))
            remove_first(all, link);
        else
            link = &(*link)->next;
}
