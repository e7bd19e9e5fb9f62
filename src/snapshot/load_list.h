// SPDX-License-Identifier: MIT
// Lists of entities out of the chunks of a file, into a stage: who has a flag, and the members of
// groups in their order.
#ifndef KITH_SNAPSHOT_LOAD_LIST_H
#define KITH_SNAPSHOT_LOAD_LIST_H

#include "snapshot/save.h"
#include "snapshot/staging.h"

// Read what is left of a chunk; false, with the flaw, if it cannot be. A group that this world does
// not have, or whose components are not all wanted, is passed over: nothing depends on it.
KITH_INTERNAL bool kith_list_flags(kith_stage *stage, const kith_column *column, kith_source *from,
                                   kith_flaw *flaw);
KITH_INTERNAL bool kith_list_members(kith_stage *stage, const kith_load_desc *desc,
                                     kith_source *from, kith_flaw *flaw);

// Whether the component is to be loaded; NULL: one that this world does not have.
static inline bool kith_load_wants(const kith_load_desc *desc, const kith_column *column)
{
    return desc->components == NULL ||
           (column != NULL &&
            kith_component_listed(desc->components, desc->component_count, column->desc.id));
}

#endif
