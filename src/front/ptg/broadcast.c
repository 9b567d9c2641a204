/* What a task that is over sends to other ranks: one message for each group of ranks that get the
 * same, down a tree. */
#include "front/ptg/wire.h"

#include <stdlib.h>
#include <string.h>

/* ---- packing ----------------------------------------------------------------------------- */

/* Bytes of the message with these parts, 0 after failing the graph; and loans. */
static size_t measure(twill_task *t, tw_ptg_part *part, int n)
{
    tw_value *const *value = tw_ptg_values(t);
    size_t size = tw_message_name_size(tw_ptg_class_of(t)) + tw_message_room(sizeof(tw_course));
    for (int i = 0; i < n; i++) {
        if (part[i].control)
            continue;
        size_t more = tw_message_value_size(t->graph, value[part[i].flow], tw_ptg_type_of(&part[i]),
                                            &part[i].loan);
        if (!more)
            return 0;
        size += more;
    }
    return size;
}

static void pack_group(twill_task *t, tw_ptg_part *part, int n)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    tw_value *const *value = tw_ptg_values(t);
    const tw_course course = {.task = (uintptr_t)t};
    size_t size = measure(t, part, n);
    tw_message m;
    if (!size || !tw_message_make(&m, t->graph, size))
        return;
    tw_message_put_name(&m, c, tw_ptg_words(t), n);
    tw_message_put(&m, &course, sizeof course);
    for (int i = 0; i < n; i++)
        if (!part[i].control)
            tw_message_put_value(&m, value[part[i].flow], tw_ptg_type_of(&part[i]), part[i].loan);
    part->message = m.bytes;
    part->size = m.size;
}

/* A message for each group. */
void tw_ptg_pack_parts(twill_task *t, tw_ptg_parts *parts)
{
    tw_ptg_find_groups(parts);
    for (int i = 0, next; i < parts->n; i = next) {
        next = tw_ptg_end_of_rank(parts, i);
        if (parts->part[i].leader == i)
            pack_group(t, &parts->part[i], next - i);
    }
}

/* ---- sending ----------------------------------------------------------------------------- */

/* Send these bytes, which are taken over. Values that go by themselves are there when the message
 * names them. */
static void send_to(const tw_broadcast *b, int to, int node, char *bytes)
{
    tw_course course = b->course;
    course.node = node;
    memcpy(bytes + b->course_at, &course, sizeof course);
    for (int i = 0; i < b->loans; i++)
        if (b->loan[i])
            tw_ptg_loan_send(b->loan[i], to);
    tw_shared_send(b->g, to, b->kind, bytes, b->size);
}

void tw_broadcast_send(const tw_broadcast *b, tw_ptg_members members)
{
    for (const tw_ptg_part *part; (part = tw_ptg_next_member(&members));) {
        if (tw_bcast_parent((tw_bcast)b->course.tree, members.node) != b->course.node)
            continue;
        char *copy = malloc(b->size);
        if (!copy) {
            tw_graph_fail(b->g, TWILL_ERR_MEMORY, "no memory for a message of %zu bytes", b->size);
            return;
        }
        send_to(b, (int)part->rank, members.node, memcpy(copy, b->bytes, b->size));
    }
}

void tw_ptg_loans_end(tw_worker *w, tw_ptg_loan *const *loan, int n)
{
    for (int i = 0; i < n; i++)
        if (loan[i])
            tw_ptg_loan_end(loan[i], w);
}

/* Stores are sent by the rank that has them. */
static tw_bcast choose_tree(const tw_ptg *ptg, const tw_broadcast *b, int ranks)
{
    size_t bytes = b->size;
    if (b->kind == TW_PTG_STORES || ptg->tree != TW_BCASTS)
        return b->kind == TW_PTG_STORES ? TW_BCAST_STAR : ptg->tree;
    for (int i = 0; i < b->loans; i++)
        bytes += b->loan[i] ? tw_ptg_loan_bytes(b->loan[i]) : 0;
    return tw_bcast_choose(bytes, ranks);
}

static void send_message(tw_ptg *ptg, const tw_ptg_parts *parts, int first, tw_broadcast *b)
{
    const tw_ptg_part *part = &parts->part[first];
    memcpy(&b->course, part->message + b->course_at, sizeof b->course);
    b->course.last = part->ranks;
    if (part->ranks == 1) { /* most are: no copy */
        send_to(b, (int)part->rank, 1, part->message);
        return;
    }
    b->course.tree = (int32_t)choose_tree(ptg, b, part->ranks);
    tw_broadcast_send(b, (tw_ptg_members){.parts = parts, .leader = first, .root = ptg->rank});
    free(part->message);
}

/* The message of the group that begins with part `first`, if it was packed. */
static void send_group(tw_ptg *ptg, const tw_ptg_parts *parts, int first, size_t course_at)
{
    const tw_ptg_part *part = &parts->part[first];
    int n = tw_ptg_end_of_rank(parts, first) - first;
    tw_ptg_loan *loan[n];
    for (int i = 0; i < n; i++)
        loan[i] = part[i].loan;
    tw_broadcast b = {.g = ptg->graph,
                      .kind = parts->only == TW_PTG_TILES ? TW_PTG_STORES : TW_PTG_OUTPUTS,
                      .bytes = part->message,
                      .size = part->size,
                      .course_at = course_at,
                      .loan = loan,
                      .loans = n};
    if (part->message)
        send_message(ptg, parts, first, &b);
    tw_ptg_loans_end(tw_self(ptg->graph->tw), loan, n);
}

/* The task may be gone when its stores are on their way. */
void tw_ptg_send_parts(twill_task *t, tw_ptg_parts *parts)
{
    const tw_ptg_class *c = tw_ptg_class_of(t);
    size_t course_at = tw_message_name_size(c);
    for (int i = 0; i < parts->n; i = tw_ptg_end_of_rank(parts, i))
        if (parts->part[i].leader == i)
            send_group(c->ptg, parts, i, course_at);
}
