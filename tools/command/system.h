/* What the command asks the operating system: time, memory, launchers. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Seconds by a clock that only goes forward. */
double system_seconds(void);

/* Resident memory of this process in MiB: at its largest, and now. */
double system_peak_mib(void);
double system_resident_mib(void);

/* Bytes of memory that a program could still get, 0 when that is unknown. */
double system_available(void);

/* Has mpirun or the like started this process? */
bool system_is_launched(void);

/* This process's number among those that mpirun or the like has started, 0 without one. */
int system_launched_rank(void);

/* Bytes as "298.0 GiB". */
const char *system_bytes(double bytes, char *text, size_t size);

#endif
