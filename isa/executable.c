#include "isa/executable.h"

#include "base/rational.h"
#include "isa/object.h"

#include <elf.h>
#include <string.h>

/* The first loaded segment holds the headers, the code and the constants; the second the data, all zeros. */
enum { CODE_OFFSET = 0x200, CODE_ALIGN = 128, HEADERS = 3, SECTIONS = 5 };
static const uint64_t CODE_BASE = UINT64_C(0x400000);
static const uint64_t DATA_BASE = UINT64_C(0x10000000);

/* Larger data is placed far away: simulators have their own code in the first gigabytes (Valgrind at
 * 0x58000000). */
static const uint64_t MOST_NEAR = UINT64_C(0x20000000);
static const uint64_t FAR_BASE = UINT64_C(0x100000000);

enum { SYMBOLS = 6 };

/* The file's content, and its load addresses. */
struct image {
    const struct executable_request *request;
    struct buffer code;
    uint64_t kernel; /* offset of the program's code in code */
    uint64_t kernel_bytes;
    uint64_t constants; /* offset of its constants in code */
    uint64_t base;      /* address of the file's first byte */
    uint64_t data_address;
    Elf64_Sym symbols[SYMBOLS];
    struct buffer names; /* of sections and symbols, one string table */
};

/* The name's offset in the string table. */
static Elf64_Word add_name(struct image *image, const char *name)
{
    if (image->names.size == 0)
        buffer_append(&image->names, "", 1);
    Elf64_Word offset = (Elf64_Word)image->names.size;
    buffer_append(&image->names, name, strlen(name) + 1);
    return offset;
}

/* Finds a section of the start code or, if `own`, of the program. */
static enum status find_section(const struct executable_request *request, bool own, const char *name,
                                struct object_part *part, struct error *error)
{
    const struct buffer *object = own ? request->object : request->start;
    if (!own || request->assembly == NULL)
        return object_section(object->data, object->size, name, part, error);
    struct assembly_bytes bytes = assembly_section(request->assembly, name);
    *part = (struct object_part){.bytes = bytes.bytes, .size = bytes.size};
    return bytes.bytes != NULL ? STATUS_OK
                               : error_set(error, STATUS_FAILED, "the program has no section %s", name);
}

static enum status find_symbol(const struct executable_request *request, bool own, const char *name,
                               uint64_t *value, struct error *error)
{
    const struct buffer *object = own ? request->object : request->start;
    struct assembly_symbol symbol;
    if (!own || request->assembly == NULL)
        return object_symbol(object->data, object->size, name, value, error);
    if (!assembly_symbol(request->assembly, name, &symbol))
        return error_set(error, STATUS_FAILED, "the program has no symbol %s", name);
    *value = symbol.offset;
    return STATUS_OK;
}

static enum status append_part(struct image *image, bool own, const char *section, uint64_t *offset,
                               struct error *error)
{
    struct object_part part;
    enum status status = find_section(image->request, own, section, &part, error);
    if (status != STATUS_OK)
        return status;
    buffer_align(&image->code, CODE_ALIGN);
    *offset = image->code.size;
    buffer_append(&image->code, part.bytes, part.size);
    return STATUS_OK;
}

/* Rounds up to a multiple of the alignment and of the pages that segments are loaded in. */
static uint64_t in_pages(const struct isa *isa, uint64_t align)
{
    uint64_t page = isa->load_align;
    return align / rational_gcd(align, page) * page;
}

/* Advances the code's end so that trauma_code, at offset `at` of the object's code, can be at the start of a
 * page, and chooses the file's address accordingly. */
static void align_code(struct image *image, uint64_t at)
{
    uint64_t align = in_pages(image->request->isa, image->request->code_align);
    uint64_t page = image->request->isa->load_align;
    buffer_align(&image->code, CODE_ALIGN);
    while ((CODE_OFFSET + image->code.size + at) % page != 0 && at % CODE_ALIGN == 0) {
        const char padding[CODE_ALIGN] = {0};
        buffer_append(&image->code, padding, sizeof padding);
    }
    uint64_t place = CODE_BASE + CODE_OFFSET + image->code.size + at;
    image->base = CODE_BASE + (align - place % align) % align;
}

uint64_t executable_data_address(const struct isa *isa, uint64_t code_end, uint64_t bytes, uint64_t align)
{
    uint64_t least = code_end > DATA_BASE ? code_end : DATA_BASE;
    if (bytes > MOST_NEAR)
        least = FAR_BASE;
    uint64_t step = in_pages(isa, align);
    return (least + step - 1) / step * step;
}

/* Copies the parts together and writes the start code's four parameters. */
static enum status lay_out(struct image *image, struct error *error)
{
    const struct executable_request *request = image->request;
    uint64_t start = 0;
    uint64_t parameters = 0;
    uint64_t code = 0;
    enum status status = append_part(image, false, ".text", &start, error);
    if (status == STATUS_OK && request->code_align != 0)
        status = find_symbol(request, true, "trauma_code", &code, error);
    if (status == STATUS_OK && request->code_align != 0)
        align_code(image, code);
    if (status == STATUS_OK)
        status = append_part(image, true, ".text", &image->kernel, error);
    image->kernel_bytes = image->code.size - image->kernel;
    if (status == STATUS_OK)
        status = append_part(image, true, ".rodata", &image->constants, error);
    if (status == STATUS_OK)
        status = find_symbol(request, false, "trauma_parameters", &parameters, error);
    if (status != STATUS_OK)
        return status;
    uint64_t code_address = image->base + CODE_OFFSET;
    uint64_t end = code_address + image->code.size;
    image->data_address =
        executable_data_address(request->isa, end, request->data_bytes, request->data_align);
    uint64_t words[4] = {code_address + image->kernel, code_address + image->constants, image->data_address,
                         request->passes};
    size_t shared = request->shared_count * sizeof *request->shared;
    if (parameters + sizeof words + shared > image->kernel)
        return error_set(error, STATUS_FAILED, "the start code has no room for its parameters");
    memcpy(image->code.data + start + parameters, words, sizeof words);
    if (shared > 0)
        memcpy(image->code.data + start + parameters + sizeof words, request->shared, shared);
    return STATUS_OK;
}

/* Symbols for disassemblers and tracers. */
static enum status fill_symbols(struct image *image, struct error *error)
{
    static const char *const names[SYMBOLS] = {
        NULL, "_start", "trauma_kernel", "trauma_layout", "trauma_loop", "trauma_loop_end"};
    for (size_t i = 1; i < SYMBOLS; i++) {
        uint64_t value;
        enum status status = find_symbol(image->request, i != 1, names[i], &value, error);
        if (status != STATUS_OK)
            return status;
        uint64_t part = i == 1 ? 0 : i == 3 ? image->constants : image->kernel;
        image->symbols[i] = (Elf64_Sym){.st_name = add_name(image, names[i]),
                                        .st_info = ELF64_ST_INFO(STB_GLOBAL, i == 3 ? STT_OBJECT : STT_FUNC),
                                        .st_shndx = 1,
                                        .st_value = image->base + CODE_OFFSET + part + value};
        image->symbols[i].st_size = i == 2 ? image->kernel_bytes : 0;
    }
    return STATUS_OK;
}

/* File offsets of the parts that are not loaded. */
struct tail {
    uint64_t symbols, strings, headers;
};

static struct tail place_tail(const struct image *image)
{
    struct tail tail;
    tail.symbols = (CODE_OFFSET + image->code.size + 7) / 8 * 8;
    tail.strings = tail.symbols + sizeof image->symbols;
    tail.headers = (tail.strings + image->names.size + 7) / 8 * 8;
    return tail;
}

static void fill_header(const struct image *image, const struct tail *tail, Elf64_Ehdr *file)
{
    *file = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = (Elf64_Half)image->request->isa->elf_machine,
                         .e_version = EV_CURRENT,
                         .e_entry = image->base + CODE_OFFSET,
                         .e_phoff = sizeof *file,
                         .e_shoff = tail->headers,
                         .e_flags = image->request->isa->elf_flags,
                         .e_ehsize = sizeof *file,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = HEADERS,
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = SECTIONS - 1};
}

static void fill_segments(const struct image *image, Elf64_Phdr segments[HEADERS])
{
    uint64_t loaded = CODE_OFFSET + image->code.size;
    segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_vaddr = image->base,
                               .p_paddr = image->base,
                               .p_filesz = loaded,
                               .p_memsz = loaded,
                               .p_align = image->request->isa->load_align};
    segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_W,
                               .p_vaddr = image->data_address,
                               .p_paddr = image->data_address,
                               .p_memsz = image->request->data_bytes,
                               .p_align = image->request->isa->load_align};
    segments[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
}

/* Fills in the sections: loaded code and data, symbols, and one table of section and symbol names. */
static void fill_sections(struct image *image, const struct tail *tail, Elf64_Shdr sections[SECTIONS])
{
    sections[1] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
                               .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                               .sh_offset = CODE_OFFSET,
                               .sh_addr = image->base + CODE_OFFSET,
                               .sh_size = image->code.size,
                               .sh_addralign = CODE_ALIGN};
    sections[2] = (Elf64_Shdr){.sh_type = SHT_NOBITS,
                               .sh_flags = SHF_ALLOC | SHF_WRITE,
                               .sh_offset = CODE_OFFSET + image->code.size,
                               .sh_addr = image->data_address,
                               .sh_size = image->request->data_bytes,
                               .sh_addralign = 64};
    sections[3] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
                               .sh_offset = tail->symbols,
                               .sh_size = sizeof image->symbols,
                               .sh_addralign = 8,
                               .sh_entsize = sizeof(Elf64_Sym),
                               .sh_link = SECTIONS - 1,
                               .sh_info = 1};
    sections[4] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = tail->strings, .sh_size = image->names.size, .sh_addralign = 1};
}

/* Appends zeros up to the offset, and the bytes. */
static void append_at(struct buffer *file, size_t start, uint64_t offset, const void *bytes, size_t size)
{
    buffer_fill(file, '\0', start + offset - file->size);
    buffer_append(file, bytes, size);
}

static void write_file(struct image *image, struct buffer *file)
{
    static const char *const section_names[SECTIONS] = {"", ".text", ".bss", ".symtab", ".strtab"};
    Elf64_Word names[SECTIONS] = {0};
    Elf64_Shdr sections[SECTIONS] = {{0}};
    Elf64_Phdr segments[HEADERS];
    Elf64_Ehdr header;
    size_t start = file->size;
    for (size_t i = 1; i < SECTIONS; i++)
        names[i] = add_name(image, section_names[i]);
    struct tail tail = place_tail(image);
    fill_header(image, &tail, &header);
    fill_segments(image, segments);
    fill_sections(image, &tail, sections);
    for (size_t i = 1; i < SECTIONS; i++)
        sections[i].sh_name = names[i];
    buffer_reserve(file, tail.headers + sizeof sections);
    buffer_append(file, &header, sizeof header);
    buffer_append(file, segments, sizeof segments);
    append_at(file, start, CODE_OFFSET, image->code.data, image->code.size);
    append_at(file, start, tail.symbols, image->symbols, sizeof image->symbols);
    append_at(file, start, tail.strings, image->names.data, image->names.size);
    append_at(file, start, tail.headers, sections, sizeof sections);
}

enum status executable_write(const struct executable_request *request, struct buffer *file,
                             struct error *error)
{
    struct image image = {.request = request, .base = CODE_BASE};
    enum status status = lay_out(&image, error);
    if (status == STATUS_OK)
        status = fill_symbols(&image, error);
    if (status == STATUS_OK)
        write_file(&image, file);
    buffer_free(&image.code);
    buffer_free(&image.names);
    return status;
}

enum status executable_check_start(const struct isa *isa, const struct buffer *start, struct error *error)
{
    struct object_part part;
    if (object_section(start->data, start->size, ".rela.text", &part, NULL) != STATUS_OK)
        return STATUS_OK;
    return error_set(
        error, STATUS_FAILED,
        "templates/%s/%s refers to a symbol that only a linker resolves: expected labels that are "
        "not global",
        isa->name, isa->start);
}
