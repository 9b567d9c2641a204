/* Tests in a process of their own: for masks, and for what must not hang or crash. */
#include "support/test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

int test_child(int (*body)(void *arg), void *arg, unsigned seconds)
{
    pid_t pid = fork();
    if (pid == 0) {
        /* cmocka catches these to go on with the next test; here they are the result */
        const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
        for (int i = 0; i < COUNT(signals); i++)
            signal(signals[i], SIG_DFL);
        alarm(seconds);
        _exit(body(arg));
    }
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return -1;
    int code = WEXITSTATUS(status);
    return code <= 100 ? code : -1;
}
