/* SPDX-License-Identifier: BSD-3-Clause */
/* It uses only the C library, whose locks are free after a fork: so a child of this process may send requests, too. */
#include "server.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include GPUNETSIM_GIT_HEADER

#define PROGRAM "gpunetsim"
#define SERVER_SOCKET 3 /* the server's own descriptor */
#define FOLDERS_ABOVE 5 /* PREFIX/lib/x86_64-linux-gnu is two below PREFIX/bin */

/* Packets are those of study/system/channel.c. */
#define PACKET_BYTES 16384
#define HEADER_BYTES 2
enum { PACKET_FIRST = 1, PACKET_LAST = 2 };

const char gpunetsim_server_version[] = GPUNETSIM_GIT_ID;

extern char **environ;

/* --- memory and texts --------------------------------------------------------------------------- */

void *gpunetsim_memory(void *at, size_t bytes)
{
    void *memory = realloc(at, bytes > 0 ? bytes : 1);
    if (!memory) {
        fputs("libgpunetsim: there is no memory left\n", stderr);
        abort();
    }
    return memory;
}

bool gpunetsim_fail(char **error, const char *format, ...)
{
    va_list arguments, again;
    if (!error)
        return false;
    va_start(arguments, format);
    va_copy(again, arguments);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, again) + 1;
    *error = gpunetsim_memory(NULL, bytes);
    vsnprintf(*error, bytes, format, arguments);
    va_end(again);
    va_end(arguments);
    return false;
}

static void add_bytes(char **bytes, size_t *length, const void *more, size_t count)
{
    *bytes = gpunetsim_memory(*bytes, *length + count);
    if (count > 0)
        memcpy(*bytes + *length, more, count);
    *length += count;
}

struct server_request gpunetsim_request(const char *name)
{
    struct server_request request = {.length = 0};
    gpunetsim_request_add(&request, name);
    return request;
}

void gpunetsim_request_add(struct server_request *request, const char *text)
{
    add_bytes(&request->bytes, &request->length, text, strlen(text) + 1);
}

void gpunetsim_request_add_all(struct server_request *request, const char *const *texts)
{
    for (; texts && *texts; texts++)
        gpunetsim_request_add(request, *texts);
}

void gpunetsim_request_add_number(struct server_request *request, long long number)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    gpunetsim_request_add(request, text);
}

void gpunetsim_answer_clear(struct server_answer *answer)
{
    free(answer->bytes);
    free(answer->texts);
    *answer = (struct server_answer){.server = 0};
}

static void divide(struct server_answer *answer, size_t length)
{
    for (size_t at = 0; at < length; at += strlen(answer->bytes + at) + 1)
        answer->count++;
    answer->texts = gpunetsim_memory(NULL, answer->count * sizeof *answer->texts);
    for (size_t at = 0, i = 0; i < answer->count; at += strlen(answer->bytes + at) + 1)
        answer->texts[i++] = answer->bytes + at;
}

/* --- where the program is ----------------------------------------------------------------------- */

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* Looks for the program in the folder of a file and in the folders above it; in each also in its bin. */
static bool look_above(const char *file, char path[PATH_MAX])
{
    static const char *const places[] = {"%s/" PROGRAM, "%s/bin/" PROGRAM};
    char folder[PATH_MAX];
    if (!file || !realpath(file, folder))
        return false;
    for (int up = 0; up < FOLDERS_ABOVE && strrchr(folder, '/'); up++) {
        *strrchr(folder, '/') = '\0';
        for (size_t i = 0; i < sizeof places / sizeof *places; i++)
            if (snprintf(path, PATH_MAX, places[i], folder) < PATH_MAX && is_program(path))
                return true;
    }
    return false;
}

/* The file that this code is in. */
static const char *own_file(void)
{
    Dl_info info;
    bool is_known = dladdr(gpunetsim_server_version, &info) && info.dli_fname;
    return is_known && strstr(info.dli_fname, ".so") ? info.dli_fname : "/proc/self/exe";
}

/* Finds the program; the installed path comes last, and is returned even if it does not exist. */
static void find_program(char path[PATH_MAX])
{
    const char *given = getenv("GPUNETSIM_PROGRAM"), *root = getenv("GPUNETSIM_ROOT");
    if (given && *given)
        snprintf(path, PATH_MAX, "%s", given);
    else if (!look_above(own_file(), path) && !look_above(root, path))
        snprintf(path, PATH_MAX, "%s", GPUNETSIM_INSTALLED_PROGRAM);
}

/* --- the server --------------------------------------------------------------------------------- */

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
static unsigned long started; /* how many were started; the current one's number */
static int connection = -1;   /* connection to the current server; -1: none */
static int its_end = -1;      /* the server's end of the connection, while it is being started */
static bool is_watching_forks;

static void leave(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* A child begins without a connection, since two processes on one connection would take each other's answers; and with a new
 * mutex, since it does not have the thread that may hold the old one. */
static void begin_child(void)
{
    pthread_mutex_init(&one_at_a_time, NULL);
    leave(&connection);
    leave(&its_end);
    started++;
}

/* Runs also when the library is unloaded. */
__attribute__((destructor)) static void end(void)
{
    leave(&connection);
}

/* Moves a descriptor above the standard streams: if these are closed, it may have got one of their numbers, and other code would
 * write to it. */
static int above_streams(int fd)
{
    int higher = fcntl(fd, F_DUPFD_CLOEXEC, SERVER_SOCKET + 1);
    close(fd);
    return higher;
}

static bool connect_ends(void)
{
    int ends[2];
    if (!is_watching_forks && pthread_atfork(NULL, NULL, begin_child) == 0)
        is_watching_forks = true;
    if (!is_watching_forks || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    connection = above_streams(ends[0]);
    its_end = above_streams(ends[1]);
    return connection >= 0 && its_end >= 0;
}

/* Spawns the program. It gets no descriptor but its own and standard error; signals that are blocked or ignored here are not so
 * there; and Ctrl-C does not reach it. */
static int spawn(const char *path, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char version[sizeof gpunetsim_server_version];
    memcpy(version, gpunetsim_server_version, sizeof version);
    char *const arguments[] = {(char[]){PROGRAM}, (char[]){"serve"}, version, NULL};
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, its_end, SERVER_SOCKET);
    posix_spawn_file_actions_addclosefrom_np(&files, SERVER_SOCKET + 1);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSID);
    int fault = posix_spawn(pid, path, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return fault;
}

/* The spawned process starts the server and ends, so that this process has no child to wait for. */
static bool start(char **error)
{
    char path[PATH_MAX];
    pid_t pid;
    find_program(path);
    int fault = connect_ends() ? spawn(path, &pid) : errno;
    while (fault == 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    leave(&its_end);
    if (fault == 0) {
        started++;
        return true;
    }
    leave(&connection);
    return gpunetsim_fail(error,
                          "the program %s cannot be started: %s; GPUNETSIM_PROGRAM names its file.",
                          path, strerror(fault));
}

static bool is_there(void)
{
    struct pollfd end_of_it = {.fd = connection, .events = POLLRDHUP};
    if (connection >= 0 && poll(&end_of_it, 1, 0) > 0)
        leave(&connection);
    return connection >= 0;
}

/* --- requests ----------------------------------------------------------------------------------- */

static bool send_packet(const char *packet, size_t length)
{
    ssize_t sent;
    do
        sent = send(connection, packet, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)length;
}

static bool send_request(const struct server_request *request)
{
    char packet[PACKET_BYTES];
    size_t sent = 0;
    while (sent < request->length) {
        size_t left = request->length - sent, most = sizeof packet - HEADER_BYTES;
        size_t part = left < most ? left : most;
        packet[0] = 'r';
        packet[1] = (char)((sent == 0 ? PACKET_FIRST : 0) | (part == left ? PACKET_LAST : 0));
        memcpy(packet + HEADER_BYTES, request->bytes + sent, part);
        if (!send_packet(packet, part + HEADER_BYTES))
            return false;
        sent += part;
    }
    return true;
}

/* The type of the answer: 'a', or 'f' if the answer is a sentence on a fault; 0: no answer. */
static char receive(struct server_answer *answer, size_t *length)
{
    char packet[PACKET_BYTES];
    ssize_t taken;
    do {
        do
            taken = recv(connection, packet, sizeof packet, 0);
        while (taken < 0 && errno == EINTR);
        if (taken < HEADER_BYTES)
            return 0;
        if (packet[1] & PACKET_FIRST)
            *length = 0;
        add_bytes(&answer->bytes, length, packet + HEADER_BYTES, (size_t)taken - HEADER_BYTES);
    } while (!(packet[1] & PACKET_LAST));
    return packet[0];
}

/* The type of the answer, as above. */
static char exchange(const struct server_request *request, struct server_answer *answer)
{
    size_t length = 0;
    char type = send_request(request) ? receive(answer, &length) : 0;
    answer->server = started;
    if (type == 0) {
        gpunetsim_answer_clear(answer);
        leave(&connection);
    } else
        divide(answer, length);
    return type;
}

static bool ask(unsigned long server, const struct server_request *request,
                struct server_answer *answer, char **error)
{
    bool is_known = is_there() && (server == 0 || server == started);
    if (!is_known && server != 0)
        return gpunetsim_fail(
            error, "the process that simulates has ended since this was opened, or was another "
                   "one's, which has forked this one; open it again.");
    char type = is_known ? exchange(request, answer) : 0;
    if (type == 0 && server == 0) { /* there was no server, or it was about to end */
        if (!start(error))
            return false;
        type = exchange(request, answer);
    }
    if (type == 0)
        return gpunetsim_fail(error,
                              "the process that simulates has ended, and what was open with it; "
                              "the next call that opens something starts another.");
    return type == 'a' || gpunetsim_fail(error, "%s", answer->texts[0]);
}

/* Cancellation is off meanwhile, since a cancelled thread would hold the mutex for ever. */
bool gpunetsim_ask(unsigned long server, struct server_request *request,
                   struct server_answer *answer, char **error)
{
    int could_be_cancelled;
    *answer = (struct server_answer){.server = 0};
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &could_be_cancelled);
    pthread_mutex_lock(&one_at_a_time);
    bool is_answered = ask(server, request, answer, error);
    pthread_mutex_unlock(&one_at_a_time);
    free(request->bytes);
    if (!is_answered)
        gpunetsim_answer_clear(answer);
    pthread_setcancelstate(could_be_cancelled, NULL);
    return is_answered;
}
