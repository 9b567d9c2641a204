/* Causes of idle time: adding them up, and putting them into words. */
#ifndef TW_TRACE_CAUSES_H
#define TW_TRACE_CAUSES_H

#include "trace/analysis/analysis.h"

typedef enum tw_cause {
    TW_CAUSE_CHAIN,     /* the next task waits for one that runs */
    TW_CAUSE_JOIN,      /* the same, and others that it waited for ran beside that one */
    TW_CAUSE_PRIORITY,  /* the chain would be further, had a task of it not been started late */
    TW_CAUSE_INSERTION, /* the next task was not inserted yet */
    TW_CAUSE_WAKE_UP,   /* there were ready tasks; the worker was asleep */
    TW_CAUSE_REACH,     /* there were ready tasks; the worker looked for them */
    TW_CAUSE_OVERSUBSCRIBED, /* there were ready tasks; more workers than cores share these */
    TW_CAUSE_TRANSFER,       /* data was on its way */
    TW_CAUSE_MESSAGE,        /* a message of another rank was */
    TW_CAUSE_END,            /* nothing came after what ran */
    TW_CAUSE_OTHER,
    TW_CAUSES
} tw_cause;

/* A cause, and the tasks that it is about: one or two, or none where these are below 0. */
typedef struct tw_reason {
    tw_cause cause;
    int64_t first, second;
} tw_reason;

/* Time of one cause and two classes; a class below 0 is none. */
typedef struct tw_charge {
    tw_cause cause;
    int first, second;
    double ns;
    int id;            /* of its gaps */
    tw_reason longest; /* of the longest gap, */
    double longest_ns;
} tw_charge;

enum { TW_CHARGES = 256 };

typedef struct tw_charges {
    tw_charge list[TW_CHARGES];
    int n;
    tw_gap *gaps; /* their causes are ids */
    int64_t ngaps, room;
    bool failed; /* there was no memory for a gap */
} tw_charges;

/* Add a piece of a row's idle time. */
void tw_charge_add(tw_charges *c, const twill_trace *t, tw_reason reason, int row, double start,
                   double ns);

/* Put the largest into the analysis, and all others into its last entry; and all gaps. */
void tw_charges_store(tw_charges *c, const twill_trace *t, tw_analysis *a);

#endif
