/* Files are there whole or not at all, and every failure is one sentence that names what the user
 * named. All cases hold for root too, whom permissions do not stop. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "study/error.h"
#include "study/output.h"

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
    g_assert_true(output_write(path, "first", 5, &error));
    g_assert_no_error(error);
    assert_content(path, "first");
    g_assert_true(output_write(path, "2", 1, &error));
    assert_content(path, "2");
    g_assert_cmpint(count_entries(place->folder), ==, 1);
}

/* A name that a folder has cannot be renamed onto: the temporary file must go again. */
static void test_failure_leaves_nothing(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autofree char *expected = g_strdup_printf("cannot write %s: Is a directory", path);
    g_autoptr(GError) error = NULL;
    g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    g_assert_false(output_write(path, "x", 1, &error));
    g_assert_error(error, STUDY_ERROR, STUDY_ERROR_RUN);
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
    g_assert_true(output_prepare_file(path, NULL));
    g_assert_false(output_write(path, "x", 1, &error));
    g_assert_error(error, STUDY_ERROR, STUDY_ERROR_RUN);
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
    g_assert_error(error, STUDY_ERROR, STUDY_ERROR_USE);
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

static void test_prepare_file(struct place *place, gconstpointer unused)
{
    (void)unused;
    g_autofree char *path = g_build_filename(place->folder, "results.csv", NULL);
    g_autofree char *nowhere = g_build_filename(place->folder, "none", "results.csv", NULL);
    g_assert_true(output_prepare_file("-", NULL));
    g_assert_true(output_prepare_file(path, NULL));
    g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
    g_assert_false(output_prepare_file(nowhere, NULL));
    g_assert_false(output_prepare_file(place->folder, NULL));
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
    ADD("prepare-file", test_prepare_file);
    return g_test_run();
}
