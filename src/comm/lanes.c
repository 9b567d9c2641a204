/* Lanes, random delays and random orders. */
#include "comm/lanes.h"

#include "base/mix.h"

#include <stdlib.h>

bool tw_lanes_open(tw_lanes *lanes, int ranks, const tw_loopback_options *options, int rank)
{
    *lanes = (tw_lanes){.lane = calloc(2 * (size_t)ranks, sizeof(tw_lane)),
                        .ranks = ranks,
                        .delay = options->delay,
                        .reorder = options->reorder,
                        .random = tw_mix(options->seed + (uint64_t)rank)};
    return lanes->lane;
}

void tw_lanes_close(tw_lanes *lanes)
{
    free(lanes->lane);
}

static uint64_t random_below(tw_lanes *lanes, uint64_t n)
{
    lanes->random = tw_mix(lanes->random);
    return lanes->random % n;
}

/* Messages of one rank stay in order. Nothing else has one: let nobody depend on it. */
static int lane_of(tw_lanes *lanes, const tw_packet *p)
{
    if (p->kind == TW_PACKET_MESSAGE && !p->returning)
        return p->from;
    int other = p->returning ? p->to : p->from;
    return lanes->ranks +
           (lanes->reorder ? (int)random_below(lanes, (uint64_t)lanes->ranks) : other);
}

void tw_lanes_add(tw_lanes *lanes, tw_packet *p)
{
    tw_lane *lane = &lanes->lane[lane_of(lanes, p)];
    p->next = NULL;
    p->order = lanes->order++;
    p->due = lanes->polls + (lanes->delay ? random_below(lanes, lanes->delay + 1u) : 0);
    if (lane->first)
        lane->last->next = p;
    else
        lane->first = p;
    lane->last = p;
    lanes->waiting++;
}

static tw_packet *take_first(tw_lanes *lanes, tw_lane *lane)
{
    tw_packet *p = lane->first;
    lane->first = p->next;
    lanes->waiting--;
    return p;
}

tw_packet *tw_lanes_take(tw_lanes *lanes)
{
    tw_lane *chosen = NULL;
    uint64_t due = 0;
    for (int i = 0; i < 2 * lanes->ranks && lanes->waiting > 0; i++) {
        tw_lane *lane = &lanes->lane[i];
        if (!lane->first || lane->first->due > lanes->polls)
            continue;
        /* reordered: each of those that are due with the same probability */
        if (lanes->reorder ? random_below(lanes, ++due) == 0
                           : !chosen || lane->first->order < chosen->first->order)
            chosen = lane;
    }
    return chosen ? take_first(lanes, chosen) : NULL;
}

tw_packet *tw_lanes_take_all(tw_lanes *lanes)
{
    tw_packet *all = NULL, **end = &all;
    for (int i = 0; i < 2 * lanes->ranks; i++)
        while (lanes->lane[i].first) {
            *end = take_first(lanes, &lanes->lane[i]);
            end = &(*end)->next;
        }
    *end = NULL;
    return all;
}

tw_packet *tw_lanes_recall(tw_lanes *lanes, int from)
{
    tw_packet *recalled = NULL, **end = &recalled;
    for (int i = 0; i < 2 * lanes->ranks; i++) {
        tw_lane *lane = &lanes->lane[i];
        tw_packet *last = NULL;
        for (tw_packet **link = &lane->first; *link;) {
            tw_packet *p = *link;
            if (p->from != from || p->returning || !p->done) {
                last = p;
                link = &p->next;
                continue;
            }
            *link = p->next;
            lanes->waiting--;
            *end = p;
            end = &p->next;
        }
        lane->last = last;
    }
    *end = NULL;
    return recalled;
}
