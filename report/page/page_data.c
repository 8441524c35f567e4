#include "report/page/page_data.h"

#include "base/memory.h"

#include <string.h>

enum { PART_BYTES = 1 << 18 };

void *page_add_row(struct page_rows *rows, size_t size)
{
    if (rows->count == rows->capacity) {
        rows->capacity = rows->capacity == 0 ? 64 : 2 * rows->capacity;
        rows->items = memory_resized(rows->items, rows->capacity, size);
    }
    return memset((char *)rows->items + size * rows->count++, 0, size);
}

const char *page_text(struct page *page, const char *text)
{
    size_t at = text_set_add(&page->texts, text);
    return page->texts.texts[at];
}

size_t page_index(const struct page *page, const char *key)
{
    size_t at = text_set_find(&page->keys, key);
    return at < page->keys.count ? ((const size_t *)page->indices.items)[at] : SIZE_MAX;
}

void page_set_index(struct page *page, const char *key, size_t index)
{
    if (index >= page_index(page, key))
        return;
    size_t at = text_set_add(&page->keys, key);
    if (at == page->indices.count)
        (void)page_add_row(&page->indices, sizeof index);
    ((size_t *)page->indices.items)[at] = index;
}

void page_pass_on(struct page *page)
{
    if (page->file == NULL || page->text.size < PART_BYTES)
        return;
    file_writer_put(page->file, page->text.data, page->text.size);
    page->text.size = 0;
}
