# SPDX-License-Identifier: MIT
# What only the developers of kith need: warnings, sanitizers, coverage. Included when kith is the
# top-level project, before any target is made, so that it reaches every target.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
    set(warnings -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wcast-qual -Wundef)
    add_compile_options(${warnings})
    add_compile_definitions(KITH_HEADER_WARNINGS) # of the public headers, too
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes;-Wmissing-prototypes>")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>")
    if(CMAKE_VERSION VERSION_LESS 3.24 AND CMAKE_COMPILE_WARNING_AS_ERROR)
        add_compile_options(-Werror) # CMake knows the variable from 3.24 on
    endif()
endif()

if(KITH_SANITIZE)
    set(sanitizers -fsanitize=${KITH_SANITIZE} -fno-sanitize-recover=all)
    add_compile_options(${sanitizers} -fno-omit-frame-pointer -g)
    add_link_options(${sanitizers})
endif()

if(KITH_COVERAGE)
    # no inlining and no asserts: a line and a branch of the source is one of the object code
    add_compile_options(--coverage -O0 -g -fno-inline -DNDEBUG -fprofile-update=atomic)
    add_link_options(--coverage)
endif()
