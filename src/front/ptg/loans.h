/* Large values between ranks: see loans.c. */
#ifndef TW_FRONT_PTG_LOANS_H
#define TW_FRONT_PTG_LOANS_H

#include "front/ptg/ptg.h"

/* Bytes from which on a value is lent: below, a copy costs less than one more message. */
enum { TW_PTG_LEND = 16 << 10 };

typedef struct tw_ptg_loan tw_ptg_loan;

/* Hold the value to be sent by itself, if that area is all of it, without gaps, and large. NULL: it
 * is to be packed. */
tw_ptg_loan *tw_ptg_lend(tw_ptg *ptg, tw_value *v, tw_area area);
int64_t tw_ptg_loan_number(const tw_ptg_loan *l);

/* Send it, which ends the loan some time; or end it. */
void tw_ptg_loan_send(tw_ptg_loan *l, int to);
void tw_ptg_loan_end(tw_ptg_loan *l, tw_worker *w);

/* The value with that number that has come from a rank, with its hold; NULL: none has. By who polls
 * the transport. */
tw_value *tw_ptg_landed(tw_ptg *ptg, int from, int64_t number);

/* What the transport asks and brings: see tw_graph_ops. */
void *tw_ptg_place(twill_graph *g, tw_worker *w, int from, const int64_t *word);
void tw_ptg_land(twill_graph *g, tw_worker *w, int from, const int64_t *word, const void *bytes,
                 size_t size);

/* Forget those that nobody has named: the graph has failed. */
void tw_ptg_landings_clear(tw_ptg *ptg, tw_worker *w);

#endif
