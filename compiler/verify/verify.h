/* twillc --verify: four properties of a graph, each proved for all values of the globals, refuted
 * with an instance, or neither and then checked up to a bound. docs/verify.md says what each means.
 *
 * The analysis is exact about integers of any size: that 64-bit arithmetic wraps around is not
 * modelled. Two collections are taken to be two arrays. */
#ifndef VERIFY_H
#define VERIFY_H

#include "ir/ir.h"

/* Verify the file and print one line per property, after its refutations. What is not proved is
 * looked at for so many seconds. Returns the exit status: 0, 1 if a property was refuted or the
 * assumptions cannot hold, 3 if this build has no isl, which *why then says. */
int verify(const ir_file *f, double seconds, FILE *out, const char **why);

#endif
