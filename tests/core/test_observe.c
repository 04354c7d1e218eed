/* SPDX-License-Identifier: BSD-3-Clause */
/* Observation: without listeners nothing is reported; an operation is divided into parts without gap or overlap, whatever
 * the order of its stamps; a number names one operation only, although slots are used again. */
#include <glib.h>
#include <string.h>

#include "core/observe_place.h"

#define OPERATIONS 100

static const struct observe_origin served = {
    .path = "served", .callers = "work-group", .is_served = true};
static const struct observe_origin messages = {.path = "messages", .callers = "rank"};
static const struct observe_origin iterations = {
    .path = "iterations", .callers = "place", .is_iteration = true};

struct ear {
    GString *text;
    struct observe_listener listener;
};

/* "packed 100-200" and so on; parts follow one another from the operation's start to its end. */
static void hear_operation(void *self, const struct observed_operation *operation)
{
    struct ear *ear = self;
    sim_time at_ps = operation->from_ps;
    g_string_append_printf(ear->text, "%s %u%s:", operation->origin->path, operation->caller,
                           operation->is_measured ? "" : " warm-up");
    for (size_t i = 0; i < operation->part_count; i++) {
        const struct observed_part *part = &operation->parts[i];
        g_assert_cmpint(part->from_ps, ==, at_ps);
        g_assert_cmpint(part->to_ps, >=, at_ps);
        at_ps = part->to_ps;
        if (part->to_ps > part->from_ps)
            g_string_append_printf(ear->text, " %s %d", stage_infos[part->stage].name,
                                   (int)(part->to_ps - part->from_ps));
    }
    g_assert_cmpint(at_ps, ==, operation->to_ps);
    g_string_append_c(ear->text, '\n');
}

static void hear_span(void *self, const struct observed_span *span)
{
    struct ear *ear = self;
    g_string_append_printf(ear->text, "%u %s %d-%d #%d\n", span->track, span->name,
                           (int)span->from_ps, (int)span->to_ps, (int)span->operation);
}

static void hear_change(void *self, const struct observed_change *change)
{
    struct ear *ear = self;
    g_string_append_printf(ear->text, "%u %s[%s] %+d\n", change->track, change->name, change->unit,
                           (int)change->change);
}

static void hear_track(void *self, uint32_t track, const char *path, const char *name)
{
    g_string_append_printf(((struct ear *)self)->text, "%u is %s/%s\n", track, path, name);
}

static void ear_open(struct ear *ear, struct observe *observe)
{
    ear->text = g_string_new(NULL);
    ear->listener.self = ear;
    observe_init(observe);
    observe_listen(observe, &ear->listener);
}

static void ear_expect(struct ear *ear, struct observe *observe, const char *expected)
{
    g_assert_cmpstr(ear->text->str, ==, expected);
    g_string_free(ear->text, TRUE);
    observe_clear(observe);
}

static void test_silence(void)
{
    struct observe observe;
    observe_init(&observe);
    g_assert_false(observe_wants_operations(&observe));
    g_assert_false(observe_wants_spans(&observe));
    g_assert_false(observe_hears(&observe, 0));
    observe_stage(&observe, 0, STAGE_POSTED, 5);
    observe_end(&observe, 0, 5);
    observe_reset(&observe);
    observe_clear(&observe);
}

/* Stages of a served operation in their order, a late one at the time of the one ahead of it; of others by time. */
static void test_parts(void)
{
    struct observe observe;
    struct ear ear = {.listener = {.operation = hear_operation}};
    ear_open(&ear, &observe);
    g_assert_true(observe_wants_operations(&observe));
    uint64_t put = observe_begin(&observe, &served, 7, 1000);
    observe.is_warmup = true;
    uint64_t message = observe_begin(&observe, &messages, 2, 1000);
    observe_stage(&observe, put, STAGE_COMPLETED, 1400);
    observe_stage(&observe, put, STAGE_DELIVERED, 1500); /* its completion was handled before */
    observe_stage(&observe, put, STAGE_POSTED, 1100);
    observe_stage(&observe, message, STAGE_ON_WIRE, 1300);
    observe_stage(&observe, message, STAGE_PACKED, 1200);
    observe_stage(&observe, message, STAGE_DELIVERED, 1350);
    observe_stage(&observe, message, STAGE_PACKED, 1450);
    observe_stage(&observe, message, STAGE_DELIVERED, 9999); /* behind its end */
    observe_end(&observe, put, 1600);
    observe_end(&observe, message, 1700);
    observe_end(&observe, put, 1800);
    ear_expect(
        &ear, &observe,
        "served 7: posted 100 delivered 400 noticed 100\n"
        "messages 2 warm-up: packed 200 on_wire 100 delivered 50 packed 100 delivered 250\n");
}

static void test_spans(void)
{
    struct observe observe;
    struct ear ear = {.listener = {.span = hear_span, .change = hear_change, .track = hear_track}};
    ear_open(&ear, &observe);
    g_assert_true(observe_wants_spans(&observe));
    g_assert_false(observe_wants_operations(&observe));
    uint32_t nic = observe_track(&observe, "node0", "nic0"),
             core = observe_track(&observe, "node0", "core");
    g_assert_cmpuint(observe_track(&observe, "node0", "nic0"), ==, nic);
    observe_span(&observe, nic, "put", 5, 9, (UINT64_C(3) << 32) + 4);
    observe_change(&observe, core, "power", "mW", 9, -40);
    observe_leave(&observe, &ear.listener);
    g_assert_false(observe_wants_spans(&observe));
    ear_expect(&ear, &observe, "1 is node0/nic0\n2 is node0/core\n1 put 5-9 #4\n2 power[mW] -40\n");
}

static void test_numbers(void)
{
    struct observe observe;
    struct ear ear = {.listener = {.operation = hear_operation}};
    uint64_t old[OPERATIONS], fresh[OPERATIONS];
    ear_open(&ear, &observe);
    for (int i = 0; i < OPERATIONS; i++)
        old[i] = observe_begin(&observe, &served, 0, 0);
    for (int i = 0; i < OPERATIONS; i += 2)
        observe_forget(&observe, old[i]);
    for (int i = 0; i < OPERATIONS; i += 2)
        fresh[i] = observe_begin(&observe, &served, 1, 0);
    for (int i = 0; i < OPERATIONS; i += 2) {
        for (int k = 0; k < OPERATIONS; k++)
            g_assert_cmpuint(fresh[i], !=, old[k]);
        observe_stage(&observe, old[i], STAGE_POSTED, 700); /* of nobody any more */
        observe_end(&observe, old[i], 800);
        g_string_truncate(ear.text, 0);
        observe_end(&observe, fresh[i], 1000);
        g_assert_cmpstr(ear.text->str, ==, "served 1: noticed 1000\n");
    }
    g_string_truncate(ear.text, 0);
    ear_expect(&ear, &observe, "");
}

/* One place is used again and again, beside an operation that stays: numbers stay in their bits, and nobody's comes again
 * meanwhile. More operations than places are not told of, and harm nobody. */
static void test_bounds(void)
{
    struct observe observe;
    observe_init(&observe);
    uint64_t stays = observe_begin(&observe, &served, 0, 0), before = 0;
    for (int i = 0; i < 1000000; i++) {
        uint64_t number = observe_begin(&observe, &served, 0, 0);
        g_assert_true(number > 0 && number >> OBSERVE_NUMBER_BITS == 0);
        g_assert_true(number != stays && number != before);
        observe_forget(&observe, number);
        before = number;
    }
    for (int i = 1; i < 1 << OBSERVE_PLACE_BITS; i++)
        g_assert_cmpuint(observe_begin(&observe, &served, 0, 0), !=, 0);
    g_assert_cmpuint(observe_begin(&observe, &served, 0, 0), ==, 0);
    observe_clear(&observe);
}

/* A place is at a kernel before a copy before its core before waiting; what straddles the end of an iteration is parted; what is
 * told late counts from the end of the iteration that has been told; the core knows its time ahead. */
static void test_place(void)
{
    struct observe observe;
    struct ear ear = {.listener = {.operation = hear_operation}};
    observe_init(&observe);
    g_assert_null(observe_place_new(&observe, &iterations, 3, STAGE_IDLE, 0));
    ear_open(&ear, &observe);
    struct observe_place *place = observe_place_new(&observe, &iterations, 3, STAGE_IDLE, 0);
    observe_place_core(place, STAGE_PACKED, 0, 60);
    observe_place_core(place, STAGE_PACKED, 60, 100);
    observe_place_core(place, STAGE_LAUNCHED, 100, 200);
    observe_place_change(place, STAGE_STARTED, 200, 1);
    observe_place_change(place, STAGE_KERNEL, 250, 1);
    observe_place_change(place, STAGE_STARTED, 250, -1);
    observe_place_change(place, STAGE_STAGED, 300, 1);
    observe_place_core(place, STAGE_BUSY, 240, 320);
    observe_place_change(place, STAGE_KERNEL, 400, -1);
    observe_place_change(place, STAGE_STAGED, 450, -1);
    observe_place_change(place, STAGE_EXPOSED, 50, 1);
    observe_place_cut(place, 500, true, 490);
    g_assert_cmpstr(ear.text->str, ==, ""); /* its end is ahead of what others have done */
    observe_place_change(place, STAGE_LATE_RECEIVE, 480, 1);
    observe_place_change(place, STAGE_LATE_RECEIVE, 520, -1);
    observe_place_change(place, STAGE_EXPOSED, 600, -1);
    observe_place_cut(place, 700, true, 700);
    observe_place_change(place, STAGE_KERNEL, 650, 1); /* as if at 700 */
    observe_place_change(place, STAGE_KERNEL, 720, -1);
    observe_place_cut(place, 800, false, 900);
    observe_place_cut(place, 1000, true, 900);
    observe_place_finish(place);
    observe_place_free(place);
    ear_expect(&ear, &observe,
               "iterations 3: packed 100 launched 100 started 40 busy 10 kernel 150 staged 50 "
               "exposed 30 late_receive 20\n"
               "iterations 3: late_receive 20 exposed 80 idle 100\n"
               "iterations 3: idle 200\n");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/observe/silence", test_silence);
    g_test_add_func("/observe/parts", test_parts);
    g_test_add_func("/observe/place", test_place);
    g_test_add_func("/observe/spans", test_spans);
    g_test_add_func("/observe/numbers", test_numbers);
    g_test_add_func("/observe/bounds", test_bounds);
    return g_test_run();
}
