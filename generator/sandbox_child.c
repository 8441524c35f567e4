#include "generator/sandbox_child.h"

#include "base/json.h"
#include "generator/lua_json.h"

#include <errno.h>
#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A recipe may keep MEMORY_KEPT: one that keeps more is ended at its next instruction, where the line is
 * known. Lua doubles what it grows while the old half still stands, so the allocator itself refuses only past
 * three times that, which is the total. */
enum {
    MEMORY_KEPT = 80 << 20,
    MEMORY_TOTAL = 256 << 20,
    HOOK_STEP = 100000,
    INSTRUCTIONS_MILLION = 300,
    OUTPUT_MOST = 128 << 20,
    FLUSH_BYTES = 1 << 16,
    UNWATCHED_NS = 100 * 1000 * 1000,
};
static const double wall_clock_s = 3.0;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
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
    return host->emitted <= OUTPUT_MOST;
}

bool sandbox_write_record(struct sandbox_host *host, const json_t *record)
{
    host->record.size = 0;
    json_write(&host->record, record, 0);
    return sandbox_write_text(host, &host->record);
}

/* The hook is called after each HOOK_STEP instructions, and at the next one when memory is short. It ends the
 * process itself: an error that it raised could be caught by the recipe's own pcall. */
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
    host->instructions += HOOK_STEP;
    snprintf(message, sizeof message,
             "the file needs more than %d million instructions: does a loop never end?",
             INSTRUCTIONS_MILLION);
    if (host->instructions >= (uint64_t)INSTRUCTIONS_MILLION * 1000000)
        sandbox_end(lua, message);
    if (now_s() - host->started > wall_clock_s)
        sandbox_end(lua, "the file was still running after 3 s: does a loop never end?");
}

static void start_watch(int number, siginfo_t *info, void *context)
{
    (void)number;
    (void)context;
    lua_sethook(info->si_value.sival_ptr, watch, LUA_MASKCOUNT, HOOK_STEP); /* may be called by a handler */
}

/* Lua halves its speed to count instructions. Nothing can run for long in UNWATCHED_NS, so what ends sooner,
 * as nearly every recipe does, is not counted. */
static void watch_later(lua_State *lua)
{
    const struct sigaction action = {.sa_sigaction = start_watch, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM, .sigev_value.sival_ptr = lua};
    const struct itimerspec later = {.it_value.tv_nsec = UNWATCHED_NS};
    timer_t timer;
    if (sigaction(SIGALRM, &action, NULL) != 0 || timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &later, NULL) != 0)
        lua_sethook(lua, watch, LUA_MASKCOUNT, HOOK_STEP);
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
    bool too_much = size > had && size - had > MEMORY_TOTAL - host->memory && !host->ending;
    void *moved = too_much ? NULL : realloc(block, size);
    if (moved == NULL)
        host->starved = !too_much;
    if (moved == NULL)
        return NULL;
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

/* Runs the pieces one after the other, then the function that the last of them returns. */
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

/* Reached only when an error finds no lua_pcall. Left to itself Lua would abort; the parent has a sentence
 * for this end too. */
static int give_up(lua_State *lua)
{
    (void)lua;
    _exit(1);
}

_Noreturn void sandbox_child(const struct sandbox_request *request, int fd)
{
    struct sandbox_host host = {.request = request, .fd = fd, .started = now_s()};
    lua_State *lua = lua_newstate(allocate, &host);
    if (lua == NULL)
        _exit(1);
    const struct sandbox_host *self = &host;
    memcpy(lua_getextraspace(lua), &self, sizeof self);
    host.lua = lua;
    lua_atpanic(lua, give_up);
    watch_later(lua);
    lua_pushcfunction(lua, sandbox_explain);
    lua_pushcfunction(lua, run_all);
    int status = lua_pcall(lua, 0, 0, -2);
    host.ending = true;
    if (status == LUA_OK) {
        json_t *done = json_pack("{s:b}", "done", 1);
        sandbox_write_record(&host, done);
        json_decref(done);
    } else {
        sandbox_report(lua, status);
    }
    sandbox_flush(&host);
    _exit(0);
}
