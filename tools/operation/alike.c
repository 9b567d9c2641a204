/* Ranks that were started with different command lines would wait for each other, or compute
 * something that nobody asked for. So they add up a number of what the options say: all have the
 * same if the sum is that of one, times the ranks. */
#include "operation/alike.h"

#include <string.h>

enum { BITS = 40 }; /* of the number: sums of doubles are exact */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (const unsigned char *b = bytes; size > 0; b++, size--)
        hash = (hash ^ *b) * 0x100000001b3;
    return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return text ? mix(hash, text, strlen(text) + 1) : mix(hash, "", 1);
}

/* Each rank may have its own workers, and rank 0 alone prints. */
static bool is_own(const option *o)
{
    static const char *const names[] = {"workers", "sched", "progress", "json", "quiet"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(o->name, names[i]) == 0)
            return true;
    return false;
}

/* Files may have other names on other nodes, but all ranks have them or none. */
static bool is_file(const option *o)
{
    return strcmp(o->allowed, "FILE") == 0 || strcmp(o->allowed, "DIR") == 0;
}

static uint64_t mix_option(uint64_t hash, const option *o, const problem *p)
{
    const char *at = (const char *)p + o->target;
    const char *text;
    switch (o->kind) {
    case OPTION_FLAG:
        return mix(hash, at, sizeof(bool));
    case OPTION_INTEGER:
        return mix(hash, at, sizeof(int64_t));
    case OPTION_CHOICE:
    case OPTION_TEXT:
        memcpy(&text, at, sizeof text);
        return mix_text(hash, text && is_file(o) ? "given" : text);
    case OPTION_LACKING:
        break;
    }
    return hash;
}

int alike_check(const option_set *set, const problem *p, twill *tw)
{
    int ranks = twill_ranks(tw);
    if (ranks == 1)
        return STATUS_OK;
    uint64_t hash = mix_text(0xcbf29ce484222325, p->op);
    for (int t = 0; t < OPTION_TABLES && set->tables[t]; t++)
        for (const option *o = set->tables[t]; o->name; o++)
            if (!is_own(o))
                hash = mix_option(hash, o, p);
    double mine = (double)(hash >> (64 - BITS)), sum = mine;
    twill_status status = twill_sum(tw, &sum, 1);
    if (status != TWILL_OK)
        return complain_library(p->op, status, NULL);
    if (sum == mine * ranks)
        return STATUS_OK;
    complain(p->op, "the ranks were started with different options; give all of them the same");
    return STATUS_USAGE;
}
