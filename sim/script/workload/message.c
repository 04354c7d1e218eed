/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of parties: the results of send and receive, and waiting for them. */
#include <lauxlib.h>

#include "script/sandbox/library.h"
#include "script/sandbox/sandbox.h"
#include "script/workload/party.h"

#define MESSAGE "gpunetsim.message"

/* The result of send and receive in a program. Its struct message is in the party's array, but that of a work-group's send is
 * here, since the program need not wait for it. */
struct lua_message {
    uint64_t party; /* its serial */
    int number;     /* in the party's array; -1: `own` */
    bool is_waited_for;
    struct message own;
};

static void make_room(lua_State *L, struct lua_party *party, int count)
{
    party->room = count;
    party->messages = lua_newuserdatauv(L, (size_t)count * sizeof *party->messages, 0);
    lua_setiuservalue(L, 1, 1);
}

/* me:messages(most): how many messages of the party may be under way at a time. */
int message_room(lua_State *L, struct lua_party *party)
{
    make_room(L, party, (int)luaL_checkinteger(L, 2));
    return 0;
}

/* Takes the next place for a message, in the order of calls. User value 1 of the party's object keeps the array. */
static int take_message(lua_State *L, struct lua_party *party)
{
    if (party->messages == NULL)
        make_room(L, party, LUA_MESSAGES);
    if (party->under_way == 0)
        party->used = 0;
    if (party->used == party->room)
        script_fail(L, "a party has at most %d messages under way before it waits for all of them",
                    party->room);
    party->under_way++;
    return party->used++;
}

static struct lua_message *push_message(lua_State *L, const struct lua_party *party, int number)
{
    struct lua_message *message = lua_newuserdatauv(L, sizeof *message, 0);
    *message = (struct lua_message){.party = party->serial, .number = number};
    library_set_metatable(L, MESSAGE, NULL);
    return message;
}

int message_send(lua_State *L, struct lua_party *party)
{
    struct party_arguments to;
    bool is_exact = party->world->is_exact;
    party_read(L, party, ARGUMENTS(TO, GROUP, BUFFER, BYTES, CHANNEL), &to);
    int number = is_exact || !world_has_words(party->party->world) ? take_message(L, party) : -1;
    struct lua_message *made = is_exact ? NULL : push_message(L, party, number);
    party_leave(party);
    transfer_send(party->party, number < 0 ? &made->own : &party->messages[number], &to.what);
    return made != NULL;
}

int message_receive(lua_State *L, struct lua_party *party)
{
    struct party_arguments from;
    party_read(L, party, ARGUMENTS(FROM, GROUP, BUFFER, BYTES, CHANNEL), &from);
    int number = take_message(L, party);
    if (!party->world->is_exact)
        push_message(L, party, number);
    party_leave(party);
    transfer_receive(party->party, &party->messages[number], &from.what);
    return !party->world->is_exact;
}

/* Marks the messages from argument 2 on, which are the party's own and not waited for yet. Returns a work-group's send, if any. */
static struct message *mark_messages(lua_State *L, const struct lua_party *party, bool *is_meant)
{
    struct message *sent = NULL;
    for (int i = 2; i <= lua_gettop(L); i++) {
        struct lua_message *message = luaL_testudata(L, i, MESSAGE);
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

/* Waits for the marked messages, together for those that are neighbours in the array. */
static int wait_for_meant(lua_State *L, struct lua_party *party)
{
    bool is_meant[LUA_MESSAGES + 1] = {false};
    struct message *sent = mark_messages(L, party, is_meant);
    party_leave(party);
    for (int first = 0; first < LUA_MESSAGES; first++) {
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

static int wait_for_all(struct lua_party *party,
                        void (*wait)(struct party *, struct message *, size_t))
{
    wait(party->party, party->messages, (size_t)party->under_way);
    party->under_way = 0;
    return 0;
}

/* me:wait(message, ...); in a shipped workload me:wait(), which waits for all messages under way. */
int message_wait(lua_State *L, struct lua_party *party)
{
    return party->world->is_exact ? wait_for_all(party, transfer_wait) : wait_for_meant(L, party);
}

/* me:wait_received(): waits for all messages under way; a work-group does not wait for sends. */
int message_wait_received(lua_State *L, struct lua_party *party)
{
    (void)L;
    return wait_for_all(party, transfer_wait_received);
}
