# SPDX-License-Identifier: BSD-3-Clause
# Installation: libraries under their own and under GASNet's names, headers,
# makefile fragments, pkg-config and CMake package files, tools.

if(NOT TARGET fshmem)
    return()
endif()
include(CMakePackageConfigHelpers)

set(conduits smp fpga)
set(modes seq parsync par)
set(generated ${PROJECT_BINARY_DIR}/install)

install(TARGETS fshmem fshmem_static EXPORT fshmem-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

foreach(tool fshrun fshinfo fshperf fshsim)
    if(TARGET ${tool})
        install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()

configure_file(${CMAKE_CURRENT_LIST_DIR}/fshmem.pc.in ${generated}/fshmem.pc @ONLY)
install(FILES ${generated}/fshmem.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

foreach(conduit ${conduits})
    string(TOUPPER ${conduit} FSH_CONDUIT_UPPER)
    set(FSH_CONDUIT ${conduit})
    configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnetrun.in
                   ${generated}/gasnetrun_${conduit} @ONLY)
    install(PROGRAMS ${generated}/gasnetrun_${conduit}
            DESTINATION ${CMAKE_INSTALL_BINDIR})
    foreach(mode ${modes})
        string(TOUPPER ${mode} FSH_MODE_UPPER)
        set(FSH_MODE ${mode})
        configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnet.mak.in
                       ${generated}/${conduit}-${mode}.mak @ONLY)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnet.pc.in
                       ${generated}/gasnet-${conduit}-${mode}.pc @ONLY)
        install(FILES ${generated}/${conduit}-${mode}.mak
                DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${conduit}-conduit)
        install(FILES ${generated}/gasnet-${conduit}-${mode}.pc
                DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
        # One ABI for all conduits and modes: the names are links to one archive.
        install(CODE "
            set(dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
            file(CREATE_LINK libfshmem.a
                 \"\${dir}/libgasnet-${conduit}-${mode}.a\" SYMBOLIC)")
    endforeach()
endforeach()

# The tools alone: one archive for both modes, as above.
set(tools_cflags_seq "-DGASNETT_THREAD_SINGLE=1")
set(tools_cflags_par "-DGASNETT_THREAD_SAFE=1 -pthread")
install(TARGETS fshmem_tools EXPORT fshmem-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(mode seq par)
    string(TOUPPER ${mode} FSH_MODE_UPPER)
    set(FSH_MODE ${mode})
    set(FSH_TOOLS_CFLAGS ${tools_cflags_${mode}})
    foreach(suffix mak pc)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnet_tools.${suffix}.in
                       ${generated}/gasnet_tools-${mode}.${suffix} @ONLY)
    endforeach()
    install(FILES ${generated}/gasnet_tools-${mode}.mak
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(FILES ${generated}/gasnet_tools-${mode}.pc
            DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    install(CODE "
        set(dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}\")
        file(CREATE_LINK libfshmem_tools.a
             \"\${dir}/libgasnet_tools-${mode}.a\" SYMBOLIC)")
endforeach()

install(EXPORT fshmem-targets NAMESPACE FSHMEM:: FILE FSHMEMTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/FSHMEM)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/FSHMEMConfig.cmake.in
    ${generated}/FSHMEMConfig.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/FSHMEM
    PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${generated}/FSHMEMConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/FSHMEMConfig.cmake
              ${generated}/FSHMEMConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/FSHMEM)
