# SPDX-License-Identifier: MIT
# Installs the library, its headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_include_directories(kith PUBLIC "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
install(TARGETS kith EXPORT kithTargets)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/kith" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kith)
install(EXPORT kithTargets NAMESPACE kith:: DESTINATION ${package_dir})
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/kithConfig.cmake.in" kithConfig.cmake
    INSTALL_DESTINATION ${package_dir})
# Before 1.0 only the same minor version is sure to fit.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatibility SameMinorVersion)
else()
    set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(kithConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES
    "${CMAKE_CURRENT_BINARY_DIR}/kithConfig.cmake"
    "${CMAKE_CURRENT_BINARY_DIR}/kithConfigVersion.cmake"
    DESTINATION ${package_dir})

# An absolute directory stays as it is, any other one is below the prefix.
foreach(kind IN ITEMS INCLUDEDIR LIBDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(KITH_PC_${kind} "${CMAKE_INSTALL_${kind}}")
    else()
        set(KITH_PC_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
# A shared library brings what it needs itself.
get_target_property(kind kith TYPE)
if(KITH_ZSTD AND kind STREQUAL STATIC_LIBRARY)
    set(KITH_PC_LIBS " -lzstd")
endif()
if(KITH_THREADS AND kind STREQUAL STATIC_LIBRARY)
    string(APPEND KITH_PC_LIBS " -pthread")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/kith.pc.in" kith.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/kith.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
