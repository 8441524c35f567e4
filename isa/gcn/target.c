#include "isa/gcn/target.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct gcn_target targets[] = {
    {"gfx600", 6, 0x20, 0},
    {"gfx601", 6, 0x21, 0},
    {"gfx602", 6, 0x3a, 0},
    {"gfx700", 7, 0x22, 0},
    {"gfx701", 7, 0x23, 0},
    {"gfx702", 7, 0x24, 0},
    {"gfx703", 7, 0x25, 0},
    {"gfx704", 7, 0x26, 0},
    {"gfx705", 7, 0x3b, 0},
    {"gfx801", 8, 0x28, 0},
    {"gfx802", 8, 0x29, 0},
    {"gfx803", 8, 0x2a, 0},
    {"gfx805", 8, 0x3c, 0},
    {"gfx810", 8, 0x2b, 0},
    {"gfx900", 9, 0x2c, 0},
    {"gfx902", 9, 0x2d, 0},
    {"gfx904", 9, 0x2e, 0},
    {"gfx906", 9, 0x2f, 0},
    {"gfx908", 9, 0x30, GCN_WIDE_SE},
    {"gfx909", 9, 0x31, 0},
    {"gfx90a", 9, 0x3f, GCN_WIDE_SE},
    {"gfx90c", 9, 0x32, 0},
    {"gfx940", 9, 0x40, GCN_XCC},
    {"gfx941", 9, 0x4b, GCN_XCC},
    {"gfx942", 9, 0x4c, GCN_XCC},
    {"gfx950", 9, 0x4f, GCN_XCC},
    {"gfx1010", 10, 0x33, 0},
    {"gfx1011", 10, 0x34, 0},
    {"gfx1012", 10, 0x35, 0},
    {"gfx1013", 10, 0x42, 0},
    {"gfx1030", 10, 0x36, 0},
    {"gfx1031", 10, 0x37, 0},
    {"gfx1032", 10, 0x38, 0},
    {"gfx1033", 10, 0x39, 0},
    {"gfx1034", 10, 0x3e, 0},
    {"gfx1035", 10, 0x3d, 0},
    {"gfx1036", 10, 0x45, 0},
    {"gfx10-1-generic", 10, 0x52, 0},
    {"gfx10-3-generic", 10, 0x53, 0},
    {"gfx1100", 11, 0x41, 0},
    {"gfx1101", 11, 0x46, 0},
    {"gfx1102", 11, 0x47, 0},
    {"gfx1103", 11, 0x44, 0},
    {"gfx1150", 11, 0x43, 0},
    {"gfx1151", 11, 0x4a, 0},
    {"gfx1152", 11, 0x55, 0},
    {"gfx1153", 11, 0x58, 0},
    {"gfx11-generic", 11, 0x54, 0},
    {"gfx1200", 12, 0x48, 0},
    {"gfx1201", 12, 0x4e, 0},
    {"gfx12-generic", 12, 0x59, 0},
    {"gfx9-generic", 9, 0x51, 0},
    {"gfx9-4-generic", 9, 0x5f, GCN_XCC},
};
enum { TARGET_COUNT = sizeof targets / sizeof targets[0] };

static const struct {
    unsigned first, last; /* generations */
    unsigned lanes;
    bool unified;
    struct gcn_room room;
} rooms[] = {
    {6, 9, 64, false, {4, 256, 10, 64 << 10}},
    {9, 9, 64, true, {8, 512, 8, 64 << 10}},
    {10, 12, 64, false, {4, 512, 16, 128 << 10}},
    {10, 12, 32, false, {8, 1024, 16, 128 << 10}},
};

/* Catalyst's OpenCL 1.2, one row per device: the outer file's machine (1001 plus the device's position in the
 * driver's list), and the code in the inner file's dictionary, 0 if unknown. */
static const struct catalyst {
    unsigned machine, dictionary;
    const char *target;
} catalyst[] = {
    {0x3fd, 0x1a, "gfx600"}, /* Tahiti */
    {0x3fe, 0x1b, "gfx601"}, /* Pitcairn */
    {0x3ff, 0x1c, "gfx601"}, /* Cape Verde */
    {0x402, 0x20, "gfx602"}, /* Oland */
    {0x403, 0x21, "gfx704"}, /* Bonaire */
    {0x404, 0x22, "gfx700"}, /* Spectre */
    {0x405, 0x23, "gfx700"}, /* Spooky */
    {0x406, 0x24, "gfx703"}, /* Kalindi */
    {0x407, 0x25, "gfx602"}, /* Hainan */
    {0x408, 0x27, "gfx701"}, /* Hawaii */
    {0x409, 0x29, "gfx802"}, /* Iceland */
    {0x40a, 0x2a, "gfx802"}, /* Tonga */
    {0x40b, 0x2b, "gfx703"}, /* Mullins */
    {0x40c, 0x2d, "gfx803"}, /* Fiji */
    {0x40d, 0x2e, "gfx801"}, /* Carrizo */
    {0x40e, 0x2f, "gfx803"}, /* Ellesmere */
    {0x40f, 0x2c, "gfx803"}, /* Baffin */
    {0x410, 0, "gfx900"},    /* Vega 10; from here on only two dictionary codes are known */
    {0x411, 0x31, "gfx810"}, /* Stoney */
    {0x412, 0x32, "gfx803"}, /* then called GFX804 */
    {0x413, 0, "gfx902"},    /* Raven */
    {0x414, 0, "gfx909"},    /* Raven 2 */
    {0x415, 0, "gfx90c"},    /* Renoir */
    {0x416, 0, "gfx803"},    /* Polaris 22 */
    {0x417, 0, "gfx904"},    /* Vega 12 */
    {0x418, 0, "gfx906"},    /* Vega 20 */
};
enum { CATALYST_COUNT = sizeof catalyst / sizeof catalyst[0] };

static const struct code {
    enum gcn_code_kind kind;
    unsigned code;
    const char *target;
} codes[] = {
    {GCN_CODE_CATALYST2, 1, "gfx700"},      {GCN_CODE_CATALYST2, 2, "gfx700"},
    {GCN_CODE_CATALYST2, 3, "gfx703"},      {GCN_CODE_CATALYST2, 4, "gfx703"},
    {GCN_CODE_CATALYST2, 5, "gfx704"},      {GCN_CODE_CATALYST2, 6, "gfx704"},
    {GCN_CODE_CATALYST2, 7, "gfx701"},      {GCN_CODE_CATALYST2, 8, "gfx802"},
    {GCN_CODE_CATALYST2, 9, "gfx802"},      {GCN_CODE_CATALYST2_RAW, 15, "gfx801"},
    {GCN_CODE_CATALYST2_RAW, 16, "gfx803"},
    /* From 12 on, the codes differ between drivers; these drivers add a note that names the processor. */
};
enum { CODE_COUNT = sizeof codes / sizeof codes[0] };

/* Versions in notes and kernel headers that differ from LLVM's present names. When they were made, an odd
 * stepping of GFX9 was the one before it with XNACK. */
static const struct version {
    const char *name, *target;
} versions[] = {
    {"gfx800", "gfx802"}, /* Iceland and Tonga, by Catalyst */
    {"gfx804", "gfx803"}, /* Fiji, Ellesmere, Baffin, by Catalyst; Polaris 12 by ROCm */
    {"gfx901", "gfx900"}, {"gfx903", "gfx902"}, {"gfx905", "gfx904"}, {"gfx907", "gfx906"},
};
enum { VERSION_COUNT = sizeof versions / sizeof versions[0] };

const struct gcn_target *gcn_target_named(const char *name)
{
    for (size_t i = 0; i < TARGET_COUNT; i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

bool gcn_target_unified(const struct gcn_target *target)
{
    return (target->traits & GCN_XCC) != 0 || strcmp(target->name, "gfx90a") == 0;
}

const struct gcn_room *gcn_target_room(const struct gcn_target *target, unsigned lanes)
{
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++)
        if (target->generation >= rooms[i].first && target->generation <= rooms[i].last &&
            rooms[i].lanes == lanes && rooms[i].unified == gcn_target_unified(target))
            return &rooms[i].room;
    return NULL;
}

unsigned gcn_room_waves(const struct gcn_room *room, unsigned vgprs)
{
    unsigned granules = (vgprs + room->granule - 1) / room->granule;
    unsigned waves = granules > 0 ? room->vgprs / (granules * room->granule) : room->slots;
    return waves < room->slots ? waves : room->slots;
}

const struct gcn_target *gcn_target_version(unsigned major, unsigned minor, unsigned stepping)
{
    char name[40];
    snprintf(name, sizeof name, "gfx%u%u%x", major, minor, stepping);
    for (size_t i = 0; i < VERSION_COUNT; i++)
        if (strcmp(versions[i].name, name) == 0)
            return gcn_target_named(versions[i].target);
    return gcn_target_named(name);
}

unsigned gcn_target_dictionary(unsigned machine)
{
    for (size_t i = 0; i < CATALYST_COUNT; i++)
        if (catalyst[i].machine == machine)
            return catalyst[i].dictionary;
    return 0;
}

const struct gcn_target *gcn_target_of(enum gcn_code_kind kind, unsigned code)
{
    for (size_t i = 0; kind == GCN_CODE_MACH && i < TARGET_COUNT; i++)
        if (targets[i].mach == (code & GCN_MACH_MASK))
            return &targets[i];
    for (size_t i = 0; i < CATALYST_COUNT; i++)
        if ((kind == GCN_CODE_CATALYST && catalyst[i].machine == code) ||
            (kind == GCN_CODE_DICTIONARY && code != 0 && catalyst[i].dictionary == code))
            return gcn_target_named(catalyst[i].target);
    for (size_t i = 0; i < CODE_COUNT; i++)
        if (codes[i].kind == kind && codes[i].code == code)
            return gcn_target_named(codes[i].target);
    return NULL;
}
