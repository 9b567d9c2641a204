/* The tasks of a stencil: packing a halo, and bringing a box together and calling the body. */
#ifndef TW_ARRAY_STENCIL_H
#define TW_ARRAY_STENCIL_H

#include "array/zip.h"

/* A box of elements on its way into a larger one. */
typedef struct tw_parcel {
    int64_t extent[TWILL_DIMS];
    int64_t repeated; /* a bit for each dimension along which there is one element only */
    int64_t to;       /* elements from the first one of the box */
    int source;       /* argument of the task with the tile; 0: the element from outside */
    tw_corner corner; /* in the tile, unless it comes packed, without gaps */
    bool packed;
} tw_parcel;

/* What the tasks of a call share. */
typedef struct tw_stencil {
    int ndim, fastest;
    size_t size; /* of an element */
    twill_type type;
    const void *outside;
    twill_stencil_body *body;
    void *arg;
} tw_stencil;

/* A box of elements to be set, the larger one they come from, and the parcels for that. */
typedef struct tw_stencil_job {
    const tw_stencil *s;
    tw_corner corner;
    int64_t at[TWILL_DIMS], extent[TWILL_DIMS], step[TWILL_DIMS]; /* of the larger one */
    int64_t first; /* in the larger box: the element that belongs to the first one */
    int64_t parcels;
} tw_stencil_job;

/* Distances of a box without gaps, the fastest dimension first. */
void tw_stencil_steps(const tw_stencil *s, const int64_t *extent, int64_t unit, int64_t *step);

/* Arguments of one that packs: the tile to be written, the one with the elements, the parcel, the
 * stencil. Of one that sets elements: their tile, those of the sources, the job, its parcels, and
 * scratch for the larger box. */
extern const twill_class tw_stencil_pack, tw_stencil_set;

#endif
