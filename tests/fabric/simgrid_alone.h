/* SPDX-License-Identifier: BSD-3-Clause */
/* SimGrid by its own C interface, without any of our code: what ours is held against. To be used in
 * a child process that has no platform of ours. */
#pragma once

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

#include "fabric_test.h"

/* What the adapter sets, once more. */
static const char *const our_settings[] = {
    "network/model:CM02", "network/crosstraffic:no", "network/TCP-gamma:0",
    "network/optim:Lazy", "surf/precision:1e-13",    NULL,
};

/* A message between hosts, and when it was through. */
struct alone_message {
    const char *from, *to;
    double start_s, bytes;
    double end_s;
};

static inline void alone_actor(int argc, char **argv)
{
    (void)argc, (void)argv;
    struct alone_message *message = sg_actor_self_get_data();
    if (message->start_s > 0)
        sg_actor_sleep_until(message->start_s);
    sg_host_sendto(sg_host_by_name(message->from), sg_host_by_name(message->to), message->bytes);
    message->end_s = simgrid_get_clock();
}

/* An argument for SimGrid, which loses those that it has read: interned ones are nobody's to free.
 */
static inline void add_argument(GPtrArray *arguments, const char *text)
{
    g_ptr_array_add(arguments, (gpointer)(uintptr_t)g_intern_string(text));
}

/* `settings` of the form "key:value", NULL-ended. */
static inline void alone_start(const char *const *settings, const char *platform_file)
{
    g_autoptr(GPtrArray) arguments = g_ptr_array_new();
    add_argument(arguments, "alone");
    add_argument(arguments, "--log=root.thresh:critical");
    add_argument(arguments, "--cfg=contexts/factory:thread"); /* sanitizers know threads */
    for (; *settings; settings++) {
        g_autofree char *option = g_strdup_printf("--cfg=%s", *settings);
        add_argument(arguments, option);
    }
    int count = (int)arguments->len;
    g_ptr_array_add(arguments, NULL);
    simgrid_init(&count, (char **)arguments->pdata);
    simgrid_load_platform(platform_file);
}

static inline void alone_run(struct alone_message *messages, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sg_actor_t actor = sg_actor_init("sender", sg_host_by_name(messages[i].from));
        sg_actor_set_data(actor, &messages[i]);
        sg_actor_start_(actor, alone_actor, 0, NULL);
    }
    simgrid_run();
}

/* Writes `text` into a file of a fresh folder. The caller frees the name and removes the file. */
static inline char *write_temporary(const char *file, const char *text)
{
    GError *error = NULL;
    g_autofree char *folder = g_dir_make_tmp("gpunetsim-XXXXXX", &error);
    g_assert_no_error(error);
    char *path = g_build_filename(folder, file, NULL);
    g_file_set_contents(path, text, -1, &error);
    g_assert_no_error(error);
    return path;
}

static inline void remove_temporary(const char *path)
{
    g_autofree char *folder = g_path_get_dirname(path);
    g_assert_cmpint(unlink(path), ==, 0);
    g_assert_cmpint(rmdir(folder), ==, 0);
}
