#include "generator/recipe/sandbox_child.h"

#include "generator/recipe/lua_json.h"
#include "generator/recipe/sandbox_guard.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A recipe may keep MEMORY_KEPT bytes. If it keeps more, it ends at its next instruction, whose line is
 * known. When Lua doubles a block, the old one still exists, so the allocator refuses only beyond three times
 * as much. */
enum {
    MEMORY_KEPT = 80 << 20,
    MEMORY_TOTAL = 256 << 20,
    HOOK_STEP = 100000,
    INSTRUCTIONS_MILLION = 200,
    INSTRUCTIONS_OF_POINT = 10000,
    OUTPUT_MOST = 128 << 20,
    OUTPUT_OF_POINT = 1 << 10,
    FLUSH_BYTES = 1 << 16,
    SIGNAL_STACK = 1 << 16, /* also its alignment */
};

/* A file may run for CPU_S, plus a little for each point that it declares. A call into C, such as a pattern
 * match, that is still running when the time is over gets OVERTIME_S. The limit is CPU time, so that a busy
 * machine runs the same files as an idle one. Instructions are limited, too, and their limit nearly always
 * ends an endless loop first, so that the result is the same on a slow machine. */
static const double CPU_S = 4;
static const double CPU_OF_POINT_S = 1e-4;
static const double OVERTIME_S = 0.25;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double time_left(const struct sandbox_host *host)
{
    return CPU_S + CPU_OF_POINT_S * (double)host->points - cpu_s();
}

struct sandbox_host *sandbox_host_of(lua_State *lua)
{
    struct sandbox_host *host;
    memcpy(&host, lua_getextraspace(lua), sizeof host);
    return host;
}

void sandbox_flush(struct sandbox_host *host)
{
    const char *bytes = host->output.data;
    size_t left = host->output.size;
    while (left > 0) {
        ssize_t wrote = write(host->fd, bytes, left);
        if (wrote < 0 && errno != EINTR)
            _exit(1);
        if (wrote > 0) {
            bytes += wrote;
            left -= (size_t)wrote;
        }
    }
    host->output.size = 0;
}

bool sandbox_write_text(struct sandbox_host *host, const struct buffer *text)
{
    buffer_append(&host->output, text->data, text->size);
    host->emitted += text->size;
    if (host->output.size > FLUSH_BYTES)
        sandbox_flush(host);
    return host->emitted <= OUTPUT_MOST + OUTPUT_OF_POINT * host->points;
}

/* The hook, called after each HOOK_STEP instructions, and at the next instruction when memory is short. It
 * ends the process itself, because the recipe's own pcall could catch an error. */
static void watch(lua_State *lua, lua_Debug *event)
{
    (void)event;
    struct sandbox_host *host = sandbox_host_of(lua);
    char message[128];
    if (host->memory_alarm) {
        lua_sethook(lua, watch, LUA_MASKCOUNT, HOOK_STEP);
        lua_gc(lua, LUA_GCCOLLECT);
        host->memory_alarm = false;
        snprintf(message, sizeof message, "the file keeps more than %d MiB of memory", MEMORY_KEPT >> 20);
        if (host->memory > MEMORY_KEPT)
            sandbox_end(lua, message);
        return;
    }
    if (host->time_alarm || time_left(host) < 0) {
        snprintf(message, sizeof message,
                 "the file was still running after %.1f s of CPU time: does a loop "
                 "never end?",
                 cpu_s());
        sandbox_end(lua, message);
    }
    host->instructions += HOOK_STEP;
    uint64_t most = (uint64_t)INSTRUCTIONS_MILLION * 1000000 + INSTRUCTIONS_OF_POINT * host->points;
    if (host->instructions < most)
        return;
    snprintf(message, sizeof message,
             "the file needs more than %.10g million instructions: does a loop never end?",
             (double)most / 1e6);
    sandbox_end(lua, message);
}

static void set_timer(const struct sandbox_host *host, double seconds)
{
    const struct itimerspec later = {
        .it_value = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) + 1}};
    timer_settime(host->timer, 0, &later, NULL);
}

/* Records where the user's code is. Safe to call from a signal handler while a C function runs. */
static void sandbox_note(struct sandbox_host *host, struct sandbox_place *place)
{
    lua_Debug frame;
    place->line = 0;
    if (host->lua == NULL || !sandbox_find_user(host->lua, &frame))
        return;
    sandbox_path_of(host, &frame, place->file);
    place->line = frame.currentline;
}

/* Records why the process ends, and ends it. */
static _Noreturn void end_as(struct sandbox_host *host, enum sandbox_why why, int number)
{
    host->last->number = number;
    host->last->why = why;
    sandbox_note(host, &host->last->place);
    _exit(1);
}

/* Handles the timer. Points declared meanwhile have extended the time. When it is over, the next instruction
 * ends the file; if there is none, a C function is running, and the file ends with the line that called it.
 */
static void on_time(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    struct sandbox_host *host = info->si_value.sival_ptr;
    double left = time_left(host);
    if (host->time_alarm)
        end_as(host, SANDBOX_TIME, 0);
    if (left > 0) {
        set_timer(host, left);
        return;
    }
    host->time_alarm = true;
    lua_sethook(host->lua, watch, LUA_MASKCOUNT, 1); /* safe in a signal handler */
    set_timer(host, OVERTIME_S);
}

static void limit_time(struct sandbox_host *host)
{
    const struct sigaction action = {.sa_sigaction = on_time, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = host};
    lua_sethook(host->lua, watch, LUA_MASKCOUNT, HOOK_STEP);
    if (sigaction(SIGALRM, &action, NULL) == 0 &&
        timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &host->timer) == 0)
        set_timer(host, time_left(host));
}

/* The host, for crash handlers, which receive only their stack: its lowest bytes point to the host. The
 * address of a local variable cannot be used, because the compiler treats accesses through it as accesses to
 * that variable. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    struct sandbox_host *host;
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0) & ~(uintptr_t)(SIGNAL_STACK - 1);
    memcpy(&host, (const void *)stack, sizeof host);
    bool call = number == SIGSYS;
    end_as(host, call ? SANDBOX_CALL : SANDBOX_SIGNAL, call ? info->si_syscall : number);
}

static void watch_crashes(struct sandbox_host *host)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
    char *room =
        mmap(NULL, 2 * (size_t)SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return;
    char *bottom = room + (SIGNAL_STACK - (uintptr_t)room % SIGNAL_STACK) % SIGNAL_STACK;
    struct sandbox_host **named = (struct sandbox_host **)(void *)bottom;
    *named = host;
    const stack_t stack = {.ss_sp = bottom, .ss_size = SIGNAL_STACK};
    const struct sigaction action = {.sa_sigaction = on_crash,
                                     .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND};
    if (sigaltstack(&stack, NULL) != 0)
        return;
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &action, NULL);
}

static void *allocate(void *context, void *block, size_t old_size, size_t size)
{
    struct sandbox_host *host = context;
    size_t had = block == NULL ? 0 : old_size;
    if (size == 0) {
        free(block);
        host->memory -= had;
        return NULL;
    }
    bool allowed = size <= had || size - had <= MEMORY_TOTAL - host->memory || host->ending;
    void *moved = allowed ? realloc(block, size) : NULL;
    if (moved == NULL) {
        host->starved = allowed;
        sandbox_note(host, &host->refused);
        return NULL;
    }
    host->memory = host->memory - had + size;
    if (host->memory > MEMORY_KEPT && !host->memory_alarm && host->lua != NULL) {
        host->memory_alarm = true;
        lua_sethook(host->lua, watch, LUA_MASKCOUNT, 1);
    }
    return moved;
}

static void open_libraries(lua_State *lua)
{
    static const luaL_Reg libraries[] = {{LUA_GNAME, luaopen_base},
                                         {LUA_TABLIBNAME, luaopen_table},
                                         {LUA_STRLIBNAME, luaopen_string},
                                         {LUA_MATHLIBNAME, luaopen_math},
                                         {LUA_UTF8LIBNAME, luaopen_utf8}};
    for (size_t i = 0; i < sizeof libraries / sizeof libraries[0]; i++) {
        luaL_requiref(lua, libraries[i].name, libraries[i].func, 1);
        lua_pop(lua, 1);
    }
}

/* Runs the pieces in order, then the function that the last one returns. */
static int run_all(lua_State *lua)
{
    const struct sandbox_request *request = sandbox_host_of(lua)->request;
    lua_settop(lua, 0);
    open_libraries(lua);
    luaL_newmetatable(lua, SANDBOX_ERROR);
    lua_pushboolean(lua, false);
    lua_setfield(lua, -2, "__metatable");
    sandbox_push_host(lua);
    int host = lua_gettop(lua);
    lua_newtable(lua);
    int house = lua_gettop(lua);
    for (size_t i = 0; i < request->piece_count; i++) {
        const struct sandbox_piece *piece = &request->pieces[i];
        char name[64];
        snprintf(name, sizeof name, "=prelude/%s", piece->name);
        if (luaL_loadbufferx(lua, (const char *)piece->text, *piece->size, name, "t") != LUA_OK)
            return lua_error(lua);
        lua_pushvalue(lua, host);
        lua_pushvalue(lua, house);
        lua_call(lua, 2, 1);
        lua_pushvalue(lua, -1);
        lua_setfield(lua, house, piece->name);
    }
    lua_call(lua, 0, 0);
    return 0;
}

/* Called only if an error finds no lua_pcall. Lua would abort; the parent has a message for this exit code,
 * too. */
static int give_up(lua_State *lua)
{
    (void)lua;
    _exit(1);
}

_Noreturn void sandbox_leave(int code)
{
    _exit(code);
}

_Noreturn void sandbox_child(const struct sandbox_request *request, int fd, struct sandbox_last *last)
{
    struct sandbox_host host = {.request = request, .fd = fd, .last = last};
    lua_State *lua = lua_newstate(allocate, &host);
    if (lua == NULL)
        _exit(1);
    const struct sandbox_host *self = &host;
    memcpy(lua_getextraspace(lua), &self, sizeof self);
    host.lua = lua;
    lua_atpanic(lua, give_up);
    watch_crashes(&host);
    limit_time(&host);
    sandbox_guard(host.fd);
    lua_pushcfunction(lua, sandbox_explain);
    lua_pushcfunction(lua, run_all);
    int status = lua_pcall(lua, 0, 0, -2);
    host.ending = true;
    if (status == LUA_OK) {
        static char done[] = "{\"done\":true}\n";
        sandbox_write_text(&host, &(const struct buffer){.data = done, .size = sizeof done - 1});
    } else {
        sandbox_report(lua, status);
    }
    sandbox_flush(&host);
    _exit(0);
}
