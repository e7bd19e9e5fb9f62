# SPDX-License-Identifier: MIT
# The version has one home, the public header; everything else reads it from there.
file(READ "${CMAKE_CURRENT_LIST_DIR}/../include/kith/base.h" header)
set(KITH_VERSION "")
foreach(part IN ITEMS MAJOR MINOR PATCH)
    if(NOT header MATCHES "#define KITH_VERSION_${part} ([0-9]+)")
        message(FATAL_ERROR "include/kith/base.h does not define KITH_VERSION_${part}")
    endif()
    list(APPEND KITH_VERSION ${CMAKE_MATCH_1})
endforeach()
list(JOIN KITH_VERSION "." KITH_VERSION)
unset(header)
