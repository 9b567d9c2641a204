/* Status names and the per-thread message of the last failure. */
#include "base/status.h"

#include <stdio.h>

/* Like errno: the one thing a caller must be able to read when there is no context to hold it. */
static _Thread_local char message[TW_MESSAGE];

const char *twill_status_name(twill_status status)
{
    switch (status) {
    case TWILL_OK:
        return "success";
    case TWILL_ERR_ARGUMENT:
        return "bad argument";
    case TWILL_ERR_OPTION:
        return "bad option";
    case TWILL_ERR_MEMORY:
        return "out of memory";
    case TWILL_ERR_SYSTEM:
        return "system error";
    case TWILL_ERR_STATE:
        return "not allowed now";
    case TWILL_ERR_TASK:
        return "task failed";
    case TWILL_ERR_CANCELED:
        return "canceled";
    case TWILL_ERR_STUCK:
        return "stuck";
    case TWILL_ERR_CYCLE:
        return "cycle";
    case TWILL_ERR_NUMERICAL:
        return "numerical failure";
    case TWILL_ERR_UNSUPPORTED:
        return "unsupported";
    }
    return "unknown status";
}

const char *twill_message(void)
{
    return message;
}

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const char *twill_version(void)
{
    return TEXT(TWILL_VERSION_MAJOR) "." TEXT(TWILL_VERSION_MINOR) "." TEXT(TWILL_VERSION_PATCH);
}

int twill_version_number(void)
{
    return TWILL_VERSION;
}

int twill_abi(void)
{
    return TWILL_ABI;
}

twill_status twill_version_check(int abi, int version)
{
    if (abi == TWILL_ABI && version <= TWILL_VERSION)
        return TWILL_OK;
    return tw_fail(TWILL_ERR_STATE,
                   "the program was compiled with the headers of Twill %d.%d.%d (ABI %d), and the "
                   "library is Twill %s (ABI %d): %s",
                   version / 10000, version / 100 % 100, version % 100, abi, twill_version(),
                   TWILL_ABI,
                   abi == TWILL_ABI ? "it needs that version of the library or a newer one"
                                    : "compile it again");
}

twill_status tw_vfail(twill_status status, const char *format, va_list args)
{
    /* Through a second buffer: the old message may be among the arguments. */
    char text[TW_MESSAGE];
    vsnprintf(text, sizeof text, format, args);
    snprintf(message, sizeof message, "%s", text);
    return status;
}

twill_status tw_fail(twill_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    tw_vfail(status, format, args);
    va_end(args);
    return status;
}
