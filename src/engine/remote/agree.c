/* Comparing what ranks insert: statements to rank 0, and its search for the first difference. */
#include "engine/remote/agree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STALL_US = 50000 };

/* What a rank has said last. */
typedef struct statement {
    int64_t n; /* insertions; -1: nothing yet */
    uint64_t hash;
    bool waits;
    int64_t compared; /* so many were compared, or more */
} statement;

typedef enum turn { IDLE, ASK, HEAR } turn;

/* Of rank 0: where the sequence of another rank begins to differ. */
typedef struct search {
    int rank; /* 0: there is no search */
    turn turn;
    bool certain;      /* that there is a difference; else it may be too early to tell */
    bool describe;     /* all is known but what the other one has inserted */
    int64_t low, high; /* the same up to low; not at high, if that is not 0 */
    int64_t top;       /* so many were inserted by both */
    int64_t k;         /* what is asked about */
    int64_t grain;     /* the other's */
} search;

struct tw_agreement {
    tw_sequence *sequence;
    bool stated;      /* that this rank waits; for rank 0, that it knows so itself */
    int64_t seen;     /* insertions at the last look */
    int64_t said;     /* insertions when it had stopped inserting, at the last such look */
    uint64_t look_at; /* when to look again; 0: not yet known */
    bool asked;       /* rank 0 wants to know about this: */
    bool describe;
    int64_t k;
    /* of rank 0 */
    search search;
    uint64_t silent_at; /* it waits: then those who have said nothing are asked, 0: no more */
    statement of[];
};

tw_agreement *tw_agree_open(tw_sequence *sequence, int ranks)
{
    tw_agreement *a = calloc(1, sizeof *a + (size_t)ranks * sizeof a->of[0]);
    if (a)
        a->sequence = sequence;
    return a;
}

void tw_agree_close(tw_agreement *a)
{
    free(a);
}

void tw_agree_begin(tw_agreement *a, int ranks)
{
    a->stated = a->asked = false;
    a->seen = a->said = -1;
    a->look_at = a->silent_at = 0;
    a->search = (search){0};
    for (int i = 0; i < ranks; i++)
        a->of[i] = (statement){.n = -1};
}

static int ranks_of(const tw_shared *s)
{
    return s->graph->tw->data.ranks;
}

static bool is_first(const tw_shared *s)
{
    return s->graph->tw->data.rank == 0;
}

/* Takes over the text. */
static bool send(const tw_shared *s, int to, tw_remote_what what, const int64_t word[3], char *text)
{
    tw_remote_head head = tw_remote_head_of(s, what);
    memcpy(head.word, word, 3 * sizeof *word);
    return tw_remote_send(s->graph->tw, to, &head, text, text ? strlen(text) : 0) == TWILL_OK;
}

/* acquire pairs with the release in tw_shared_close: what was inserted is there */
static bool waits(const tw_shared *s)
{
    return atomic_load_explicit(&s->closing, memory_order_acquire);
}

/* ---- the search of rank 0 ---------------------------------------------------------------- */

static void ask(tw_shared *s)
{
    search *x = &s->agree->search;
    if (send(s, x->rank, TW_REMOTE_LOOK, (int64_t[]){x->k, x->describe, 0}, NULL))
        x->turn = HEAR;
}

static void ask_about(tw_shared *s, int64_t k)
{
    s->agree->search.k = k;
    s->agree->search.turn = ASK;
    ask(s);
}

static void begin_search(tw_shared *s, int rank, bool certain)
{
    tw_agreement *a = s->agree;
    uint64_t hash;
    int64_t n = tw_sequence_length(a->sequence, &hash), theirs = a->of[rank].n;
    a->search = (search){.rank = rank, .certain = certain, .top = n < theirs ? n : theirs};
    ask_about(s, a->search.top);
}

static void report(tw_shared *s, const char *theirs)
{
    search *x = &s->agree->search;
    char ours[TW_STEP_TEXT];
    if (x->high - x->low > 1)
        tw_graph_fail(s->graph, TWILL_ERR_STATE,
                      "ranks 0 and %d insert different tasks: the first difference is among "
                      "numbers %lld to %lld since the last wait",
                      x->rank, (long long)x->low + 1, (long long)x->high);
    tw_sequence_describe(s->agree->sequence, x->high, ours);
    tw_graph_fail(s->graph, TWILL_ERR_STATE,
                  "ranks 0 and %d insert different tasks: number %lld since the last wait is %s on "
                  "rank 0, and %s%s on rank %d",
                  x->rank, (long long)x->high, ours, theirs,
                  strcmp(ours, theirs) ? "" : " with other arguments", x->rank);
    x->rank = 0;
}

/* Ask about a number in the middle, one that both may have kept, or come to an end. */
static void go_on(tw_shared *s)
{
    tw_agreement *a = s->agree;
    search *x = &a->search;
    int64_t grain = tw_sequence_grain(a->sequence);
    grain = grain > x->grain ? grain : x->grain;
    int64_t k = (x->low + x->high) / 2 / grain * grain;
    if (k <= x->low)
        k = (x->high - 1) / grain * grain;
    if (k > x->low) {
        ask_about(s, k);
    } else if (x->high - x->low > 1) {
        report(s, "");
    } else {
        x->describe = true;
        ask_about(s, x->high);
    }
}

/* They have the same hash at number k, or not. */
static void compare(tw_shared *s, int64_t k, bool same)
{
    search *x = &s->agree->search;
    if (same)
        x->low = k > x->low ? k : x->low;
    else
        x->high = k;
    if (!x->high && x->certain) /* one has inserted more than the other, or the last ones differ */
        x->high = x->top + 1;
    if (x->high) {
        go_on(s);
        return;
    }
    s->agree->of[x->rank].compared = x->top;
    x->rank = 0;
}

/* What the other rank has at number k, or at one before. */
static void hear(tw_shared *s, const tw_remote_head *head, const char *text, size_t size)
{
    search *x = &s->agree->search;
    char theirs[TW_STEP_TEXT] = "another";
    uint64_t hash;
    if (x->rank != head->from || x->turn != HEAR)
        return;
    x->turn = IDLE;
    x->grain = head->word[2];
    if (x->describe) {
        if (size)
            snprintf(theirs, sizeof theirs, "%.*s", (int)size, text);
        report(s, theirs);
        return;
    }
    int64_t k = tw_sequence_find(s->agree->sequence, head->word[0], &hash);
    if (k < head->word[0] && k > x->low)
        ask_about(s, k);
    else if (k < head->word[0])
        compare(s, x->low, true); /* nothing in common but what is known */
    else
        compare(s, k, hash == (uint64_t)head->word[1]);
}

/* Compare with what a rank has said. If one of them does not go on, then as far as both are: what
 * it waits for may never come. */
static void examine(tw_shared *s, int rank)
{
    tw_agreement *a = s->agree;
    statement *x = &a->of[rank];
    uint64_t hash;
    if (x->n < 0 || a->search.rank || tw_graph_failed(s->graph))
        return;
    bool closed = waits(s); /* before its length: then that is the last one */
    int64_t n = tw_sequence_length(a->sequence, &hash), common = n < x->n ? n : x->n;
    if (closed && x->waits && n == x->n && hash == x->hash)
        x->compared = n;
    else if ((closed && x->n > n) || (x->waits && n > x->n) || (closed && x->waits))
        begin_search(s, rank, true);
    else if ((n == a->said || !x->waits) && common > x->compared)
        begin_search(s, rank, false);
}

static void examine_all(tw_shared *s)
{
    for (int i = 1; i < ranks_of(s); i++)
        examine(s, i);
}

/* Who says nothing is late, or has a graph of another sort under this number: that one says so when
 * it gets any message of this one. */
static void ask_the_silent(tw_shared *s)
{
    tw_agreement *a = s->agree;
    if (!a->silent_at || tw_ticks() < a->silent_at)
        return;
    a->silent_at = 0;
    for (int i = 1; i < ranks_of(s); i++)
        if (a->of[i].n < 0 && !send(s, i, TW_REMOTE_LOOK, (int64_t[]){-1, 0, 0}, NULL))
            a->silent_at = 1; /* again at the next poll */
}

bool tw_agree_reached(const tw_shared *s)
{
    const tw_agreement *a = s->agree;
    uint64_t hash;
    if (tw_graph_failed(s->graph))
        return true;
    int64_t n = tw_sequence_length(a->sequence, &hash);
    int i = 1;
    while (i < ranks_of(s) && a->of[i].waits && a->of[i].n == n && a->of[i].hash == hash)
        i++;
    return i == ranks_of(s) && !a->search.rank;
}

/* ---- every rank -------------------------------------------------------------------------- */

static bool state(tw_shared *s, bool waits_now)
{
    uint64_t hash;
    int64_t n = tw_sequence_length(s->agree->sequence, &hash);
    return send(s, 0, TW_REMOTE_STATE, (int64_t[]){n, (int64_t)hash, waits_now}, NULL);
}

/* Without memory for the text the rest will do. */
static bool answer(tw_shared *s)
{
    tw_agreement *a = s->agree;
    uint64_t hash;
    int64_t k = tw_sequence_find(a->sequence, a->k, &hash);
    char *text = a->describe ? malloc(TW_STEP_TEXT) : NULL;
    if (text)
        tw_sequence_describe(a->sequence, a->k, text);
    return send(s, 0, TW_REMOTE_STEP, (int64_t[]){k, (int64_t)hash, tw_sequence_grain(a->sequence)},
                text);
}

/* Has nothing been inserted for some time? Said once about each number. */
static bool is_stalled(tw_shared *s)
{
    tw_agreement *a = s->agree;
    uint64_t hash, now = tw_ticks(), pause = STALL_US * s->graph->tw->us_ticks;
    if (now < a->look_at)
        return false;
    bool first = a->look_at == 0;
    int64_t n = tw_sequence_length(a->sequence, &hash), seen = a->seen;
    a->look_at = now + pause;
    a->seen = n;
    return !first && n == seen && n != a->said;
}

void tw_agree_poll(tw_shared *s)
{
    tw_agreement *a = s->agree;
    if (a->asked)
        a->asked = !answer(s);
    if (a->search.rank && a->search.turn == ASK)
        ask(s);
    if (!tw_graph_failed(s->graph))
        ask_the_silent(s);
    if (a->stated || tw_graph_failed(s->graph))
        return;
    bool now = waits(s);
    if ((!now && !is_stalled(s)) || (!is_first(s) && !state(s, now)))
        return;
    a->stated = now;
    a->said = a->seen;
    if (!is_first(s))
        return;
    if (now)
        a->silent_at = tw_ticks() + STALL_US * s->graph->tw->us_ticks;
    examine_all(s);
}

void tw_agree_receive(tw_shared *s, const tw_remote_head *head, const char *text, size_t size)
{
    tw_agreement *a = s->agree;
    switch ((tw_remote_what)head->what) {
    case TW_REMOTE_STATE:
        a->of[head->from].n = head->word[0];
        a->of[head->from].hash = (uint64_t)head->word[1];
        a->of[head->from].waits = head->word[2];
        examine(s, head->from);
        break;
    case TW_REMOTE_LOOK:
        if (head->word[0] < 0)
            break;
        a->asked = true;
        a->k = head->word[0];
        a->describe = head->word[1];
        break;
    default:
        hear(s, head, text, size);
        if (!a->search.rank) /* others may have spoken meanwhile */
            examine_all(s);
        break;
    }
}
