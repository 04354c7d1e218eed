/* SPDX-License-Identifier: BSD-3-Clause */
/* An output file is written completely or not at all, and every failure is one sentence with the name that the user gave.
 * All cases hold for root, too, whom permissions do not stop. */
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/error.h"
#include "script/commands/session.h"
#include "script/views/views.h"
#include "study/system/leftover.h"

/* The rules of views/files.lua. */
struct output_rules {
    bool force;
    const char *const *inputs;
    const char *owner;
};

static const struct output_rules no_rules = {.force = false};

static int push_program(lua_State *L, void *session)
{
    static const struct session_function none = {NULL, NULL, NULL};
    session_open(L, session, &none);
    return 0;
}

/* Calls a function of output.lua, which calls that of views/files.lua, as a command does; false and an error if it fails. */
static bool call_files(const char *function, GVariant *arguments, GError **error)
{
    struct session session = {.objects = g_hash_table_new(NULL, NULL)};
    g_auto(GStrv) none =
        views_call("../tests/study/output", function, push_program, &session, arguments, error);
    g_hash_table_unref(session.objects);
    return none != NULL;
}

static GVariant *rules_value(const struct output_rules *rules)
{
    GVariantDict fields;
    g_variant_dict_init(&fields, NULL);
    g_variant_dict_insert(&fields, "force", "b", rules->force);
    if (rules->inputs)
        g_variant_dict_insert(&fields, "inputs", "^aay", rules->inputs);
    if (rules->owner)
        g_variant_dict_insert(&fields, "owner", "^ay", rules->owner);
    return g_variant_dict_end(&fields);
}

static bool output_write(const char *path, const char *content, const struct output_rules *rules,
                         GError **error)
{
    return call_files("write", g_variant_new("(^ay^ay@a{sv})", path, content, rules_value(rules)),
                      error);
}

static bool output_prepare_file(const char *path, const struct output_rules *rules, GError **error)
{
    return call_files("prepare", g_variant_new("(^ay@a{sv})", path, rules_value(rules)), error);
}

static bool output_prepare_folder(const char *path, GError **error)
{
    return call_files("prepare_folder", g_variant_new("(^ay)", path), error);
}

struct place {
    char *folder;
};

static void place_set_up(struct place *place, gconstpointer unused)
{
    (void)unused;
    place->folder = g_dir_make_tmp("gpunetsim-test-XXXXXX", NULL);
    g_assert_nonnull(place->folder);
}

static int count_entries(const char *folder)
{
    g_autoptr(GDir) entries = g_dir_open(folder, 0, NULL);
    int count = 0;
    while (g_dir_read_name(entries))
        count++;
    return count;
}

static void place_tear_down(struct place *place, gconstpointer unused)
{
    (void)unused;
    GDir *entries = g_dir_open(place->folder, 0, NULL);
    const char *name;
    while ((name = g_dir_read_name(entries))) {
        g_autofree char *path = g_build_filename(place->folder, name, NULL);
        g_remove(path);
    }
    g_dir_close(entries);
    g_assert_cmpint(g_rmdir(place->folder), ==, 0);
    g_free(place->folder);
}

static void assert_content(const char *path, const char *expected)
{
    g_autofree char *content = NULL;
    g_assert_true(g_file_get_contents(path, &content, NULL, NULL));
    g_assert_cmpstr(content, ==, expected);
}

static void test_writes_and_replaces(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    GError *error = NULL;
    g_assert_true(output_write(path, "first", &no_rules, &error));
    g_assert_no_error(error);
    assert_content(path, "first");
    g_assert_true(output_write(path, "2", &no_rules, &error));
    assert_content(path, "2");
    g_assert_cmpint(count_entries(place->folder), ==, 2); /* and the list */
}

/* A name that a folder has cannot be renamed onto: the temporary file must go again. */
static void test_failure_leaves_nothing(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autofree char *expected = g_strdup_printf("cannot write %s: Is a directory", path);
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    g_assert_false(output_write(path, "x", &no_rules, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    g_assert_cmpstr(error->message, ==, expected);
    g_assert_cmpint(count_entries(place->folder), ==, 1);
}

/* Devices and pipes are written, not replaced. By way of a link: a writer that gets this wrong
 * replaces the link, and not, when root runs this test, the device of the machine. */
static void test_device_stays_a_device(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "full", NULL);
    g_autofree char *expected = g_strdup_printf("cannot write %s: No space left on device", path);
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(symlink("/dev/full", path), ==, 0);
    g_assert_true(output_prepare_file(path, &no_rules, NULL));
    g_assert_false(output_write(path, "x", &no_rules, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_RUN);
    g_assert_cmpstr(error->message, ==, expected);
    g_assert_true(g_file_test(path, G_FILE_TEST_IS_SYMLINK));
}

static void test_folder_is_made_with_parents(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *parent = g_build_filename(place->folder, "a", NULL);
    g_autofree char *folder = g_build_filename(parent, "b", NULL);
    GError *error = NULL;
    g_assert_true(output_prepare_folder(folder, &error));
    g_assert_no_error(error);
    g_assert_cmpint(count_entries(folder), ==, 0);
    g_assert_cmpint(g_rmdir(folder), ==, 0);
}

static void assert_unusable_folder(const char *path, const char *expected)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(output_prepare_folder(path, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    g_assert_cmpstr(error->message, ==, expected);
}

static void test_unusable_folders(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *file = g_build_filename(place->folder, "file", NULL);
    g_autofree char *below = g_build_filename(file, "out", NULL);
    g_autofree char *expected =
        g_strdup_printf("cannot make the folder %s: Not a directory", below);
    g_assert_true(g_file_set_contents(file, "", 0, NULL));
    assert_unusable_folder(below, expected);
    assert_unusable_folder("/proc/self",
                           "cannot write into the folder /proc/self: No such file or directory");
}

static bool write_two(const char *path, const struct output_rules *rules, GError **error)
{
    bool is_prepared = output_prepare_file(path, rules, NULL);
    bool is_written = output_write(path, "2", rules, error);
    g_assert_cmpint(is_prepared, ==, is_written);
    return is_written;
}

/* What somebody else wrote, or changed after us, is kept unless force is used. */
static void test_keeps_what_is_not_ours(struct place *place, gconstpointer unused)
{
    (void)unused;
    static const struct output_rules force = {.force = true};
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autoptr(GError) error = NULL;
    g_assert_true(g_file_set_contents(path, "theirs", -1, NULL));
    g_assert_false(write_two(path, &no_rules, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    g_assert_nonnull(strstr(error->message, "--force"));
    assert_content(path, "theirs");
    g_assert_true(write_two(path, &force, NULL));
    g_assert_true(write_two(path, &no_rules, NULL)); /* ours now */
    g_assert_true(g_file_set_contents(path, "2 and a remark", -1, NULL));
    g_assert_false(write_two(path, &no_rules, NULL));
    assert_content(path, "2 and a remark");
}

/* By whatever name it is given: itself, by a link, by another name of the same file. */
static void test_never_replaces_an_input(struct place *place, gconstpointer unused)
{
    (void)unused;
    static const char *const names[] = {"study.lua", "./study.lua", "soft", "hard",
                                        "study.lua-wal"};
    g_autofree char *study = g_build_filename(place->folder, "study.lua", NULL);
    g_autofree char *soft = g_build_filename(place->folder, "soft", NULL);
    g_autofree char *hard = g_build_filename(place->folder, "hard", NULL);
    const char *const inputs[] = {study, NULL};
    const struct output_rules rules = {.force = true, .inputs = inputs};
    g_assert_true(g_file_set_contents(study, "input", -1, NULL));
    g_assert_cmpint(symlink("study.lua", soft), ==, 0);
    g_assert_cmpint(link(study, hard), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("%s/%s", place->folder, names[i]);
        g_autoptr(GError) error = NULL;
        g_assert_false(write_two(path, &rules, &error));
        g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
        g_assert_true(g_str_has_suffix(error->message, ": this command reads it"));
    }
    assert_content(study, "input");
}

/* A study's folder is its own; its owner is known by the way to it, so both may move together. */
static void test_owners(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autofree char *one = g_build_filename(place->folder, "a.lua", NULL);
    g_autofree char *other = g_build_filename(place->folder, "b.lua", NULL);
    const struct output_rules ours = {.owner = one}, others = {.owner = other};
    g_autoptr(GError) error = NULL;
    g_assert_true(write_two(path, &ours, NULL));
    g_assert_true(write_two(path, &ours, NULL));
    g_assert_false(write_two(path, &others, &error));
    g_assert_error(error, ERROR_DOMAIN, ERROR_USE);
    g_assert_nonnull(strstr(error->message, "another study's"));
    g_assert_true(write_two(path, &no_rules, NULL));
}

/* A link stays one, and what it leads to is written; one that leads nowhere is no file. */
static void test_links(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "real", NULL);
    g_autofree char *soft = g_build_filename(place->folder, "soft", NULL);
    g_autofree char *lost = g_build_filename(place->folder, "lost", NULL);
    g_assert_cmpint(symlink("real", soft), ==, 0);
    g_assert_cmpint(symlink("nowhere", lost), ==, 0);
    g_assert_true(write_two(path, &no_rules, NULL));
    g_assert_true(output_write(soft, "3", &no_rules, NULL));
    g_assert_true(g_file_test(soft, G_FILE_TEST_IS_SYMLINK));
    assert_content(path, "3");
    g_assert_false(write_two(lost, &no_rules, NULL));
}

/* What nobody locks was left by a process that was killed; what is locked is being written. */
static void test_leftovers(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *left = g_build_filename(place->folder, ".gpunetsim-new-abcdef", NULL);
    g_autofree char *results = g_build_filename(place->folder, "results.csv.abcdef", NULL);
    g_autofree char *at_work = NULL;
    g_assert_true(g_file_set_contents(left, "half", -1, NULL));
    g_assert_true(g_file_set_contents(results, "theirs", -1, NULL));
    int fd = leftover_new_file(place->folder, ".gpunetsim-new-", &at_work);
    g_assert_cmpint(fd, >=, 0);
    g_assert_true(output_prepare_folder(place->folder, NULL));
    g_assert_false(g_file_test(left, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(results, G_FILE_TEST_EXISTS));
    g_assert_true(g_file_test(at_work, G_FILE_TEST_EXISTS));
    close(fd);
    leftover_remove(place->folder, ".gpunetsim-new-");
    g_assert_false(g_file_test(at_work, G_FILE_TEST_EXISTS));
}

/* Another process may remove a folder as a leftover between its making and its locking: then the next one is taken. */
static void test_leftovers_of_others(struct place *place, gconstpointer unused)
{
    (void)unused;
    pid_t cleaner = fork();
    if (cleaner == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* also if a check below fails */
        for (;;)
            leftover_remove(place->folder, "made-");
    }
    for (int i = 0; i < 2000; i++) {
        g_autofree char *made = NULL;
        int fd = leftover_new_folder(place->folder, "made-", &made);
        g_assert_cmpint(fd, >=, 0);
        g_assert_true(g_file_test(made, G_FILE_TEST_IS_DIR));
        leftover_drop(made, fd);
    }
    g_assert_cmpint(kill(cleaner, SIGKILL), ==, 0);
    g_assert_cmpint(waitpid(cleaner, NULL, 0), ==, cleaner);
    g_autofree char *lost = NULL;
    g_autofree char *nowhere = g_build_filename(place->folder, "none", NULL);
    g_assert_cmpint(leftover_new_folder(nowhere, "made-", &lost), ==, -1);
}

static void test_prepare_file(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autofree char *nowhere = g_build_filename(place->folder, "none", "results.csv", NULL);
    g_assert_true(output_prepare_file("-", &no_rules, NULL));
    g_assert_true(output_prepare_file(path, &no_rules, NULL));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_assert_false(output_prepare_file(nowhere, &no_rules, NULL));
    g_assert_false(output_prepare_file(place->folder, &no_rules, NULL));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
    g_test_add("/output/" name, struct place, NULL, place_set_up, function, place_tear_down)
    ADD("writes-and-replaces", test_writes_and_replaces);
    ADD("failure-leaves-nothing", test_failure_leaves_nothing);
    ADD("folder-with-parents", test_folder_is_made_with_parents);
    ADD("unusable-folders", test_unusable_folders);
    ADD("device", test_device_stays_a_device);
    ADD("not-ours", test_keeps_what_is_not_ours);
    ADD("inputs", test_never_replaces_an_input);
    ADD("owners", test_owners);
    ADD("links", test_links);
    ADD("leftovers", test_leftovers);
    ADD("leftovers-of-others", test_leftovers_of_others);
    ADD("prepare-file", test_prepare_file);
    return g_test_run();
}
