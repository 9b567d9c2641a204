/* What is particular about the libraries that can be the BLAS. */
#ifndef TW_LA_PROVIDER_H
#define TW_LA_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>

/* The functions tell about a library that is loaded, by its handle. */
typedef struct tw_provider {
    const char *name;             /* as option blas says it */
    const char *install;          /* how to get it */
    const char *mark;             /* a symbol that no other one has; NULL: any library */
    const char *const *places;    /* where its BLAS may be, the best first; ends with NULL */
    const char *const *lapacks;   /* the same for a LAPACK of that name; NULL: it has none */
    int (*threads)(void *handle); /* that it uses */
    bool (*unsafe)(void *handle); /* may not be called by two threads at once */
    void (*version)(void *handle, char *text, size_t size); /* name and version */
    const char *(*kernels)(void *handle);                   /* set in use */
    bool slow_on_tiles; /* Twill's own products, where there are some, are faster */
} tw_provider;

/* All of them, in a list that ends with NULL; the last one stands for any library. */
extern const tw_provider *const tw_providers[];

/* By name, NULL when there is none; and by what is loaded. */
const tw_provider *tw_provider_named(const char *name);
const tw_provider *tw_provider_of(void *handle);

/* The first file that can be read, or NULL. */
const char *tw_provider_place(const char *const *places);

#endif
