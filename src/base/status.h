/* The first detector of a failure writes its sentence here. */
#ifndef TW_BASE_STATUS_H
#define TW_BASE_STATUS_H

#include <stdarg.h>
#include <twill/status.h>

enum { TW_MESSAGE = 512 };

/* Set the calling thread's message and return `status`: `return tw_fail(TWILL_ERR_..., "...")`. */
twill_status tw_fail(twill_status status, const char *format, ...) TWILL_PRINTF(2, 3);
twill_status tw_vfail(twill_status status, const char *format, va_list args);

#endif
