#include "protocols/runtimes/parcel.h"

struct message *inbox_arrive(struct inbox *inbox, struct parcel *parcel)
{
    struct message *before = NULL;
    for (struct message *message = inbox->first_message; message; message = message->next) {
        if (message->peer == parcel->from && message->tag == parcel->tag) {
            *(before ? &before->next : &inbox->first_message) = message->next;
            if (inbox->last_message == message)
                inbox->last_message = before;
            return message;
        }
        before = message;
    }
    parcel->next = NULL;
    *(inbox->last_parcel ? &inbox->last_parcel->next : &inbox->first_parcel) = parcel;
    inbox->last_parcel = parcel;
    return NULL;
}

struct parcel *inbox_expect(struct inbox *inbox, struct message *message)
{
    struct parcel *before = NULL;
    for (struct parcel *parcel = inbox->first_parcel; parcel; parcel = parcel->next) {
        if (parcel->from == message->peer && parcel->tag == message->tag) {
            *(before ? &before->next : &inbox->first_parcel) = parcel->next;
            if (inbox->last_parcel == parcel)
                inbox->last_parcel = before;
            return parcel;
        }
        before = parcel;
    }
    message->next = NULL;
    *(inbox->last_message ? &inbox->last_message->next : &inbox->first_message) = message;
    inbox->last_message = message;
    return NULL;
}
