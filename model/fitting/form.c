#include "model/fitting/form.h"

enum status form_test(struct fitted *fitted, json_t *document, struct error *error)
{
    (void)document;
    (void)error;
    fitted->tested = true;
    return STATUS_OK;
}
