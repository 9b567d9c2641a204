/* Parameterised graphs of one task that uses arrays as it is told, and does what it is told. */
#ifndef TEST_SUPPORT_TOUCH_H
#define TEST_SUPPORT_TOUCH_H

#include <twill/ptg.h>
#include <twill/twill.h>

enum { TOUCH_MOST = 3 };

/* It must outlive the graph. */
typedef struct touch {
    twill_outcome (*body)(twill_task *t, void *arg);
    void *arg;
    twill_array *array[TOUCH_MOST];
    twill_ptg_collection collection[TOUCH_MOST];
    twill_ptg_graph definition;
} touch;

/* One more array that it uses. */
void touch_add(touch *t, twill_array *a, twill_access access);

twill_status touch_new(twill *tw, touch *t, twill_graph **g);

#endif
