/* Modules: parts of the library that need what may not be there, in shared libraries beside it. */
#ifndef TW_BASE_MODULE_H
#define TW_BASE_MODULE_H

#include <stdbool.h>

/* What a module exports as `symbol`, if `fits` takes it; else NULL, and dlerror may say why. A
 * name with a slash is a path; others lie beside the library, or the program that it is linked
 * into, or where dlopen finds them. `flags` are dlopen's. Modules stay open: each is there once. */
void *tw_module_find(const char *file, const char *symbol, int flags,
                     bool (*fits)(const void *exported));

#endif
