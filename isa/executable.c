#include "isa/executable.h"

#include "base/memory_file.h"
#include "isa/object.h"

#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* One loaded segment holds the headers, the code and the constants; a second one the data, all zeros. */
enum { CODE_OFFSET = 0x200, CODE_ALIGN = 128, PAGE = 4096, HEADERS = 3, SECTIONS = 5 };
static const uint64_t CODE_BASE = UINT64_C(0x400000);
static const uint64_t DATA_BASE = UINT64_C(0x10000000);

/* More data than this lies far off: simulators have their own code in the first gigabytes (Valgrind at
 * 0x58000000). */
static const uint64_t MOST_NEAR = UINT64_C(0x20000000);
static const uint64_t FAR_BASE = UINT64_C(0x100000000);

enum { SYMBOLS = 6 };

/* What is written, and where it is loaded. */
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

static enum status append_part(struct buffer *code, const struct buffer *object, const char *section,
                               uint64_t *offset, struct error *error)
{
    struct object_part part;
    enum status status = object_section(object->data, object->size, section, &part, error);
    if (status != STATUS_OK)
        return status;
    buffer_align(code, CODE_ALIGN);
    *offset = code->size;
    buffer_append(code, part.bytes, part.size);
    return STATUS_OK;
}

static enum status symbol_of(const struct buffer *object, const char *name, uint64_t *value,
                             struct error *error)
{
    return object_symbol(object->data, object->size, name, value, error);
}

/* Moves the code's end on, so that trauma_code, which the object's code has at offset `at`, can lie at the
 * start of a page, and chooses the address of the file at which it lies as it must. */
static void align_code(struct image *image, uint64_t at)
{
    uint64_t align = image->request->code_align;
    buffer_align(&image->code, CODE_ALIGN);
    while ((CODE_OFFSET + image->code.size + at) % PAGE != 0 && at % CODE_ALIGN == 0) {
        const char padding[CODE_ALIGN] = {0};
        buffer_append(&image->code, padding, sizeof padding);
    }
    uint64_t place = CODE_BASE + CODE_OFFSET + image->code.size + at;
    image->base = CODE_BASE + (align - place % align) % align;
}

/* Copies the parts together and writes the start code's four parameters. */
static enum status lay_out(struct image *image, struct error *error)
{
    const struct executable_request *request = image->request;
    uint64_t start = 0;
    uint64_t parameters = 0;
    uint64_t code = 0;
    enum status status = append_part(&image->code, request->start, ".text", &start, error);
    if (status == STATUS_OK && request->code_align != 0)
        status = symbol_of(request->object, "trauma_code", &code, error);
    if (status == STATUS_OK && request->code_align != 0)
        align_code(image, code);
    if (status == STATUS_OK)
        status = append_part(&image->code, request->object, ".text", &image->kernel, error);
    image->kernel_bytes = image->code.size - image->kernel;
    if (status == STATUS_OK)
        status = append_part(&image->code, request->object, ".rodata", &image->constants, error);
    if (status == STATUS_OK)
        status = symbol_of(request->start, "trauma_parameters", &parameters, error);
    if (status != STATUS_OK)
        return status;
    uint64_t code_address = image->base + CODE_OFFSET;
    uint64_t end = code_address + image->code.size;
    uint64_t least = end > DATA_BASE ? end : DATA_BASE;
    if (request->data_bytes > MOST_NEAR)
        least = FAR_BASE;
    image->data_address = (least + request->data_align - 1) / request->data_align * request->data_align;
    uint64_t words[4] = {code_address + image->kernel, code_address + image->constants, image->data_address,
                         request->passes};
    if (parameters + sizeof words > image->kernel)
        return error_set(error, STATUS_FAILED, "the start code has no room for its parameters");
    memcpy(image->code.data + start + parameters, words, sizeof words);
    return STATUS_OK;
}

/* Symbols for those who disassemble or trace the executable. */
static enum status fill_symbols(struct image *image, struct error *error)
{
    static const char *const names[SYMBOLS] = {
        NULL, "_start", "trauma_kernel", "trauma_layout", "trauma_loop", "trauma_loop_end"};
    for (size_t i = 1; i < SYMBOLS; i++) {
        uint64_t value;
        const struct buffer *object = i == 1 ? image->request->start : image->request->object;
        enum status status = symbol_of(object, names[i], &value, error);
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

static Elf_Scn *add_section(Elf *elf, const Elf64_Shdr *wanted, void *bytes, Elf_Type type)
{
    Elf_Scn *section = elf_newscn(elf);
    Elf_Data *data = section == NULL ? NULL : elf_newdata(section);
    Elf64_Shdr *header = data == NULL ? NULL : elf64_getshdr(section);
    if (header == NULL)
        return NULL;
    *header = *wanted;
    data->d_buf = bytes;
    data->d_size = wanted->sh_size;
    data->d_type = type;
    data->d_align = wanted->sh_addralign;
    return section;
}

static bool add_headers(Elf *elf, const struct image *image)
{
    const struct executable_request *request = image->request;
    Elf64_Ehdr *file = elf64_newehdr(elf);
    Elf64_Phdr *segments = file == NULL ? NULL : elf64_newphdr(elf, HEADERS);
    if (segments == NULL)
        return false;
    file->e_ident[EI_DATA] = ELFDATA2LSB;
    file->e_machine = (Elf64_Half)request->isa->elf_machine;
    file->e_type = ET_EXEC;
    file->e_version = EV_CURRENT;
    file->e_entry = image->base + CODE_OFFSET;
    file->e_phoff = sizeof *file;
    file->e_shstrndx = SECTIONS - 1;
    uint64_t loaded = CODE_OFFSET + image->code.size;
    segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_X,
                               .p_vaddr = image->base,
                               .p_paddr = image->base,
                               .p_filesz = loaded,
                               .p_memsz = loaded,
                               .p_align = PAGE};
    segments[1] = (Elf64_Phdr){.p_type = PT_LOAD,
                               .p_flags = PF_R | PF_W,
                               .p_vaddr = image->data_address,
                               .p_paddr = image->data_address,
                               .p_memsz = request->data_bytes,
                               .p_align = PAGE};
    segments[2] = (Elf64_Phdr){.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W, .p_align = 16};
    return true;
}

/* Where what is not loaded stands in the file. */
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

static bool add_loaded_sections(Elf *elf, struct image *image, const Elf64_Word name[2])
{
    const Elf64_Shdr code = {.sh_name = name[0],
                             .sh_type = SHT_PROGBITS,
                             .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                             .sh_offset = CODE_OFFSET,
                             .sh_addr = image->base + CODE_OFFSET,
                             .sh_size = image->code.size,
                             .sh_addralign = CODE_ALIGN};
    const Elf64_Shdr data = {.sh_name = name[1],
                             .sh_type = SHT_NOBITS,
                             .sh_flags = SHF_ALLOC | SHF_WRITE,
                             .sh_offset = CODE_OFFSET + image->code.size,
                             .sh_addr = image->data_address,
                             .sh_size = image->request->data_bytes,
                             .sh_addralign = 64};
    return add_section(elf, &code, image->code.data, ELF_T_BYTE) != NULL &&
           add_section(elf, &data, NULL, ELF_T_BYTE) != NULL;
}

/* Both string tables are one section. */
static bool add_tables(Elf *elf, struct image *image, const struct tail *tail, const Elf64_Word name[2])
{
    const Elf64_Shdr symbols = {.sh_name = name[0],
                                .sh_type = SHT_SYMTAB,
                                .sh_offset = tail->symbols,
                                .sh_size = sizeof image->symbols,
                                .sh_addralign = 8,
                                .sh_entsize = sizeof(Elf64_Sym),
                                .sh_link = SECTIONS - 1,
                                .sh_info = 1};
    const Elf64_Shdr strings = {.sh_name = name[1],
                                .sh_type = SHT_STRTAB,
                                .sh_offset = tail->strings,
                                .sh_size = image->names.size,
                                .sh_addralign = 1};
    return add_section(elf, &symbols, image->symbols, ELF_T_SYM) != NULL &&
           add_section(elf, &strings, image->names.data, ELF_T_BYTE) != NULL;
}

/* The layout is ours, so that the loaded addresses are as planned. */
static bool add_sections(Elf *elf, struct image *image)
{
    static const char *const section_names[SECTIONS - 1] = {".text", ".bss", ".symtab", ".strtab"};
    Elf64_Word name[SECTIONS - 1];
    for (size_t i = 0; i < SECTIONS - 1; i++)
        name[i] = add_name(image, section_names[i]);
    struct tail tail = place_tail(image);
    Elf64_Ehdr *header = elf64_getehdr(elf);
    if (header == NULL || !add_loaded_sections(elf, image, name) || !add_tables(elf, image, &tail, name + 2))
        return false;
    header->e_shoff = tail.headers;
    return true;
}

static bool write_elf(struct image *image, int fd)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
    bool good = elf != NULL && add_headers(elf, image) && add_sections(elf, image);
    if (good) {
        elf_flagelf(elf, ELF_C_SET, ELF_F_LAYOUT);
        good = elf_update(elf, ELF_C_WRITE) >= 0;
    }
    elf_end(elf);
    return good;
}

/* libelf writes to a descriptor only: a file in memory, read back. */
static enum status through_memory(struct image *image, struct buffer *file, struct error *error)
{
    int fd;
    enum status status = memory_file_open("", 0, false, &fd, error);
    if (status != STATUS_OK)
        return status;
    if (write_elf(image, fd))
        status = memory_file_read(fd, file, error);
    else
        status = error_set(error, STATUS_FAILED, "libelf: %s", elf_errmsg(-1));
    close(fd);
    return status;
}

enum status executable_write(const struct executable_request *request, struct buffer *file,
                             struct error *error)
{
    struct image image = {.request = request, .base = CODE_BASE};
    enum status status = lay_out(&image, error);
    if (status == STATUS_OK)
        status = fill_symbols(&image, error);
    if (status == STATUS_OK)
        status = through_memory(&image, file, error);
    buffer_free(&image.code);
    buffer_free(&image.names);
    return status;
}
