/* What messages between ranks consist of: names of instances, and values. Who reads one believes
 * nothing: lengths, classes and shapes are checked before anything is made of them. */
#ifndef TW_FRONT_PTG_MESSAGE_H
#define TW_FRONT_PTG_MESSAGE_H

#include "front/ptg/loans.h"
#include "front/ptg/remote.h"

/* A message as it is written or read. */
typedef struct tw_message {
    char *bytes;
    size_t size, at;
    int from; /* rank, if it is read */
} tw_message;

/* Everything in it begins at a multiple of 16. */
static inline size_t tw_message_room(size_t size)
{
    return (size + 15) / 16 * 16;
}

/* Memory for one to be written; false after failing the graph. */
bool tw_message_make(tw_message *m, twill_graph *g, size_t size);

/* Write so many bytes, and find those that were written: NULL, there are not so many. */
void tw_message_put(tw_message *m, const void *bytes, size_t size);
const void *tw_message_get(tw_message *m, size_t size);

/* What has come is no message of this graph: it fails. False. */
bool tw_message_refuse(const tw_message *m, twill_graph *g);

/* ---- names ------------------------------------------------------------------------------- */

/* An instance, and a number that the kind of message explains. */
size_t tw_message_name_size(const tw_ptg_class *c);
void tw_message_put_name(tw_message *m, const tw_ptg_class *c, const int64_t *p, int64_t number);
/* Its parameters; NULL after failing the graph. */
const int64_t *tw_message_get_name(tw_message *m, twill_graph *g, tw_ptg_class **c,
                                   int64_t *number);

/* ---- values ------------------------------------------------------------------------------ */

/* Bytes that the region `type` of a value takes in a message, 0 after failing the graph; and the
 * loan, if it is to go by itself. No value, or one without data, is a value too. */
size_t tw_message_value_size(twill_graph *g, tw_value *v, const twill_datatype *type,
                             tw_ptg_loan **loan);
void tw_message_put_value(tw_message *m, const tw_value *v, const twill_datatype *type,
                          const tw_ptg_loan *loan);

/* One that was read; `lent`: the number by which it came by itself, -1: it is in the message. */
typedef struct tw_received {
    tw_value *value; /* NULL: there is no data */
    int64_t lent;
} tw_received;

/* False after failing the graph; then there is nothing to drop. */
bool tw_message_get_value(tw_message *m, tw_worker *w, twill_graph *g, const twill_datatype *type,
                          tw_received *out);

#endif
