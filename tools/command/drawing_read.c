/* Reading the list of tasks and edges. */
#include "command/drawing.h"

#include <stdlib.h>
#include <string.h>

/* Room for one more in an array that doubles at powers of two. */
static void *grown(void *array, int count, size_t size)
{
    if (count & (count - 1))
        return array;
    return realloc(array, (count ? 2 * (size_t)count : 1) * size);
}

static bool add_string(char ***list, int *count, const char *text)
{
    char **larger = grown(*list, *count, sizeof **list);
    if (!larger)
        return false;
    *list = larger;
    larger[*count] = strdup(text);
    return larger[*count] && ++*count;
}

static int find_string(char *const *list, int count, const char *text, size_t length)
{
    for (int i = 0; i < count; i++)
        if (strncmp(list[i], text, length) == 0 && list[i][length] == '\0')
            return i;
    return -1;
}

static size_t hash(const char *text, size_t length)
{
    size_t h = 14695981039346656037u;
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 1099511628211u;
    return h;
}

/* Where the name stands in the table, or where it would. */
static int *slot(const drawing *d, const char *name, size_t length)
{
    size_t i = hash(name, length);
    for (;; i++) {
        int *s = &d->table[i & (size_t)(d->table_size - 1)];
        if (*s < 0 ||
            (strncmp(d->tasks[*s].name, name, length) == 0 && d->tasks[*s].name[length] == '\0'))
            return s;
    }
}

/* Keep the table at most half full. */
static bool enlarge(drawing *d)
{
    if (2 * (d->task_count + 1) <= d->table_size)
        return true;
    int size = d->table_size ? 2 * d->table_size : 64;
    int *table = malloc((size_t)size * sizeof *table);
    if (!table)
        return false;
    for (int i = 0; i < size; i++)
        table[i] = -1;
    free(d->table);
    d->table = table;
    d->table_size = size;
    for (int i = 0; i < d->task_count; i++)
        *slot(d, d->tasks[i].name, strlen(d->tasks[i].name)) = i;
    return true;
}

/* NAME(1,2) [@ROW,COLUMN] */
static bool read_task(drawing *d, char *text)
{
    char *at = strstr(text, " @");
    drawn_task t = {.rank = -1};
    drawn_task *larger = grown(d->tasks, d->task_count, sizeof *d->tasks);
    if (!larger)
        return false;
    d->tasks = larger;
    if (at) {
        *at = '\0';
        t.rank = find_string(d->ranks, d->rank_count, at + 2, strlen(at + 2));
        if (t.rank < 0 && !add_string(&d->ranks, &d->rank_count, at + 2))
            return false;
        t.rank = t.rank < 0 ? d->rank_count - 1 : t.rank;
    }
    t.class = find_string(d->classes, d->class_count, text, strcspn(text, "("));
    t.name = strdup(text);
    if (t.class < 0 || !t.name || !enlarge(d)) {
        free(t.name);
        return false;
    }
    d->tasks[d->task_count] = t;
    *slot(d, t.name, strlen(t.name)) = d->task_count++;
    return true;
}

/* NAME(1,2).FLOW: the task, and where the flow's name begins. */
static int read_end(const drawing *d, const char *text, const char **flow)
{
    const char *point = strstr(text, ").");
    if (!point || !d->table)
        return -1;
    *flow = point + 2;
    return *slot(d, text, (size_t)(point + 1 - text));
}

/* END -> END */
static bool read_edge(drawing *d, char *text)
{
    char *arrow = strstr(text, " -> ");
    const char *out = "", *in = "";
    drawn_edge *larger = grown(d->edges, d->edge_count, sizeof *d->edges);
    if (!larger || !arrow)
        return false;
    d->edges = larger;
    *arrow = '\0';
    drawn_edge e = {.from = read_end(d, text, &out), .to = read_end(d, arrow + 4, &in)};
    if (e.from < 0 || e.to < 0)
        return false;
    size_t size = strlen(out) + strlen(in) + 5;
    e.label = malloc(size);
    if (!e.label)
        return false;
    snprintf(e.label, size, "%s => %s", out, in);
    d->edges[d->edge_count++] = e;
    return true;
}

static bool read_line(drawing *d, char *line)
{
    char *text = strchr(line, ' ');
    if (!text)
        return false;
    *text++ = '\0';
    if (strcmp(line, "graph") == 0) {
        d->name = strdup(text);
        return d->name;
    }
    if (strcmp(line, "class") == 0) {
        text[strcspn(text, " ")] = '\0';
        return add_string(&d->classes, &d->class_count, text);
    }
    if (strcmp(line, "task") == 0)
        return read_task(d, text);
    if (strcmp(line, "edge") == 0)
        return read_edge(d, text);
    d->lost += strcmp(line, "lost") == 0;
    return true;
}

bool drawing_read(drawing *d, FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    bool fine = true;
    *d = (drawing){0};
    while (fine && (length = getline(&line, &size, in)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        fine = read_line(d, line);
    }
    free(line);
    return fine && !ferror(in);
}

void drawing_free(drawing *d)
{
    for (int i = 0; i < d->class_count; i++)
        free(d->classes[i]);
    for (int i = 0; i < d->rank_count; i++)
        free(d->ranks[i]);
    for (int i = 0; i < d->task_count; i++)
        free(d->tasks[i].name);
    for (int i = 0; i < d->edge_count; i++)
        free(d->edges[i].label);
    free(d->name);
    free(d->classes);
    free(d->ranks);
    free(d->tasks);
    free(d->edges);
    free(d->table);
    free(d->ways);
    free(d->colours);
}
