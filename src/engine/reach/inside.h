/* What the files of copies that reach other ranks share. */
#ifndef TW_ENGINE_REACH_INSIDE_H
#define TW_ENGINE_REACH_INSIDE_H

#include "data/strided.h"
#include "engine/reach/reach.h"
#include "engine/remote/messages.h"

enum {
    TW_REACH_SMALL = 16 << 10,  /* sections up to so many bytes travel together */
    TW_REACH_PIECE = 512 << 10, /* most bytes of a message that needs a copy */
    TW_REACH_INLINE = 2 << 10,  /* so few go along with the request */
    TW_REACH_BUFFERS = 32 << 20 /* most bytes of copies under way, at each end */
};

/* Elements of one owner. */
typedef struct tw_reach_part {
    twill_view view; /* of a root */
    int64_t owner;
    int64_t first, last; /* numbers of tiles */
    bool several;        /* only tiles of which it has few elements */
} tw_reach_part;

/* What ranks say to one another about copies. */
typedef enum tw_reach_say {
    TW_REACH_ASK,
    TW_REACH_ANSWER,
    TW_REACH_LEFT,
    TW_REACH_MEET
} tw_reach_say;

typedef struct tw_reach_head {
    int8_t say, what, several, registered; /* the last: there is a key */
    int32_t status;
    uint64_t id;
    uint64_t array, print; /* its serial number, and what it is like */
    int64_t start[TWILL_DIMS], extent[TWILL_DIMS], local;
    int64_t first, last;
    uint64_t bytes;
    tw_comm_key key; /* of the bytes of a put */
} tw_reach_head;

_Static_assert(sizeof(tw_reach_head) <= TW_COMM_HEAD, "one message asks");

/* ---- layout.c ---------------------------------------------------------------------------- */

/* Call for each tile of the part that its owner has, in the order of their numbers. */
typedef void tw_reach_visit(twill_array *a, int64_t number, const tw_section *section, void *arg);
void tw_reach_each(const tw_reach_part *part, tw_reach_visit *visit, void *arg);

/* Bytes, and tiles. */
size_t tw_reach_bytes(const tw_reach_part *part, int64_t *tiles);
size_t tw_reach_section_bytes(const twill_array *a, const tw_section *section);

/* Move between tiles of this rank and bytes without gaps, and between memory and such bytes. */
void tw_reach_move_tiles(const tw_reach_part *part, tw_reach_what what, char *packed);
void tw_reach_move_memory(const tw_reach_part *part, tw_reach_what what,
                          const tw_reach_memory *memory, char *packed);

/* Do the elements of the section follow each other in the tile, or memory, with these steps? */
bool tw_reach_is_line(const twill_array *a, const tw_section *section, const int64_t *step);

/* Where they are in their tile, which this rank owns; NULL: not without gaps. */
char *tw_reach_line_in_tile(twill_array *a, int64_t number, const tw_section *section);

/* Arrays that differ in this number are not the same. */
uint64_t tw_reach_print(const twill_array *a);

/* ---- ask.c ------------------------------------------------------------------------------- */

typedef struct tw_asked tw_asked;

enum { TW_REACH_CHAINS = 64 };

typedef struct tw_asking {
    tw_lock lock;                    /* of what follows */
    tw_asked *first, **last;         /* not sent yet */
    tw_asked *sent[TW_REACH_CHAINS]; /* by number */
    uint64_t ids;
    int64_t requests; /* that are not over */
    size_t buffers;   /* bytes of copies under way */
    bool sending;     /* some thread sends what is in the queue */
    int64_t total;    /* requests so far, and bytes of elements in them */
    int64_t total_bytes;
    uint64_t since;  /* there have always been some under way */
    uint64_t ticks;  /* in which there were, before that */
    uint64_t waited; /* ticks in which threads waited for them */
} tw_asking;

void tw_asking_open(tw_asking *all);

/* An answer of another rank, and where its bytes shall go. */
void tw_asking_answered(twill *tw, tw_worker *w, int from, const tw_reach_head *h, const void *data,
                        size_t size);
void *tw_asking_place(twill *tw, int from, const tw_reach_head *h, size_t size);

/* A rank, or -1: all, will answer nothing any more, for the reason that is the thread's message. */
void tw_asking_fail(twill *tw, tw_worker *w, int rank, twill_status status);

/* ---- serve.c ----------------------------------------------------------------------------- */

typedef struct tw_serving tw_serving;
typedef struct tw_early tw_early;

enum { TW_REACH_OWED = 64 };

typedef struct tw_reach_owed {
    int to;
    uint64_t id;
    twill_status status;
} tw_reach_owed;

typedef struct tw_servings {
    tw_lock lock;              /* of what follows */
    tw_serving *first, **last; /* granted */
    bool busy;                 /* some thread does what they want */
    size_t buffers;
    atomic_int owed; /* answers that there was no memory for: written under the lock */
    tw_reach_owed owes[TW_REACH_OWED];
    tw_early *early, **early_end; /* came before its array; the poller's, as is the next */
    bool *held_up;                /* for each rank: is there one of it among these? */
} tw_servings;

bool tw_servings_open(tw_servings *all, int ranks);
void tw_servings_close(tw_servings *all);

/* Another rank asks. */
void tw_serve(twill *tw, tw_worker *w, int from, const tw_reach_head *h, const void *data,
              size_t size);
void tw_serve_early(twill *tw, tw_worker *w);
void tw_serve_owed(twill *tw);

/* ---- meet.c ------------------------------------------------------------------------------ */

enum { TW_MEET_ROUNDS = 32 };

/* Barriers, counted from 1. */
typedef struct tw_meeting {
    int64_t number;               /* of those that are over; by who is in one */
    int64_t come[TW_MEET_ROUNDS]; /* messages of each round, in all barriers */
    bool any_left;                /* a rank has stopped, after so many barriers: */
    int64_t left_at;
    int left_first; /* of these the one with the fewest */
} tw_meeting;

void tw_meet_came(twill *tw, const tw_reach_head *h);
void tw_meet_left(twill *tw, int rank, const tw_reach_head *h);

/* ---- reach.c ----------------------------------------------------------------------------- */

typedef struct tw_reaches {
    tw_comm *comm;
    tw_asking asking;
    tw_servings servings;
    tw_lock lock; /* of the search for an array that somebody frees, and of `meeting` */
    tw_meeting meeting;
    bool *left; /* ranks that have stopped; under the lock of `asking` */
} tw_reaches;

#endif
