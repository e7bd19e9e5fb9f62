# SPDX-License-Identifier: MIT
# Whether snapshots may be packed. Without zstd the library needs nothing but libc, so it has to be
# asked for; only a build with tests takes it where it is there, to test both.
find_path(ZSTD_INCLUDE zstd.h)
find_library(ZSTD_LIBRARY zstd)
mark_as_advanced(ZSTD_INCLUDE ZSTD_LIBRARY)

set(zstd_default OFF)
if(KITH_TESTS AND ZSTD_INCLUDE AND ZSTD_LIBRARY AND NOT KITH_SANITIZE MATCHES memory)
    set(zstd_default ON) # (the memory sanitizer would have to see inside zstd)
endif()
option(KITH_ZSTD "Snapshots may be packed with zstd" ${zstd_default})

if(KITH_ZSTD AND NOT (ZSTD_INCLUDE AND ZSTD_LIBRARY))
    message(FATAL_ERROR "KITH_ZSTD is ON, and there is no zstd: install it (Debian: libzstd-dev) "
        "or configure with -DKITH_ZSTD=OFF, which makes a library that refuses packed snapshots.")
elseif(PROJECT_IS_TOP_LEVEL AND KITH_ZSTD)
    message(STATUS "kith: snapshots may be packed with zstd")
elseif(PROJECT_IS_TOP_LEVEL)
    message(STATUS "kith: without zstd, packed snapshots are refused (KITH_ZSTD is OFF)")
endif()
