/* SPDX-License-Identifier: BSD-3-Clause */
/* The bus: its times agree with numbers computed by hand, and random traffic keeps PCIe's rules of ordering. */
#include "../param_valid.h"
#include "bus_test.h"
#include "core/rng.h"
#include "core/wait.h"

/* --- what is noted of a request --------------------------------------------------------------- */

struct note {
    struct sim *sim;
    sim_time done_ps;
    uint64_t value;
};

static void note_done(struct bus_request *request, void *argument)
{
    struct note *note = argument;
    note->done_ps = sim_now(note->sim);
    note->value = request->operand;
    if (request->op == BUS_READ)
        memcpy(&note->value, request->data, sizeof note->value);
}

static struct bus_request *make(struct machine *machine, enum bus_op op, int from, int to,
                                int64_t bytes, struct note *note)
{
    struct bus_request *request = bus_request(machine->bus);
    g_assert_cmpuint(request->operand, ==, 0);
    g_assert_cmpuint(request->data[0], ==, 0);
    *note = (struct note){.sim = machine->sim};
    request->op = op;
    request->from_slot = from;
    request->at = address_make(to, 0x1000);
    request->bytes = bytes;
    request->done = note_done;
    request->argument = note;
    return request;
}

static void run(struct machine *machine)
{
    g_assert_cmpint(sim_run(machine->sim), ==, SIM_FINISHED);
}

/* --- statistics by name ---------------------------------------------------------------------- */

struct search {
    const char *name;
    double value;
};

static void look(const char *path, const struct stat_info *info, const char *field, double value,
                 void *argument)
{
    struct search *search = argument;
    if (strcmp(path, "node1.bus") == 0 && strcmp(info->name, search->name) == 0 && !field)
        search->value = value;
}

static double statistic(const struct machine *machine, const char *name)
{
    struct search search = {name, -1};
    stat_visit(machine->sim->stats, sim_now(machine->sim), look, &search);
    return search.value;
}

/* --- times ------------------------------------------------------------------------------------ */

/* A write arrives after one way and is done when the device says so. */
static void one_write(void)
{
    struct machine machine;
    struct note note;
    machine_init(&machine);
    machine.devices[GPU].delay_ps = 7;
    struct bus_request *request = make(&machine, BUS_WRITE, CPU, GPU, 8, &note);
    request->data[0] = 42;
    bus_send(machine.bus, request, 0);
    run(&machine);
    g_assert_cmpint(machine.devices[GPU].last_ps, ==, way_ps(24 + 8));
    g_assert_cmpint(note.done_ps, ==, way_ps(24 + 8) + 7);
    g_assert_cmpuint(machine.devices[GPU].memory, ==, 42);
    machine_clear(&machine);
}

/* A read goes there as a bare header and comes back with the data, 40 bytes in two packets. */
static void one_read(void)
{
    struct machine machine;
    struct note note;
    machine_init(&machine);
    machine.devices[GPU].delay_ps = 1000;
    machine.devices[GPU].memory = 4711;
    bus_send(machine.bus, make(&machine, BUS_READ, CPU, GPU, 40, &note), 0);
    run(&machine);
    g_assert_cmpint(machine.devices[GPU].last_ps, ==, way_ps(24));
    g_assert_cmpint(note.done_ps, ==, way_ps(24) + 1000 + way_ps(2 * 24 + 40));
    g_assert_cmpuint(note.value, ==, 4711);
    machine_clear(&machine);
}

/* A read whose data leave by transport is over when its target says so: nothing comes back here. */
static void stream_read(void)
{
    struct machine machine;
    struct note note;
    machine_init(&machine);
    machine.devices[GPU].delay_ps = 1000;
    bus_send(machine.bus, make(&machine, BUS_READ_STREAM, NIC, GPU, 64, &note), 0);
    run(&machine);
    g_assert_cmpint(note.done_ps, ==, way_ps(24) + 1000);
    g_assert_cmpfloat(statistic(&machine, "read_bytes"), ==, 24);
    g_assert_cmpfloat(statistic(&machine, "completion_packets"), ==, 0);
    machine_clear(&machine);
}

/* An atomic takes its operands there (two of them if it compares) and the old value back. */
static void atomics(void)
{
    static const enum atomic_op operations[] = {ATOMIC_ADD, ATOMIC_COMPARE_SWAP, ATOMIC_SWAP};
    static const int64_t operands[] = {8, 16, 8};
    static const uint64_t after[] = {15, 5, 5};
    for (size_t i = 0; i < G_N_ELEMENTS(operations); i++) {
        struct machine machine;
        struct note note;
        machine_init(&machine);
        machine.devices[NIC].memory = 10;
        struct bus_request *request = make(&machine, BUS_ATOMIC, GPU, NIC, 8, &note);
        request->atomic = operations[i];
        request->operand = 5;
        request->compare = 10;
        bus_send(machine.bus, request, 0);
        run(&machine);
        g_assert_cmpint(note.done_ps, ==, way_ps(24 + operands[i]) + way_ps(24 + 8));
        g_assert_cmpuint(note.value, ==, 10);
        g_assert_cmpuint(machine.devices[NIC].memory, ==, after[i]);
        machine_clear(&machine);
    }
}

/* Packets wait for one another on a link: a second write of the same time arrives one packet's time
 * later; a write that meets the first one only on the GPU's link waits as long. */
static void packets_wait(void)
{
    struct machine machine;
    struct note first, second, third;
    machine_init(&machine);
    bus_send(machine.bus, make(&machine, BUS_WRITE, CPU, GPU, 32, &first), 0);
    bus_send(machine.bus, make(&machine, BUS_WRITE, CPU, GPU, 32, &second), 0);
    bus_send(machine.bus, make(&machine, BUS_WRITE, NIC, GPU, 32, &third), 0);
    run(&machine);
    sim_time packet_ps = (24 + 32) * BYTE_PS;
    g_assert_cmpint(first.done_ps, ==, way_ps(24 + 32));
    g_assert_cmpint(third.done_ps, ==, way_ps(24 + 32) + packet_ps);
    g_assert_cmpint(second.done_ps, ==, way_ps(24 + 32) + 2 * packet_ps);
    machine_clear(&machine);
}

/* Opposite paths do not meet. */
static void opposite_paths(void)
{
    struct machine machine;
    struct note there, back;
    machine_init(&machine);
    bus_send(machine.bus, make(&machine, BUS_WRITE, CPU, GPU, 32, &there), 0);
    bus_send(machine.bus, make(&machine, BUS_WRITE, GPU, CPU, 32, &back), 0);
    run(&machine);
    g_assert_cmpint(there.done_ps, ==, way_ps(24 + 32));
    g_assert_cmpint(back.done_ps, ==, way_ps(24 + 32));
    machine_clear(&machine);
}

/* A device that writes to its own port crosses no link. */
static void to_itself(void)
{
    struct machine machine;
    struct note note;
    machine_init(&machine);
    bus_send(machine.bus, make(&machine, BUS_READ, GPU, GPU, 8, &note), 0);
    g_assert_cmpint(machine.devices[GPU].arrived, ==, 0); /* as an event, not within bus_send */
    run(&machine);
    g_assert_cmpint(machine.devices[GPU].arrived, ==, 1);
    g_assert_cmpint(note.done_ps, ==, 0);
    machine_clear(&machine);
}

static void wire_bytes(void)
{
    g_assert_cmpint(bus_wire_bytes(&spec, 0), ==, 24);
    g_assert_cmpint(bus_wire_bytes(&spec, 32), ==, 24 + 32);
    g_assert_cmpint(bus_wire_bytes(&spec, 33), ==, 2 * 24 + 33);
    g_assert_cmpint(bus_wire_bytes(&spec, 3200), ==, 100 * 24 + 3200);
    g_autoptr(GError) error = NULL;
    g_assert_true(param_table_valid(&bus_params, &error));
    struct bus_spec standard;
    param_set_defaults(&bus_params, &standard);
    g_assert_cmpint(standard.wire.latency_ps, ==, 90 * PS_PER_NS);
    g_assert_cmpint(standard.wire.rate_Bps, ==, 15754000000);
    g_assert_cmpint(bus_wire_bytes(&standard, 256), ==, 280);
}

/* --- statistics ------------------------------------------------------------------------------- */

static void statistics(void)
{
    struct machine machine;
    struct note notes[3];
    machine_init(&machine);
    bus_send(machine.bus, make(&machine, BUS_WRITE, CPU, GPU, 64, &notes[0]), 0);
    bus_send(machine.bus, make(&machine, BUS_READ, GPU, CPU, 40, &notes[1]), 0);
    bus_send(machine.bus, make(&machine, BUS_ATOMIC, NIC, CPU, 8, &notes[2]), 0);
    run(&machine);
    g_assert_cmpfloat(statistic(&machine, "write_packets"), ==, 2);
    g_assert_cmpfloat(statistic(&machine, "write_bytes"), ==, 64 + 2 * 24);
    g_assert_cmpfloat(statistic(&machine, "read_packets"), ==, 1);
    g_assert_cmpfloat(statistic(&machine, "read_bytes"), ==, 24);
    g_assert_cmpfloat(statistic(&machine, "atomic_packets"), ==, 1);
    g_assert_cmpfloat(statistic(&machine, "atomic_bytes"), ==, 24 + 8);
    g_assert_cmpfloat(statistic(&machine, "completion_packets"), ==, 2 + 1);
    g_assert_cmpfloat(statistic(&machine, "completion_bytes"), ==, 40 + 2 * 24 + 8 + 24);
    machine_clear(&machine);
}

/* --- ordering --------------------------------------------------------------------------------- */

/* Random requests between all ports, performed at once or later. Whatever sets out from one port to
 * another, request or completion, must arrive in the order of setting out: then a read finds all
 * writes before it performed or arrived (it pushes them), and a completion finds behind it none of
 * the writes that its device had posted before. */
struct traffic {
    struct sim *sim;
    struct bus *bus;
    struct rng rng;
    int left;
    int over;
    int set_out[SLOTS][SLOTS], arrived[SLOTS][SLOTS]; /* numbers from one port to another */
};

struct ordered {
    struct traffic *traffic;
    struct bus_request *request;
    int number; /* on its present way */
};

static void check_order(struct ordered *ordered, int from, int to)
{
    g_assert_cmpint(ordered->number, ==, ordered->traffic->arrived[from][to]++);
}

static bool comes_back(const struct bus_request *request)
{
    return request->op == BUS_READ || request->op == BUS_ATOMIC;
}

static void ordered_done(struct bus_request *request, void *argument)
{
    struct ordered *ordered = argument;
    if (comes_back(request))
        check_order(ordered, address_slot(request->at), request->from_slot);
    ordered->traffic->over++;
    g_free(ordered);
}

static void ordered_perform(void *argument)
{
    struct ordered *ordered = argument;
    struct bus_request *request = ordered->request;
    if (comes_back(request))
        ordered->number =
            ordered->traffic->set_out[address_slot(request->at)][request->from_slot]++;
    bus_performed(ordered->traffic->bus, request, 0);
}

static void ordered_arrive(void *device, struct bus_request *request)
{
    struct traffic *traffic = device;
    struct ordered *ordered = request->argument;
    check_order(ordered, request->from_slot, address_slot(request->at));
    if (rng_below(&traffic->rng, 2))
        ordered_perform(ordered);
    else
        event_schedule(traffic->sim->events,
                       sim_now(traffic->sim) + (sim_time)rng_below(&traffic->rng, 50000),
                       ordered_perform, ordered);
}

static void send_random(void *argument)
{
    struct traffic *traffic = argument;
    struct bus_request *request = bus_request(traffic->bus);
    struct ordered *ordered = g_new(struct ordered, 1);
    int from = (int)rng_below(&traffic->rng, SLOTS), to = (int)rng_below(&traffic->rng, SLOTS);
    request->op = (enum bus_op)rng_below(&traffic->rng, BUS_ATOMIC + 1);
    request->from_slot = from;
    request->at = address_make(to, 0);
    request->bytes = (int64_t)rng_below(&traffic->rng, BUS_DATA_BYTES + 1);
    request->done = ordered_done;
    request->argument = ordered;
    *ordered = (struct ordered){traffic, request, traffic->set_out[from][to]++};
    bus_send(traffic->bus, request, 0);
    if (--traffic->left > 0) /* often at the same time, often while others are on their way */
        event_schedule(traffic->sim->events,
                       sim_now(traffic->sim) +
                           (sim_time)(rng_below(&traffic->rng, 3) * rng_below(&traffic->rng, 6000)),
                       send_random, traffic);
}

static void ordering(void)
{
    enum { REQUESTS = 100000 };
    struct traffic traffic = {.sim = sim_new(1), .left = REQUESTS};
    traffic.bus = bus_new(traffic.sim, two_nodes(10 * GBps), 1, &spec);
    rng_init(&traffic.rng, 1, "bus ordering");
    struct endpoint endpoint = {ordered_arrive, &traffic, 0};
    for (int i = 0; i < SLOTS; i++)
        bus_attach(traffic.bus, i, &endpoint);
    send_random(&traffic);
    g_assert_cmpint(sim_run(traffic.sim), ==, SIM_FINISHED);
    g_assert_cmpint(traffic.over, ==, REQUESTS);
    for (int from = 0; from < SLOTS; from++)
        for (int to = 0; to < SLOTS; to++)
            g_assert_cmpint(traffic.arrived[from][to], ==, traffic.set_out[from][to]);
    bus_free(traffic.bus);
    sim_free(traffic.sim);
}

/* --- paths worked out ahead --------------------------------------------------------------------- */

/* Writes are told to the bus before they set out, in any order, and their whole way is worked out at once,
 * and again whenever one comes in between. They must arrive as if each packet took its turn at each
 * link at the moment at which it comes there: here that is done packet by packet, the earliest first. */
struct foretold {
    int from, to;
    int64_t bytes;
    sim_time told_ps, leaves_ps;
    sim_time at_ps; /* at its next link, or at its port */
    int links;      /* that it has passed */
    struct note note;
};

enum { FORETOLD = 400, ROOT = 1 };

struct foretelling {
    struct machine *machine;
    struct foretold packets[FORETOLD];
};

struct telling {
    struct foretelling *foretelling;
    int number;
};

static void tell(void *argument)
{
    struct telling *telling = argument;
    struct machine *machine = telling->foretelling->machine;
    struct foretold *packet = &telling->foretelling->packets[telling->number];
    struct bus_request *request =
        make(machine, BUS_WRITE, packet->from, packet->to, packet->bytes, &packet->note);
    bus_send(machine->bus, request, packet->leaves_ps - packet->told_ps);
}

/* The packet that is the next to come to a link. */
static struct foretold *earliest(struct foretelling *foretelling)
{
    struct foretold *first = NULL;
    for (int i = 0; i < FORETOLD; i++) {
        struct foretold *packet = &foretelling->packets[i];
        if (packet->links < 2 && (first == NULL || packet->at_ps < first->at_ps))
            first = packet;
    }
    return first;
}

/* Sets at_ps of each packet to its arrival. Lanes: from each port to the root, then to each port. */
static void take_turns(struct foretelling *foretelling)
{
    struct bandwidth_server lanes[2][SLOTS];
    struct foretold *packet;
    for (int i = 0; i < 2 * SLOTS; i++)
        bandwidth_server_init(&lanes[i / SLOTS][i % SLOTS], 10 * GBps);
    while ((packet = earliest(foretelling)) != NULL) {
        int way = packet->links, slot = way == ROOT ? packet->to : packet->from;
        packet->at_ps = bandwidth_server_serve(&lanes[way][slot], packet->at_ps,
                                               bus_wire_bytes(&spec, packet->bytes)) +
                        bus_link_latency_ps(&spec);
        packet->links++;
    }
}

static void foretell(uint64_t seed)
{
    struct machine machine;
    struct foretelling *foretelling = g_new0(struct foretelling, 1);
    struct telling *tellings = g_new0(struct telling, FORETOLD);
    struct rng rng;
    machine_init(&machine);
    foretelling->machine = &machine;
    rng_init(&rng, seed, "bus foretold");
    sim_time told_ps = 0;
    for (int i = 0; i < FORETOLD; i++) {
        struct foretold *packet = &foretelling->packets[i];
        packet->from = (int)rng_below(&rng, SLOTS);
        packet->to = (packet->from + 1 + (int)rng_below(&rng, SLOTS - 1)) % SLOTS;
        packet->bytes = (int64_t)rng_below(&rng, BUS_DATA_BYTES + 1);
        told_ps += (sim_time)rng_below(&rng, 4000);
        packet->told_ps = told_ps;
        packet->at_ps = packet->leaves_ps = told_ps + (sim_time)rng_below(&rng, 300000);
        tellings[i] = (struct telling){foretelling, i};
        event_schedule(machine.sim->events, told_ps, tell, &tellings[i]);
    }
    run(&machine);
    take_turns(foretelling);
    for (int i = 0; i < FORETOLD; i++)
        g_assert_cmpint(foretelling->packets[i].note.done_ps, ==, foretelling->packets[i].at_ps);
    machine_clear(&machine);
    g_free(tellings);
    g_free(foretelling);
}

static void foretold(void)
{
    for (uint64_t seed = 1; seed <= 50; seed++)
        foretell(seed);
}

/* Packets of 32 bytes at a rate, one behind the other: the k-th arrives when k + 1 of them could pass a
 * link, and two cables and the root complex. Those after the end of the clock do not arrive, and the run
 * says so. */
static void check_rate(int64_t rate_Bps, int count)
{
    struct machine machine;
    g_autofree struct note *notes = g_new(struct note, (gsize)count);
    machine_init_at(&machine, rate_Bps);
    for (int i = 0; i < count; i++)
        bus_send(machine.bus, make(&machine, BUS_WRITE, CPU, GPU, 8, &notes[i]), 0);
    enum sim_end end = sim_run(machine.sim);
    sim_time constant_ps = 2 * LINK_PS + SWITCH_PS, last_ps = 0;
    int arrived = 0;
    for (int i = 0; i < count; i++) {
        sim_time at_ps = constant_ps + transfer_ps(32 * (i + 2), rate_Bps);
        if (at_ps > SIM_TIME_LAST)
            break;
        arrived++;
        last_ps = at_ps;
    }
    g_assert_cmpint(end, ==, arrived < count ? SIM_TOO_LONG : SIM_FINISHED);
    g_assert_cmpint(machine.devices[GPU].arrived, ==, arrived);
    assert_within(machine.devices[GPU].last_ps, last_ps, 1);
    machine_clear(&machine);
}

static void slowest(void)
{
    check_rate(1, 100000);
}

static void fastest(void)
{
    check_rate(INT64_C(1000000000000000), 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_test("/bus/write", one_write);
    add_test("/bus/read", one_read);
    add_test("/bus/stream-read", stream_read);
    add_test("/bus/atomics", atomics);
    add_test("/bus/packets-wait", packets_wait);
    add_test("/bus/opposite-paths", opposite_paths);
    add_test("/bus/to-itself", to_itself);
    add_test("/bus/wire-bytes", wire_bytes);
    add_test("/bus/statistics", statistics);
    add_test("/bus/ordering", ordering);
    add_test("/bus/foretold", foretold);
    add_test("/bus/slowest", slowest);
    add_test("/bus/fastest", fastest);
    return g_test_run();
}
