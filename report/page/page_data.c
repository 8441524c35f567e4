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
    if (text[0] == '\0')
        return "";
    if (page->texts == NULL)
        page->texts = json_object();
    if (json_object_get(page->texts, text) == NULL)
        json_object_set_new_nocheck(page->texts, text, json_true());
    void *place = json_object_iter_at(page->texts, text);
    return place == NULL ? "" : json_object_iter_key(place);
}

void page_pass_on(struct page *page)
{
    if (page->file == NULL || page->text.size < PART_BYTES)
        return;
    file_writer_put(page->file, page->text.data, page->text.size);
    page->text.size = 0;
}
