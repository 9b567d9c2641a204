/* JSON in the format of Chrome's tracing, which Perfetto reads too: times in microseconds, one
 * process, a thread per worker. */
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

static void write_names(events *e, const twill_trace *t)
{
    FILE *out = next(e);
    fputs("{\"ph\":\"M\",\"pid\":0,\"name\":\"process_name\",\"args\":{\"name\":", out);
    tw_json_text(out, *t->text[TW_TEXT_TITLE] ? t->text[TW_TEXT_TITLE] : "twill");
    fputs("}}", out);
    for (int64_t r = 0; r < t->nrows; r++) {
        out = next(e);
        fprintf(out, "{\"ph\":\"M\",\"pid\":0,\"tid\":%" PRId64 ",\"name\":\"thread_name\",", r);
        fputs("\"args\":{\"name\":", out);
        tw_json_text(out, tw_row_name(t, r));
        fputs("}}", out);
    }
}

static void write_task(events *e, const twill_trace *t, int64_t i)
{
    FILE *out = next(e);
    char name[64];
    fputs("{\"ph\":\"X\",\"cat\":\"task\",\"pid\":0,\"name\":", out);
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
                "{\"ph\":\"X\",\"cat\":\"state\",\"pid\":0,\"tid\":%d,\"name\":\"%s\",\"ts\":%.3f,"
                "\"dur\":%.3f}",
                t->state_row[i], tw_state_names[t->state_kind[i]], 1e-3 * t->state_start[i],
                1e-3 * (t->state_end[i] - t->state_start[i]));
    for (int64_t i = 0; i < t->npoints; i++)
        fprintf(next(e),
                "{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"event\",\"pid\":0,\"tid\":%d,\"name\":\"%s\","
                "\"ts\":%.3f,\"args\":{\"peer\":%" PRId32 ",\"amount\":%.17g}}",
                t->point_row[i], tw_point_names[t->point_kind[i]], 1e-3 * t->point_time[i],
                t->point_peer[i], t->point_amount[i]);
}

/* Arrows from task to task along the longest path. */
static void write_path(events *e, const twill_trace *t)
{
    const tw_analysis *a = t->analysis;
    for (int64_t i = 1; i < a->npath; i++) {
        int32_t from = a->path[i - 1], to = a->path[i];
        fprintf(next(e),
                "{\"ph\":\"s\",\"cat\":\"path\",\"name\":\"longest path\",\"id\":%" PRId64
                ",\"pid\":0,\"tid\":%d,\"ts\":%.3f}",
                i, t->row[from], 1e-3 * t->start[from]);
        fprintf(next(e),
                "{\"ph\":\"f\",\"bp\":\"e\",\"cat\":\"path\",\"name\":\"longest path\",\"id\":"
                "%" PRId64 ",\"pid\":0,\"tid\":%d,\"ts\":%.3f}",
                i, t->row[to], 1e-3 * t->start[to]);
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
    write_path(&e, t);
    write_curves(&e, t);
    fputs("\n]}\n", out);
}
