/* Areas of values as bytes without gaps: what travels between ranks. */
#ifndef TW_DATA_PACK_H
#define TW_DATA_PACK_H

#include "data/value.h"

/* Bytes that an area of a value takes. */
size_t tw_pack_size(const tw_value *v, tw_area area);

/* Copy the area of a value to or from that many bytes, column after column. */
void tw_pack(const tw_value *v, tw_area area, void *to);
void tw_unpack(tw_value *v, tw_area area, const void *from);

#endif
