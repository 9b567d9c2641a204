/* JSON in the format of Chrome's tracing, which Perfetto reads too: times in microseconds, a
 * process per rank, a thread per worker, and messages as arrows. */
#include "trace/output/text.h"
#include "trace/output/write.h"

#include <inttypes.h>

/* Every event but the first has a comma before it. */
typedef struct events {
    FILE *out;
    bool more;
} events;

static FILE *next(events *e)
{
    fputs(e->more ? ",\n" : "\n", e->out);
    e->more = true;
    return e->out;
}

static int rank_of(const twill_trace *t, int64_t row)
{
    return t->row_rank[row];
}

static void write_process(events *e, const twill_trace *t, int rank)
{
    FILE *out = next(e);
    const char *title = *t->text[TW_TEXT_TITLE] ? t->text[TW_TEXT_TITLE] : "twill";
    char name[32];
    snprintf(name, sizeof name, "rank %d", rank);
    fprintf(out, "{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":", rank);
    tw_json_text(out, t->analysis->total.ranks > 1 ? name : title);
    fputs("}}", out);
}

static void write_names(events *e, const twill_trace *t)
{
    for (int64_t r = 0; r < t->nrows; r++) {
        if (r == 0 || rank_of(t, r) != rank_of(t, r - 1))
            write_process(e, t, rank_of(t, r));
        FILE *out = next(e);
        fprintf(out, "{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRId64 ",\"name\":\"thread_name\",",
                rank_of(t, r), r);
        fputs("\"args\":{\"name\":", out);
        tw_json_text(out, tw_row_name(t, r));
        fputs("}}", out);
    }
}

static void write_task(events *e, const twill_trace *t, int64_t i)
{
    FILE *out = next(e);
    char name[64];
    fprintf(out, "{\"ph\":\"X\",\"cat\":\"task\",\"pid\":%d,\"name\":", rank_of(t, t->row[i]));
    tw_json_text(out, tw_class_name(t, t->cls[i]));
    fprintf(out, ",\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"graph\":", t->row[i],
            1e-3 * t->start[i], 1e-3 * (t->end[i] - t->start[i]));
    tw_json_text(out, tw_graph_name(t, t->graph[i]));
    fprintf(out, ",\"task\":%" PRId64 ",\"queued_us\":%.3f,\"enabled_by\":%" PRId32, i,
            1e-3 * (t->start[i] - t->ready[i]), t->by[i]);
    if (t->priority[i])
        fprintf(out, ",\"priority\":%" PRId32, t->priority[i]);
    if (t->flops[i] > 0)
        fprintf(out, ",\"flops\":%.8g", (double)t->flops[i]);
    if (t->bytes[i] > 0)
        fprintf(out, ",\"bytes\":%.8g", (double)t->bytes[i]);
    for (int k = 0; k < t->nparameters[i]; k++) {
        fputc(',', out);
        tw_json_text(out, tw_parameter_name(t, t->cls[i], k, name, sizeof name));
        fprintf(out, ":%" PRId64, t->parameter[k][i]);
    }
    fputs("}}", out);
}

static void write_states(events *e, const twill_trace *t)
{
    for (int64_t i = 0; i < t->nstates; i++)
        fprintf(next(e),
                "{\"ph\":\"X\",\"cat\":\"state\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,"
                "\"dur\":%.3f}",
                rank_of(t, t->state_row[i]), t->state_row[i], tw_state_names[t->state_kind[i]],
                1e-3 * t->state_start[i], 1e-3 * (t->state_end[i] - t->state_start[i]));
}

/* Messages are slices without length: arrows go from slice to slice. */
static void write_points(events *e, const twill_trace *t)
{
    for (int64_t i = 0; i < t->npoints; i++)
        fprintf(next(e),
                "{%s,\"cat\":\"event\",\"pid\":%d,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,"
                "\"args\":{\"peer\":%" PRId32 ",\"amount\":%.17g}}",
                t->point_kind[i] == TW_POINT_STEAL ? "\"ph\":\"i\",\"s\":\"t\""
                                                   : "\"ph\":\"X\",\"dur\":0",
                rank_of(t, t->point_row[i]), t->point_row[i], tw_point_names[t->point_kind[i]],
                1e-3 * t->point_time[i], t->point_peer[i], t->point_amount[i]);
}

/* An arrow of a kind: from a row and a time to others. */
static void write_arrow(events *e, const twill_trace *t, const char *kind, int64_t id,
                        const int row[2], const double time[2])
{
    static const char *const ends[2] = {"\"ph\":\"s\"", "\"ph\":\"f\",\"bp\":\"e\""};
    for (int i = 0; i < 2; i++)
        fprintf(next(e),
                "{%s,\"cat\":\"%s\",\"name\":\"%s\",\"id\":%" PRId64
                ",\"pid\":%d,\"tid\":%d,\"ts\":%.3f}",
                ends[i], kind, kind, id, rank_of(t, row[i]), row[i], 1e-3 * time[i]);
}

static void write_messages(events *e, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    for (int64_t i = 0; i < a->nmessages; i++) {
        uint32_t from = a->messages[i].sent, to = a->messages[i].received;
        write_arrow(e, t, "message", i, (int[]){t->point_row[from], t->point_row[to]},
                    (double[]){t->point_time[from], t->point_time[to]});
    }
}

/* Arrows from task to task along the longest path. */
static void write_path(events *e, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    for (int64_t i = 1; i < a->npath; i++) {
        int32_t from = a->path[i - 1], to = a->path[i];
        write_arrow(e, t, "longest path", i, (int[]){t->row[from], t->row[to]},
                    (double[]){t->start[from], t->start[to]});
    }
}

static void write_curves(events *e, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    for (int64_t i = 0; i < a->ncurve; i++)
        fprintf(next(e),
                "{\"ph\":\"C\",\"pid\":0,\"name\":\"ready tasks\",\"ts\":%.3f,\"args\":{\"ready\":"
                "%" PRId64 "}}",
                1e-3 * a->curve[i].time, a->curve[i].count);
    for (int64_t i = 0; i < t->nmemory; i++)
        fprintf(next(e),
                "{\"ph\":\"C\",\"pid\":0,\"name\":\"memory\",\"ts\":%.3f,\"args\":{\"bytes\":"
                "%.17g}}",
                1e-3 * t->memory_time[i], t->memory_bytes[i]);
}

void tw_write_chrome(FILE *out, const twill_trace *t)
{
    events e = {.out = out};
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"command\":", out);
    tw_json_text(out, t->text[TW_TEXT_COMMAND]);
    fputs(",\"date\":", out);
    tw_json_text(out, t->text[TW_TEXT_DATE]);
    fputs(",\"host\":", out);
    tw_json_text(out, t->text[TW_TEXT_HOST]);
    fprintf(out, ",\"lost\":%" PRIu64 "},\n\"traceEvents\":[", t->lost);
    write_names(&e, t);
    for (int64_t i = 0; i < t->ntasks; i++)
        write_task(&e, t, i);
    write_states(&e, t);
    write_points(&e, t);
    write_messages(&e, t);
    write_path(&e, t);
    write_curves(&e, t);
    fputs("\n]}\n", out);
}
