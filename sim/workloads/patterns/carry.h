/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that travel with a workload's messages, so that its pattern is checked on real data. Payloads have no contents in the
 * models, so a message's data wait here from the send until the receiver has seen the message arrive. A message that is not
 * sent, not waited for or sent to a wrong place shows in the result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct carry;

/* NULL stands for no data: then all calls do nothing. */
struct carry *carry_new(void);
void carry_free(struct carry *carry);

/* A sequence of messages from one party to another; messages of a flow keep their order. */
struct carry_flow {
    int64_t from_place, from_group, to_place, to_group, channel;
};

/* Copies `count` numbers into the message. */
void carry_send(struct carry *carry, struct carry_flow flow, const double *data, int64_t count);

/* Takes the oldest message of that flow that was not yet taken. False, with `data` unchanged, if none was sent or its length
 * differs. */
bool carry_receive(struct carry *carry, struct carry_flow flow, double *data, int64_t count);

/* The number of messages sent and not taken. */
int64_t carry_left(const struct carry *carry);
