/* Large values between ranks: see loans.c. */
#ifndef TW_FRONT_PTG_LOANS_H
#define TW_FRONT_PTG_LOANS_H

#include "front/ptg/ptg.h"

typedef struct tw_ptg_loan tw_ptg_loan;

/* Bytes of a tile or buffer of that shape; -1: there can be none. */
int64_t tw_ptg_bytes(int64_t rows, int64_t cols, int64_t element);

/* Hold the value to be sent by itself, if that area is all of it, without gaps, and large. NULL: it
 * is to be packed. */
tw_ptg_loan *tw_ptg_lend(tw_ptg *ptg, tw_value *v, tw_area area);

/* Hold a value that has landed here to be sent on, under the number that it has; NULL: no memory.
 */
tw_ptg_loan *tw_ptg_lend_on(tw_ptg *ptg, tw_value *v, int64_t number);

/* A number that no other loan of any rank has, and its bytes. */
int64_t tw_ptg_loan_number(const tw_ptg_loan *l);
size_t tw_ptg_loan_bytes(const tw_ptg_loan *l);

/* Send it to a rank, any number of times; and it is not sent any more. The value is let go when the
 * transport does not need it either. */
void tw_ptg_loan_send(tw_ptg_loan *l, int to);
void tw_ptg_loan_end(tw_ptg_loan *l, tw_worker *w);

/* The value with that number that has come here, with its hold; NULL: none has. By who polls the
 * transport. */
tw_value *tw_ptg_landed(tw_ptg *ptg, int64_t number);

/* What the transport asks and brings: see tw_graph_ops. */
void *tw_ptg_place(twill_graph *g, tw_worker *w, const int64_t *word, size_t size);
void tw_ptg_land(twill_graph *g, tw_worker *w, int from, const int64_t *word, const void *bytes,
                 size_t size);

/* Forget those that nobody has named: the graph has failed. */
void tw_ptg_landings_clear(tw_ptg *ptg, tw_worker *w);

#endif
