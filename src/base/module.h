/* Modules: files beside the library that are loaded when they are needed. */
#ifndef TW_BASE_MODULE_H
#define TW_BASE_MODULE_H

#include <stdbool.h>

/* What the module exports under that name, if `fits` takes it; else NULL, and it is closed again.
 * `flags` as dlopen has them. */
void *tw_module_open(const char *path, int flags, const char *symbol, bool (*fits)(void *symbol));

/* The same of a file beside the library or the program that it is linked into, or where it was
 * installed, or where the system looks for libraries. */
void *tw_module_find(const char *file, int flags, const char *symbol, bool (*fits)(void *symbol));

#endif
