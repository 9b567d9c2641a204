/* Built-in graphs as files in a folder of their own, which have the graph's name. */
#include "command/builtin.h"
#include "command/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const *builtin_values(const builtin_graph *graph)
{
    /* of the factorization that the lower triangle has; priorities are not drawn */
    static const char *const of_potrf[] = {"lower=1", "ahead=0", NULL};
    static const char *const none[] = {NULL};
    return strcmp(graph->name, "potrf") == 0 ? of_potrf : none;
}

static bool fill(const builtin_graph *graph, const char *path)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    bool good = fwrite(graph->text, 1, graph->size, out) == graph->size;
    return fclose(out) == 0 && good;
}

bool builtin_write(const builtin_graph *graph, char path[BUILTIN_PATH])
{
    const char *given = getenv("TMPDIR"), *folder = given && *given ? given : "/tmp";
    int length = snprintf(path, BUILTIN_PATH, "%s/twill-XXXXXX", folder);
    errno = ENAMETOOLONG;
    bool made = length + 64 < BUILTIN_PATH && mkdtemp(path);
    if (made) {
        snprintf(path + length, BUILTIN_PATH - (size_t)length, "/%s.jdf", graph->name);
        if (fill(graph, path))
            return true;
    }
    complain("graph", "%s: no file for it can be made in %s: %s", graph->name, folder,
             strerror(errno));
    if (made)
        builtin_remove(path);
    return false;
}

void builtin_remove(char path[BUILTIN_PATH])
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    rmdir(path);
}
