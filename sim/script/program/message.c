/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of parties: what send and receive give, and waiting for them. */
#include <lauxlib.h>

#include "script/program/program_parts.h"
#include "script/sandbox/library.h"

#define MESSAGE "gpunetsim.message"

/* What send and receive give; its struct message is in the party's array. That of a work-group's send is here: it
 * need not be waited for. */
struct program_message {
    uint64_t party; /* its serial */
    int number;     /* -1: `own` */
    bool is_waited_for;
    struct message own;
};

/* Room for one more message, in the order of calls; the array is kept by user value 1 of the party's object. */
static int take_message(lua_State *L, struct program_party *party)
{
    if (party->messages == NULL) {
        party->messages = lua_newuserdatauv(L, PROGRAM_MESSAGES * sizeof *party->messages, 0);
        lua_setiuservalue(L, 1, 1);
    }
    if (party->under_way == 0)
        party->used = 0;
    if (party->used == PROGRAM_MESSAGES)
        script_fail(L, "a party has at most %d messages under way before it waits for all of them",
                    PROGRAM_MESSAGES);
    party->under_way++;
    return party->used++;
}

static struct program_message *push_message(lua_State *L, struct program_party *party, int number)
{
    struct program_message *message = lua_newuserdatauv(L, sizeof *message, 0);
    *message = (struct program_message){.party = party->serial, .number = number};
    library_set_metatable(L, MESSAGE, NULL);
    return message;
}

/* Of send and receive, whose peer is called `peer`: what goes where, and its channel. */
static struct transfer_arguments read_arguments(lua_State *L, const struct program_party *party,
                                                const char *peer, int32_t *channel)
{
    struct transfer_arguments arguments = party_transfer(L, party, peer);
    *channel = (int32_t)party_whole(L, "channel", 0, TRANSFER_CHANNELS - 1, 0);
    return arguments;
}

int message_send(lua_State *L, struct program_party *party)
{
    int32_t channel;
    struct transfer_arguments to = read_arguments(L, party, "to", &channel);
    bool is_kernel = program_has_kernels(party->run->program);
    struct program_message *message =
        push_message(L, party, is_kernel ? -1 : take_message(L, party));
    program_leave(party);
    transfer_send(party->party, is_kernel ? &message->own : &party->messages[message->number],
                  to.place, to.group, channel, to.buffer, to.bytes);
    return 1;
}

int message_receive(lua_State *L, struct program_party *party)
{
    int32_t channel;
    struct transfer_arguments from = read_arguments(L, party, "from", &channel);
    int number = take_message(L, party);
    push_message(L, party, number);
    program_leave(party);
    transfer_receive(party->party, &party->messages[number], from.place, from.group, channel,
                     from.buffer, from.bytes);
    return 1;
}

/* Marks the messages from argument 2 on, which have to be the party's own and new. Returns a work-group's send, if there
 * is one. */
static struct message *mark_messages(lua_State *L, const struct program_party *party,
                                     bool *is_meant)
{
    struct message *sent = NULL;
    for (int i = 2; i <= lua_gettop(L); i++) {
        struct program_message *message = luaL_testudata(L, i, MESSAGE);
        if (message == NULL)
            script_fail(L, "wait needs messages that send and receive gave, not a %s",
                        luaL_typename(L, i));
        if (message->party != party->serial || message->is_waited_for)
            script_fail(L, message->is_waited_for
                               ? "a message is waited for once"
                               : "a message is waited for by the party that sends or receives it");
        message->is_waited_for = true;
        if (message->number < 0)
            sent = &message->own;
        else
            is_meant[message->number] = true;
    }
    return sent;
}

/* Those that were asked for one after the other are waited for together. */
int message_wait(lua_State *L, struct program_party *party)
{
    bool is_meant[PROGRAM_MESSAGES + 1] = {false};
    struct message *sent = mark_messages(L, party, is_meant);
    program_leave(party);
    for (int first = 0; first < PROGRAM_MESSAGES; first++) {
        int end = first;
        while (is_meant[end])
            end++;
        if (end > first)
            transfer_wait(party->party, &party->messages[first], (size_t)(end - first));
        party->under_way -= end - first;
        first = MAX(first, end);
    }
    if (sent != NULL)
        transfer_wait(party->party, sent, 1);
    return 0;
}
