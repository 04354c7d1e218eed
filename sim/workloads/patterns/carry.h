/* SPDX-License-Identifier: BSD-3-Clause */
/* Data that travel with a workload's messages, so that its pattern is tried for real: payloads have no contents in the
 * models, so what a message would carry waits here from the send until the receiver has seen it arrive. A message that is
 * not sent, or not waited for, or goes elsewhere, shows in the result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct carry;

/* NULL stands for no data: all calls do nothing then. */
struct carry *carry_new(void);
void carry_free(struct carry *carry);

/* A sequence of messages from one party to another; messages of a flow keep their order. */
struct carry_flow {
    int64_t from_place, from_group, to_place, to_group, channel;
};

/* Copies `count` numbers into the message. */
void carry_send(struct carry *carry, struct carry_flow flow, const double *data, int64_t count);

/* Takes the oldest message of that flow that has not been taken. False, and `data` stays, if none was sent or it has
 * another length. */
bool carry_receive(struct carry *carry, struct carry_flow flow, double *data, int64_t count);

/* Messages sent and not taken. */
int64_t carry_left(const struct carry *carry);
