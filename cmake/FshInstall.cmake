# SPDX-License-Identifier: BSD-3-Clause
# Installation: libraries under their own and under GASNet's names, headers,
# makefile fragments, pkg-config and CMake package files, tools.

if(NOT TARGET fshmem)
    return()
endif()
include(CMakePackageConfigHelpers)

set(conduits smp ofi fpga)
set(modes seq parsync par)
set(conduit_headers gasnet_core.h gasnet_core_fwd.h gasnet_extended.h
    gasnet_extended_fwd.h)
set(generated ${PROJECT_BINARY_DIR}/install)
set(config ${PROJECT_SOURCE_DIR}/include/gasnet_config.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${config})

# The release of GASNet that gasnet_config.h claims, for pkg-config.
file(READ ${config} config_text)
set(FSH_GASNET_RELEASE)
foreach(part MAJOR MINOR PATCH)
    if(NOT config_text MATCHES "define GASNET_RELEASE_VERSION_${part} ([0-9]+)")
        message(FATAL_ERROR "${config} has no GASNET_RELEASE_VERSION_${part}")
    endif()
    list(APPEND FSH_GASNET_RELEASE ${CMAKE_MATCH_1})
    if(NOT config_text MATCHES
       "define FSHMEM_VERSION_${part} ${PROJECT_VERSION_${part}}\n")
        message(FATAL_ERROR "${config}: FSHMEM_VERSION_${part} is not "
                            "${PROJECT_VERSION_${part}}, the project's")
    endif()
endforeach()
list(JOIN FSH_GASNET_RELEASE . FSH_GASNET_RELEASE)

# Complete prefixes with the same names inside: the prefix itself (segment FAST),
# and one for each flavour in a directory of that name, whose programs are links
# to those of the prefix.

set(tools)
foreach(tool fshrun fshinfo fshperf fshtrace fshsim fshsim-wide fshsim-checked)
    if(TARGET ${tool})
        install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
        list(APPEND FSH_INSTALLED ${tool})
        list(APPEND tools ${tool})
    endif()
endforeach()
foreach(conduit ${conduits})
    set(FSH_CONDUIT ${conduit})
    configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnetrun.in
                   ${generated}/gasnetrun_${conduit} @ONLY)
    install(PROGRAMS ${generated}/gasnetrun_${conduit}
            DESTINATION ${CMAKE_INSTALL_BINDIR})
    list(APPEND tools gasnetrun_${conduit})
endforeach()
# fshmodel: a Python package, with its systems and the constants they name.
file(RELATIVE_PATH FSH_MODEL_AT /p/${CMAKE_INSTALL_BINDIR}
     /p/${CMAKE_INSTALL_DATADIR}/fshmem)
configure_file(${PROJECT_SOURCE_DIR}/tools/fshmodel/fshmodel.in ${generated}/fshmodel
               @ONLY)
install(PROGRAMS ${generated}/fshmodel DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tools/fshmodel
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fshmem
        FILES_MATCHING PATTERN "*.py" PATTERN "*.toml" PATTERN __pycache__ EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/spec/fshmem.toml RENAME spec.toml
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fshmem/fshmodel)
list(APPEND tools fshmodel)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The examples, with a Makefile and a CMakeLists.txt for the installed prefix.
set(examples ${PROJECT_SOURCE_DIR}/examples)
install(DIRECTORY ${examples}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fshmem/examples
        FILES_MATCHING PATTERN "*.[ch]" PATTERN installed EXCLUDE)
install(FILES ${examples}/installed/Makefile ${examples}/installed/CMakeLists.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fshmem/examples)

# GTKWave save file for the waveforms of a job (docs/01_user/waves.md).
if(TARGET fshsim)
    install(FILES ${PROJECT_SOURCE_DIR}/sim/fshmem.gtkw
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fshmem)
endif()

configure_file(${CMAKE_CURRENT_LIST_DIR}/fshmem.pc.in ${generated}/fshmem.pc @ONLY)
foreach(conduit ${conduits})
    string(TOUPPER ${conduit} FSH_CONDUIT_UPPER)
    set(FSH_CONDUIT ${conduit})
    foreach(FSH_HEADER ${conduit_headers})
        configure_file(${CMAKE_CURRENT_LIST_DIR}/conduit_header.h.in
                       ${generated}/${conduit}-conduit/${FSH_HEADER} @ONLY)
    endforeach()
    foreach(mode ${modes})
        string(TOUPPER ${mode} FSH_MODE_UPPER)
        set(FSH_MODE ${mode})
        configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnet.pc.in
                       ${generated}/gasnet-${conduit}-${mode}.pc @ONLY)
    endforeach()
endforeach()
# The tools alone.
set(tools_cflags_seq "-DGASNETT_THREAD_SINGLE=1")
set(tools_cflags_par "-DGASNETT_THREAD_SAFE=1 -pthread")
foreach(mode seq par)
    string(TOUPPER ${mode} FSH_MODE_UPPER)
    set(FSH_MODE ${mode})
    set(FSH_TOOLS_CFLAGS ${tools_cflags_${mode}})
    foreach(kind mak pc)
        configure_file(${CMAKE_CURRENT_LIST_DIR}/gasnet_tools.${kind}.in
                       ${generated}/gasnet_tools-${mode}.${kind} @ONLY)
    endforeach()
endforeach()
write_basic_package_version_file(${generated}/FSHMEMConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)

# gasnet_config.h of a flavour: switches with a preset become constants.
function(fsh_fix_switch variable switch value)
    set(preset "#ifndef ${switch}\n#define ${switch} 0\n#endif")
    string(REPLACE "${preset}" "#define ${switch} ${value}" fixed
           "${${variable}}")
    if("${fixed}" STREQUAL "${${variable}}")
        message(FATAL_ERROR "${config} does not define ${switch} as it should")
    endif()
    set(${variable} "${fixed}" PARENT_SCOPE)
endfunction()

function(fsh_configure_header flavour file)
    file(READ ${config} text)
    foreach(each ${FSH_FLAVOURS})
        set(value 0)
        if(each STREQUAL flavour)
            set(value 1)
        endif()
        fsh_fix_switch(text ${FSH_DEFINITION_${each}} ${value})
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)
endfunction()

# Headers, libraries, pkg-config and CMake files: to <prefix>/<directory>.
function(fsh_install_flavour flavour suffix directory)
    set(include ${directory}${CMAKE_INSTALL_INCLUDEDIR})
    set(lib ${directory}${CMAKE_INSTALL_LIBDIR})
    set(made ${generated}/${directory}flavour)

    install(TARGETS fshmem${suffix} fshmem${suffix}_static
            EXPORT fshmem${suffix}-targets
            LIBRARY DESTINATION ${lib} ARCHIVE DESTINATION ${lib}
            INCLUDES DESTINATION ${include})
    fsh_configure_header("${flavour}" ${made}/gasnet_config.h)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${include}
            FILES_MATCHING PATTERN "*.h" PATTERN gasnet_config.h EXCLUDE)
    install(FILES ${made}/gasnet_config.h DESTINATION ${include})
    install(FILES ${generated}/fshmem.pc DESTINATION ${lib}/pkgconfig)
    set(FSH_OPT_FLAGS -O2)
    if(flavour STREQUAL debug)
        set(FSH_OPT_FLAGS -g)
    endif()
    foreach(FSH_CONDUIT ${conduits})
        string(TOUPPER ${FSH_CONDUIT} FSH_CONDUIT_UPPER)
        install(DIRECTORY ${generated}/${FSH_CONDUIT}-conduit
                DESTINATION ${include})
        foreach(FSH_MODE ${modes})
            string(TOUPPER ${FSH_MODE} FSH_MODE_UPPER)
            set(name ${FSH_CONDUIT}-${FSH_MODE})
            configure_file(${PROJECT_SOURCE_DIR}/cmake/gasnet.mak.in
                           ${made}/${name}.mak @ONLY)
            install(FILES ${made}/${name}.mak
                    DESTINATION ${include}/${FSH_CONDUIT}-conduit)
            install(FILES ${generated}/gasnet-${name}.pc
                    DESTINATION ${lib}/pkgconfig)
            # One ABI for all conduits and modes: the names are links to one
            # archive.
            install(CODE "
                set(dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${lib}\")
                file(CREATE_LINK libfshmem.a
                     \"\${dir}/libgasnet-${name}.a\" SYMBOLIC)")
        endforeach()
    endforeach()
    # The tools alone: one archive for both modes.
    install(TARGETS fshmem_tools EXPORT fshmem${suffix}-targets
            ARCHIVE DESTINATION ${lib} INCLUDES DESTINATION ${include})
    foreach(mode seq par)
        install(FILES ${generated}/gasnet_tools-${mode}.mak
                DESTINATION ${include})
        install(FILES ${generated}/gasnet_tools-${mode}.pc
                DESTINATION ${lib}/pkgconfig)
        install(CODE "
            set(dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${lib}\")
            file(CREATE_LINK libfshmem_tools.a
                 \"\${dir}/libgasnet_tools-${mode}.a\" SYMBOLIC)")
    endforeach()
    install(EXPORT fshmem${suffix}-targets NAMESPACE FSHMEM::
            FILE FSHMEMTargets.cmake DESTINATION ${lib}/cmake/FSHMEM)
    configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/FSHMEMConfig.cmake.in
        ${made}/FSHMEMConfig.cmake INSTALL_DESTINATION ${lib}/cmake/FSHMEM
        PATH_VARS CMAKE_INSTALL_BINDIR)
    install(FILES ${made}/FSHMEMConfig.cmake
                  ${generated}/FSHMEMConfigVersion.cmake
            DESTINATION ${lib}/cmake/FSHMEM)
endfunction()

fsh_install_flavour(fast "" "")
list(APPEND FSH_INSTALLED fshmem fshmem_static fshmem_tools)
foreach(flavour ${FSH_FLAVOURS})
    list(APPEND FSH_INSTALLED fshmem_${flavour} fshmem_${flavour}_static)
    fsh_install_flavour(${flavour} _${flavour} ${flavour}/)
    install(CODE "
        set(dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${flavour}/bin\")
        file(MAKE_DIRECTORY \"\${dir}\")
        foreach(tool ${tools})
            file(CREATE_LINK ../../${CMAKE_INSTALL_BINDIR}/\${tool}
                 \"\${dir}/\${tool}\" SYMBOLIC)
        endforeach()")
endforeach()

# What `make install` builds: the above, without tests.
add_custom_target(fsh_installed)
foreach(target ${FSH_INSTALLED})
    add_dependencies(fsh_installed ${target})
endforeach()
