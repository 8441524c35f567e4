/* The meaning of a memory instruction's mnemonic. Modifiers that ptxas 13.0 generates for PTX's cache
 * operators: ca STRONG.SM (on sm_75 STRONG.CTA), cg and relaxed.gpu STRONG.GPU, cv, wt and volatile
 * STRONG.SYS, cs EF, lu LU, nc CONSTANT. sm_75 adds SYS to accesses without an order. cp.async becomes
 * LDGSTS, with BYPASS for cg, and cp.async.bulk UBLKCP, whose number of bytes is in a register. */
#include "isa/sass/sass.h"

#include <string.h>

static const char ASYNC[] = "asynchronous load";
static const char BULK[] = "bulk load";

static const struct {
    const char *mnemonic, *op, *space;
} kinds[] = {
    {"LDG", "load", "global"},     {"STG", "store", "global"},    {"LDS", "load", "shared"},
    {"LDSM", "load", "shared"},    {"STS", "store", "shared"},    {"LDL", "load", "local"},
    {"STL", "store", "local"},     {"LD", "load", "generic"},     {"ST", "store", "generic"},
    {"ATOMG", "atomic", "global"}, {"RED", "atomic", "global"},   {"REDG", "atomic", "global"},
    {"ATOMS", "atomic", "shared"}, {"ATOM", "atomic", "generic"}, {"LDGSTS", ASYNC, "global"},
    {"UBLKCP", BULK, "global"},
};

/* The first of these modifiers that the mnemonic has determines the cache operator. */
static const struct {
    const char *modifier, *load, *store;
} caches[] = {
    {".CONSTANT", "nc", "other"}, {".STRONG.SM", "ca", "wb"},     {".STRONG.CTA", "ca", "wb"},
    {".STRONG.GPU", "cg", "cg"},  {".STRONG.SYS", "cv", "wt"},    {".EF", "cs", "cs"},
    {".LU", "lu", "other"},       {".EL", "evict_last", "other"}, {".NA", "no_allocate", "other"},
};

/* True if the mnemonic has the modifier as a whole word. */
static bool has(const char *mnemonic, const char *modifier)
{
    size_t length = strlen(modifier);
    for (const char *at = strstr(mnemonic, modifier); at != NULL; at = strstr(at + 1, modifier))
        if (at[length] == '.' || at[length] == '\0')
            return true;
    return false;
}

static unsigned width_of(const char *mnemonic)
{
    static const struct {
        const char *modifier;
        unsigned bytes;
    } widths[] = {{".U8", 1}, {".S8", 1}, {".U16", 2}, {".S16", 2}, {".64", 8}, {".128", 16}, {".256", 32}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (has(mnemonic, widths[i].modifier))
            return widths[i].bytes;
    return 4;
}

static const char *cache_of(const char *mnemonic, bool load)
{
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        if (has(mnemonic, caches[i].modifier))
            return load ? caches[i].load : caches[i].store;
    return load ? "ca" : "wb";
}

/* reduces: the mnemonic is RED. In other spaces a reduction is an atomic whose result is discarded. */
static const char *atomic_of(const char *mnemonic, bool reduces)
{
    static const struct {
        const char *modifier, *returns, *reduces;
    } ops[] = {{".ADD", "atomic add", "reduction add"},
               {".MAX", "atomic max", "reduction max"},
               {".EXCH", "atomic swap", "reduction"},
               {".CAS", "atomic cas", "reduction"}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (has(mnemonic, ops[i].modifier))
            return reduces ? ops[i].reduces : ops[i].returns;
    return reduces ? "reduction" : "atomic";
}

static const char *scope_of(const char *mnemonic)
{
    static const struct {
        const char *modifier, *scope;
    } scopes[] = {
        {".STRONG.SM", "cta"}, {".STRONG.CTA", "cta"}, {".STRONG.GPU", "gpu"}, {".STRONG.SYS", "sys"}};
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0]; i++)
        if (has(mnemonic, scopes[i].modifier))
            return scopes[i].scope;
    return "";
}

bool sass_access_of(const char *mnemonic, struct sass_access *access)
{
    size_t length = strcspn(mnemonic, ".");
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i].mnemonic) != length || strncmp(kinds[i].mnemonic, mnemonic, length) != 0)
            continue;
        *access =
            (struct sass_access){.op = kinds[i].op, .space = kinds[i].space, .width = width_of(mnemonic)};
        if (access->op == BULK) {
            access->op = has(mnemonic, ".G.S") ? "bulk store" : BULK;
            access->width = 0;
            access->cache = "";
            return true;
        }
        if (strcmp(access->op, "atomic") == 0) {
            access->op = atomic_of(mnemonic, strncmp(mnemonic, "RED", 3) == 0);
            access->cache = scope_of(mnemonic);
            return true;
        }
        access->cache = access->op == ASYNC ? has(mnemonic, ".BYPASS") ? "cg" : "ca"
                                            : cache_of(mnemonic, strcmp(access->op, "load") == 0);
        return true;
    }
    return false;
}
