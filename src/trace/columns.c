/* The columns of a trace, by name. */
#include "trace/trace.h"

#include "trace/analysis/analysis.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const tw_type_names[TW_TYPES] = {"u8", "u16", "u32", "i32", "i64", "f32", "f64"};
const size_t tw_type_sizes[TW_TYPES] = {1, 2, 4, 4, 8, 4, 8};
const char *const tw_state_names[TW_STATES] = {"sleep", "search", "program",
                                               "team",  "again",  "transfer"};
const char *const tw_point_names[TW_POINTS] = {"steal", "send", "receive"};
const char *const tw_row_kind_names[TW_ROW_KINDS] = {"worker", "device", "comm"};

#define AT(field) offsetof(twill_trace, field)

const tw_column tw_columns[] = {
    {"row.kind", TW_U8, AT(row_kind), AT(nrow), false},
    {"row.rank", TW_I32, AT(row_rank), AT(nrow), false},
    {"row.cores", TW_I32, AT(row_cores), AT(nrow), true},
    {"task.start", TW_F64, AT(start), AT(ntasks), false},
    {"task.end", TW_F64, AT(end), AT(ntasks), false},
    {"task.ready", TW_F64, AT(ready), AT(ntasks), false},
    {"task.by", TW_I32, AT(by), AT(ntasks), false},
    {"task.priority", TW_I32, AT(priority), AT(ntasks), false},
    {"task.flops", TW_F32, AT(flops), AT(ntasks), false},
    {"task.bytes", TW_F32, AT(bytes), AT(ntasks), false},
    {"task.row", TW_U16, AT(row), AT(ntasks), false},
    {"task.class", TW_U16, AT(cls), AT(ntasks), false},
    {"task.graph", TW_U16, AT(graph), AT(ntasks), false},
    {"task.np", TW_U8, AT(nparameters), AT(ntasks), false},
    {"task.p0", TW_I64, AT(parameter[0]), AT(ntasks), false},
    {"task.p1", TW_I64, AT(parameter[1]), AT(ntasks), false},
    {"task.p2", TW_I64, AT(parameter[2]), AT(ntasks), false},
    {"task.p3", TW_I64, AT(parameter[3]), AT(ntasks), false},
    {"task.p4", TW_I64, AT(parameter[4]), AT(ntasks), false},
    {"task.p5", TW_I64, AT(parameter[5]), AT(ntasks), false},
    {"task.critical", TW_U8, AT(critical), AT(ntasks), true},
    {"task.team", TW_U16, AT(team), AT(ntasks), true},
    {"task.message", TW_U32, AT(message), AT(ntasks), true},
    {"edge.from", TW_U32, AT(edge_from), AT(nedges), false},
    {"edge.to", TW_U32, AT(edge_to), AT(nedges), false},
    {"state.start", TW_F64, AT(state_start), AT(nstates), false},
    {"state.end", TW_F64, AT(state_end), AT(nstates), false},
    {"state.row", TW_U16, AT(state_row), AT(nstates), false},
    {"state.kind", TW_U8, AT(state_kind), AT(nstates), false},
    {"state.task", TW_U32, AT(state_task), AT(nstates), true},
    {"state.member", TW_U16, AT(state_member), AT(nstates), true},
    {"point.time", TW_F64, AT(point_time), AT(npoints), false},
    {"point.amount", TW_F64, AT(point_amount), AT(npoints), false},
    {"point.row", TW_U16, AT(point_row), AT(npoints), false},
    {"point.kind", TW_U8, AT(point_kind), AT(npoints), false},
    {"point.peer", TW_I32, AT(point_peer), AT(npoints), false},
    {"point.id", TW_U32, AT(point_id), AT(npoints), true},
    {"point.task", TW_U32, AT(point_task), AT(npoints), true},
    {"set.time", TW_F64, AT(set_time), AT(nset), true},
    {"set.row", TW_U16, AT(set_row), AT(nset), true},
    {"set.members", TW_U16, AT(set_members), AT(nset), true},
    {"set.wanted", TW_U16, AT(set_wanted), AT(nset), true},
    {"memory.time", TW_F64, AT(memory_time), AT(nmemory), false},
    {"memory.bytes", TW_F64, AT(memory_bytes), AT(nmemory), false},
};
const int tw_ncolumns = sizeof tw_columns / sizeof *tw_columns;

twill_trace *tw_trace_make(int64_t nrows, int64_t nclasses, int64_t ngraphs)
{
    twill_trace *t = calloc(1, sizeof *t);
    int64_t ntexts = TW_TEXTS + nrows + 2 * nclasses + ngraphs;
    char **text = t ? calloc((size_t)ntexts, sizeof *text) : NULL;
    if (!text) {
        free(t);
        return NULL;
    }
    *t = (twill_trace){.nrows = nrows, .nclasses = nclasses, .ngraphs = ngraphs, .text = text};
    t->ntexts = ntexts;
    for (int64_t i = 0; i < ntexts; i++)
        if (!(text[i] = calloc(1, 1))) {
            twill_trace_free(t);
            return NULL;
        }
    return t;
}

void twill_trace_free(twill_trace *t)
{
    if (!t)
        return;
    for (int i = 0; i < tw_ncolumns; i++)
        free(*tw_column_data(t, &tw_columns[i]));
    for (int64_t i = 0; i < t->ntexts; i++)
        free(t->text[i]);
    free(t->text);
    tw_analysis_free(t->analysis);
    free(t);
}

bool tw_trace_room(twill_trace *t, int64_t *length, int64_t n)
{
    size_t which = (size_t)((char *)length - (char *)t);
    *length = n;
    for (int i = 0; i < tw_ncolumns; i++) {
        const tw_column *c = &tw_columns[i];
        if (c->length != which)
            continue;
        void *data = calloc((size_t)(n ? n : 1), tw_type_sizes[c->type]);
        if (!data)
            return false;
        *tw_column_data(t, c) = data;
    }
    return true;
}

twill_status tw_trace_set_text(twill_trace *t, int64_t i, const char *text)
{
    char *copy = strdup(text);
    if (!copy)
        return tw_fail(TWILL_ERR_MEMORY, "no memory for the texts of a trace");
    free(t->text[i]);
    t->text[i] = copy;
    return TWILL_OK;
}

twill_status tw_trace_set_rank(twill_trace *t, int rank)
{
    char text[128];
    twill_status status = TWILL_OK;
    for (int64_t i = 0; i < t->nrows && status == TWILL_OK; i++) {
        t->row_rank[i] = rank;
        snprintf(text, sizeof text, "rank %d, %s", rank, tw_row_name(t, i));
        status = tw_trace_set_text(t, TW_TEXTS + i, text);
    }
    return status;
}

void tw_trace_set_cores(twill_trace *t, int cores)
{
    for (int64_t i = 0; i < t->nrow; i++)
        t->row_cores[i] = cores;
}

int tw_trace_ranks(const twill_trace *t)
{
    int most = 0;
    for (int64_t i = 0; i < t->nrow; i++)
        most = t->row_rank[i] > most ? t->row_rank[i] : most;
    return most + 1;
}

const char *tw_parameter_name(const twill_trace *t, int64_t cls, int i, char *text, size_t size)
{
    const char *names = tw_class_parameters(t, cls);
    for (int k = 0;; k++) {
        names += strspn(names, " ");
        int length = (int)strcspn(names, " ");
        if (length == 0)
            break;
        if (k == i) {
            snprintf(text, size, "%.*s", length, names);
            return text;
        }
        names += length;
    }
    snprintf(text, size, "p%d", i);
    return text;
}

const char *tw_task_label(const twill_trace *t, int64_t task, char *text, size_t size)
{
    int64_t cls = t->cls[task];
    int used = snprintf(text, size, "%s(", tw_class_name(t, cls));
    for (int i = 0; i < t->nparameters[task] && used >= 0 && (size_t)used < size; i++) {
        char name[64];
        used += snprintf(text + used, size - (size_t)used, "%s%s=%" PRId64, i ? ", " : "",
                         tw_parameter_name(t, cls, i, name, sizeof name), t->parameter[i][task]);
    }
    if (used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ")");
    return text;
}
