/* Parameterised graphs on several ranks: what a transport asks of the front end, and what the
 * front end asks of it.
 *
 * Every rank has the whole graph, so class and parameters are enough to name an instance, and the
 * successors of an instance are found on any rank, by the same walk over its `release`:
 *
 *   release.c        on the rank that ran it: to successors and tiles of this rank
 *   destinations.c   there, before that: what goes to which other rank, each region once
 *   arrive.c         on those ranks: to successors and tiles of this rank
 *   edges.c          anywhere: one call for each, and for each tile that an instance takes
 *   groups.c         ranks that get the same, and the tree by which they do
 *   wire.c           messages: what is sent, what a message that has come does
 *   message.c        what they consist of; loans.c: large values without copies
 *
 * A tile of another rank that an instance takes from memory is one more input of it: the front end
 * asks for it when all other inputs are there (fetch.c), because the tasks that send them may have
 * stored it. So nobody hears of the end of a task before its stores are there: messages leave after
 * those to tiles of this rank, and those to tiles of other ranks are answered first (store.c). */
#ifndef TW_FRONT_PTG_REMOTE_H
#define TW_FRONT_PTG_REMOTE_H

#include "front/ptg/ptg.h"

/* ---- edges.c ----------------------------------------------------------------------------- */

/* One output of an instance: to a flow of another instance, or to memory. */
typedef struct tw_ptg_edge {
    int flow;                     /* it goes out of */
    tw_ptg_class *cls;            /* of the instance that it goes to; NULL: it goes to memory */
    const int64_t *p;             /* the parameters of that instance */
    int to;                       /* its flow */
    twill_tile *tile;             /* of memory; NULL if there is no such tile */
    int64_t rank;                 /* of the other end; -1: of none */
    const twill_datatype *type;   /* the region within a rank; NULL: all */
    const twill_datatype *remote; /* the region between ranks; NULL: all */
} tw_ptg_edge;

typedef void tw_ptg_edge_visit(const tw_ptg_edge *e, void *arg);

/* Call for every output of the instance, in the order of `release`, the same on every rank. */
void tw_ptg_each_output(const tw_ptg_class *c, const int64_t *p, tw_ptg_edge_visit *visit,
                        void *arg);

/* A tile of memory that a flow of an instance starts from. */
typedef struct tw_ptg_origin {
    int flow;
    twill_tile *tile;
    int64_t rank; /* that owns it; -1: there is no such tile */
    const twill_datatype *type, *remote;
} tw_ptg_origin;

typedef void tw_ptg_origin_visit(const tw_ptg_origin *o, void *arg);

/* Call for every such tile, without taking anything. */
void tw_ptg_each_origin(const tw_ptg_class *c, const int64_t *p, tw_ptg_origin_visit *visit,
                        void *arg);

/* How many of them belong to other ranks. */
int32_t tw_ptg_remote_origins(const tw_ptg_class *c, const int64_t *p);

/* ---- destinations.c ---------------------------------------------------------------------- */

/* What travels to one rank: a flow or a region of it, once for all who need it there. */
typedef struct tw_ptg_part {
    int64_t rank;
    int flow;                 /* of the instance that sends it */
    bool control;             /* there is nothing to carry */
    bool typed;               /* only this region, else all that the flow has */
    twill_datatype type;      /* if typed */
    int64_t tasks, tiles;     /* that it is for */
    struct tw_ptg_loan *loan; /* the transport's, as are the next: the value goes by itself */
    /* Of the first part of a rank: the first part of the first rank that gets the same; and of that
     * one, how many get it, and the message. */
    int leader, ranks;
    char *message;
    size_t size;
} tw_ptg_part;

/* Which outputs are meant, if not all. */
enum { TW_PTG_TASKS = 1, TW_PTG_TILES };

/* By rank; those of one rank in the order of `release`, so that sender and receiver may number
 * them. All zero at first; may be used again and again. Not to be copied: most are few. */
enum { TW_PTG_FEW = 2 };
typedef struct tw_ptg_parts {
    tw_ptg_part *part;
    int n, room;
    int only; /* TW_PTG_TASKS, TW_PTG_TILES, or 0 */
    bool short_of_memory;
    bool nowhere; /* some output goes to a rank, or a tile, that does not exist */
    tw_ptg_part few[TW_PTG_FEW];
} tw_ptg_parts;

enum { TW_PTG_OTHERS = -1 };

/* What an instance sends to `rank`, or to all ranks but the one that runs it (TW_PTG_OTHERS); false
 * when there is no memory. On rank r, `rank` r says what to expect from a task that ran elsewhere.
 */
bool tw_ptg_destinations(const tw_ptg_class *c, const int64_t *p, int64_t rank,
                         tw_ptg_parts *parts);

/* A bit for each flow of which something goes to `rank`. */
uint32_t tw_ptg_flows_to(const tw_ptg_parts *parts, int64_t rank);

/* Is the output one that the part is for? */
bool tw_ptg_part_carries(const tw_ptg_part *part, const tw_ptg_edge *e);

/* Where the parts of the rank that part `i` is for end. */
int tw_ptg_end_of_rank(const tw_ptg_parts *parts, int i);

void tw_ptg_parts_free(tw_ptg_parts *parts);

/* ---- groups.c ---------------------------------------------------------------------------- */

/* Find for each rank the first one that gets the same parts: together they are a *group*, to which
 * one message goes. */
void tw_ptg_find_groups(tw_ptg_parts *parts);

/* A walk over the ranks of a group in the order of its tree: in turn after the one that runs the
 * instance. */
typedef struct tw_ptg_members {
    const tw_ptg_parts *parts;
    int leader;   /* the first part of the group */
    int64_t root; /* who runs the instance */
    int node;     /* of the member that was found, from 1 on */
    int at;
    bool wrapped;
} tw_ptg_members;

/* The first part of the next rank; NULL: there is none. */
const tw_ptg_part *tw_ptg_next_member(tw_ptg_members *m);

/* ---- arrive.c ---------------------------------------------------------------------------- */

/* `n` parts of what instance `p`, which ran on another rank, has sent here are there: they go to
 * those successors and tiles of this rank that they are for. value[i], NULL for control and for a
 * flow without data, has the region of part[i] in place; a hold of it is taken over. `ready`,
 * empty at first, gets tasks that have all inputs now, counted as added. Each part arrives once. */
void tw_ptg_arrive(tw_worker *w, const tw_ptg_class *c, const int64_t *p, const tw_ptg_part *part,
                   tw_value *const *value, int n, tw_ready *ready);

/* The tile that flow `flow` of instance `p` waits for is there, or what the flow takes of it; a
 * hold of the value is taken over. */
void tw_ptg_fetched(tw_worker *w, tw_ptg_class *c, const int64_t *p, int flow, tw_value *v,
                    tw_ready *ready);

/* ---- store.c ----------------------------------------------------------------------------- */

/* Does the task store into tiles of other ranks? Then these have to be there before anybody hears
 * of its end: the rest of its release waits for the answers of their owners. What it has is taken
 * over. */
bool tw_ptg_store_first(tw_worker *w, twill_task *t, const tw_ptg_parts *parts);

/* One of them has stored what this one, which store_first has made, sent there. False: there is no
 * such task. */
bool tw_ptg_stored(tw_worker *w, tw_ptg *ptg, const twill_task *t, tw_ready *ready);

/* Forget those that still wait: the graph has failed. */
void tw_ptg_stores_clear(tw_ptg *ptg, tw_worker *w);

/* The release of a task whose stores elsewhere are done (release.c). */
void tw_ptg_release_rest(tw_worker *w, twill_task *t, tw_ready *ready);

/* ---- what the transport does ------------------------------------------------------------- */

typedef struct tw_ptg_transport {
    /* Task t is over, and these parts go to other ranks: make messages of them. Before anybody on
     * this rank gets its values, which lie in tw_ptg_values(t), NULL where there is no data. */
    void (*pack)(twill_task *t, tw_ptg_parts *parts);

    /* Send those messages: what t stores on this rank is there. If they are for tiles only, each
     * rank that they go to answers by tw_ptg_stored(t). */
    void (*send)(twill_task *t, tw_ptg_parts *parts);

    /* Instance `p` was made and waits for this tile of another rank; end it by tw_ptg_fetched. */
    void (*fetch)(tw_worker *w, tw_ptg_class *c, const int64_t *p, const tw_ptg_origin *o);
} tw_ptg_transport;

/* Messages of the context's endpoint, and what they do here (wire.c). */
extern const tw_ptg_transport tw_ptg_wire;
void tw_ptg_receive(twill_graph *g, tw_worker *w, int from, int kind, const void *bytes,
                    size_t size);

/* There is none: nothing arrives, and graphs that wait for it end stuck. */
extern const tw_ptg_transport tw_ptg_no_transport;

/* ---- place.c ----------------------------------------------------------------------------- */

/* Class number `number` of a parameterised graph, or NULL. */
tw_ptg_class *tw_ptg_class_number(const twill_graph *g, int number);

/* Who runs an instance, -1: a rank that does not exist; who owns a tile, -1: it is NULL. */
int64_t tw_ptg_rank(const tw_ptg_class *c, const int64_t *p);
int64_t tw_ptg_owner(const twill_tile *tile);

#endif
