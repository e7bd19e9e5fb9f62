// SPDX-License-Identifier: MIT
#include "snapshot/load_state.h"

KITH_INTERNAL bool kith_loading_spoil(kith_loading *l, kith_error_code code, const char *what,
                                      const char *name)
{
    if (l->result.code == KITH_OK) {
        uint64_t offset = l->chunk.offset;
        l->result       = name == NULL ? kith_result_of(code, offset, "%s", what)
                                       : kith_result_of(code, offset, "\"%s\": %s", name, what);
    }
    return false;
}

KITH_INTERNAL bool kith_loading_lacks(kith_loading *l)
{
    kith_flaw_memory(&l->flaw);
    return kith_loading_flawed(l);
}

KITH_INTERNAL bool kith_loading_nonsense(kith_loading *l, const char *what)
{
    return kith_loading_spoil(l, KITH_ERROR_FORMAT, what, NULL);
}

KITH_INTERNAL bool kith_loading_flawed(kith_loading *l)
{
    const kith_flaw *flaw = &l->flaw;
    return kith_loading_spoil(l, flaw->code, flaw->what, flaw->name[0] == '\0' ? NULL : flaw->name);
}

KITH_INTERNAL bool kith_loading_staged(kith_loading *l, const kith_loaded_part *part,
                                       const char *fault, bool memory)
{
    if (fault == NULL) {
        return true;
    }
    return memory ? kith_loading_lacks(l)
                  : kith_loading_spoil(l, KITH_ERROR_FORMAT, fault, kith_part_name(part));
}
