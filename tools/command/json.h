/* A writer of JSON, one value after the other, on one line. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Start with {.out = file}. Keys are NULL inside lists and for the outermost value. */
typedef struct json {
    FILE *out;
    bool more; /* a comma belongs before the next value */
} json;

void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL is null */
void json_integer(json *j, const char *key, int64_t value);
void json_real(json *j, const char *key, double value); /* null when it is not finite */
void json_bool(json *j, const char *key, bool value);
void json_hex(json *j, const char *key, uint64_t value);   /* a string of 16 digits */
void json_raw(json *j, const char *key, const char *text); /* a value that is JSON already */
void json_null(json *j, const char *key);
void json_end(json *j); /* end of the line; the writer can be used again */

#endif
