#include "isa/gcn/decode/rows.h"

#include <stddef.h>

static const struct gcn_row *const tables[] = {gcn_rows_scalar, gcn_rows_vector, gcn_rows_compare,
                                               gcn_rows_memory};
enum { TABLES = sizeof tables / sizeof tables[0] };

const struct gcn_row *gcn_row_at(unsigned number)
{
    for (size_t i = 0; i < TABLES; i++)
        for (const struct gcn_row *row = tables[i]; row->name != NULL; row++)
            if (number-- == 0)
                return row;
    return NULL;
}

const struct gcn_row *gcn_row_find(enum gcn_format format, unsigned generation, unsigned opcode)
{
    unsigned column = generation - GCN_ROW_FIRST_GENERATION;
    if (column >= GCN_ROW_GENERATIONS)
        return NULL;
    for (size_t i = 0; i < TABLES; i++)
        for (const struct gcn_row *row = tables[i]; row->name != NULL; row++)
            if (row->format == format && row->opcode[column] == (int)opcode)
                return row;
    return NULL;
}
