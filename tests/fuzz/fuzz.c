/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fabric/platform.h"

#define CHILD_CPU_US 200000
#define CHILD_KIB (INT64_C(1) << 20)
#define TICK_US 10000
#define EXIT_TOO_LONG 66

const char *fuzz_root(void)
{
    return FUZZ_ROOT;
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = g_malloc(size + 1);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* --- files ------------------------------------------------------------------------------------- */

static char *folder;
static pid_t owner;

static void remove_folder(const char *path)
{
    GDir *entries = g_dir_open(path, 0, NULL);
    for (const char *name; entries && (name = g_dir_read_name(entries));) {
        char *inner = g_build_filename(path, name, NULL);
        if (g_file_test(inner, G_FILE_TEST_IS_DIR) && !g_file_test(inner, G_FILE_TEST_IS_SYMLINK))
            remove_folder(inner);
        else
            g_unlink(inner);
        g_free(inner);
    }
    if (entries)
        g_dir_close(entries);
    g_rmdir(path);
}

static void at_end(void)
{
    if (getpid() == owner)
        remove_folder(folder);
}

char *fuzz_path(const char *name)
{
    if (!folder) {
        folder = g_dir_make_tmp("gpunetsim-fuzz-XXXXXX", NULL);
        fuzz_expect(folder != NULL, "no folder can be made in %s", g_get_tmp_dir());
        owner = getpid();
        atexit(at_end);
    }
    return g_build_filename(folder, name, NULL);
}

char *fuzz_file(const char *name, const void *data, size_t size)
{
    char *path = fuzz_path(name);
    FILE *file = fopen(path, "wb");
    fuzz_expect(file != NULL, "%s cannot be written", path);
    bool is_written = fwrite(data, 1, size, file) == size;
    fuzz_expect(fclose(file) == 0 && is_written, "%s cannot be written", path);
    return path;
}

/* --- expectations ------------------------------------------------------------------------------ */

void fuzz_expect(bool condition, const char *format, ...)
{
    if (condition)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("fuzz: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

const char *fuzz_message(const GError *error)
{
    return error ? error->message : "";
}

void fuzz_expect_told(bool good, GError *error)
{
    fuzz_expect(good == !error, good ? "a result and an error: %s" : "neither result nor error%s",
                fuzz_message(error));
    fuzz_expect(!error || *error->message, "an error without a word");
    g_clear_error(&error);
}

/* --- children ---------------------------------------------------------------------------------- */

/* The counters of coverage, which the linker collects. */
extern char counters_begin[] __asm__("__start___sancov_cntrs");
extern char counters_end[] __asm__("__stop___sancov_cntrs");

/* Makes children count where this process counts. Whole pages only: what stands beside the counters on
 * the first and the last page is nobody's to share. */
static void share_counters(void)
{
    uintptr_t page = (uintptr_t)getpagesize();
    uintptr_t begin = ((uintptr_t)counters_begin + page - 1) / page * page;
    uintptr_t end = (uintptr_t)counters_end / page * page;
    if (begin >= end)
        return;
    void *held = g_memdup2((void *)begin, end - begin);
    void *shared = mmap((void *)begin, end - begin, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    fuzz_expect(shared == (void *)begin, "coverage cannot be shared with children");
    memcpy(shared, held, end - begin);
    g_free(held);
}

static void on_tick(int signal)
{
    (void)signal;
    static int ticks;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    if (++ticks > CHILD_CPU_US / TICK_US || usage.ru_maxrss > CHILD_KIB)
        _exit(EXIT_TOO_LONG);
}

static void limit(void)
{
    struct itimerval timer = {{0, TICK_US}, {0, TICK_US}};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPROF, on_tick);
    setitimer(ITIMER_PROF, &timer, NULL);
}

void fuzz_in_child(void (*work)(void *argument), void *argument)
{
    static bool is_shared;
    if (!is_shared) {
        share_counters();
        platform_simgrid_version(NULL); /* loaded once, and not in each child */
    }
    is_shared = true;
    int status = 0;
    pid_t pid = fork();
    fuzz_expect(pid >= 0, "no child can be forked");
    if (pid == 0) {
        limit();
        work(argument);
        _exit(EXIT_SUCCESS);
    }
    while (waitpid(pid, &status, 0) != pid)
        continue;
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == EXIT_SUCCESS || WEXITSTATUS(status) == EXIT_TOO_LONG))
        return;
    /* libFuzzer's own handlers run in the child too, and have kept the bytes there. */
    fuzz_expect(WIFEXITED(status), "a child ended by signal %d", WTERMSIG(status));
    at_end();
    _exit(WEXITSTATUS(status));
}

/* --- structure from bytes ---------------------------------------------------------------------- */

uint8_t fuzz_byte(struct fuzz_bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->data++;
}

uint64_t fuzz_number(struct fuzz_bytes *bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < 8; i++)
        number = number << 8 | fuzz_byte(bytes);
    return number;
}
