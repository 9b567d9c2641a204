/* Multiply-adds at the highest rate of one core, to see what that rate is. */
#ifndef TW_BASE_FMA_H
#define TW_BASE_FMA_H

/* The widest kind of multiply-add of the processor. */
typedef struct tw_fma {
    const char *name;        /* of the instructions */
    double flops;            /* floating point operations in a round, double precision */
    void (*run)(int rounds); /* so many rounds of independent multiply-adds in registers */
} tw_fma;

const tw_fma *tw_fma_widest(void);

#endif
