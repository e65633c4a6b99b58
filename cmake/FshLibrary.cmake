# SPDX-License-Identifier: BSD-3-Clause
# The object libraries of src/ linked together, once for each flavour: fshmem_static
# (libfshmem.a), fshmem (libfshmem.so), the same with _debug and _everything in
# the name; and the targets that programs in this tree link:
#   fshmem_client_{seq,parsync,par}  a GASNet program, public headers only
#   fshmem_client_<flavour>_<mode>   the same for another flavour
#   fshmem_internal                  our tools and unit tests, internal headers too
#   fshmem_internal_debug            the same with the debug library

set(FSH_PARTS fsh_coll_api fsh_compute_api fsh_bridge fsh_compute_submit fsh_conduit fsh_conduit_table
    fsh_conduit_smp fsh_conduit_ofi fsh_conduit_fpga fsh_conduit_mixed fsh_device fsh_network fsh_boot fsh_compute_execute
    fsh_compute_kernel fsh_coll_card fsh_coll_direct fsh_coll_program fsh_coll_wire fsh_coll_fold fsh_compute_number fsh_gasnet_tools fsh_base)
set(FSH_FLAVOURS debug everything)
set(FSH_DEFINITION_debug FSH_CONFIG_DEBUG)
set(FSH_DEFINITION_everything FSH_CONFIG_EVERYTHING)

# Both libraries of a flavour: fshmem<suffix>_static, fshmem<suffix>; the files
# have the same names in each, and go to <directory>/lib.
function(fsh_add_libraries suffix directory)
    set(objects)
    foreach(part fsh_gasnet${suffix} ${FSH_PARTS})
        if(suffix STREQUAL "_debug" AND TARGET ${part}_debug)
            list(APPEND objects $<TARGET_OBJECTS:${part}_debug>)
        elseif(TARGET ${part})
            list(APPEND objects $<TARGET_OBJECTS:${part}>)
        endif()
    endforeach()
    add_library(fshmem${suffix}_static STATIC ${objects})
    set_target_properties(fshmem${suffix}_static PROPERTIES
                          EXPORT_NAME fshmem_static)
    target_link_libraries(fshmem${suffix}_static PUBLIC Threads::Threads m)

    add_library(fshmem${suffix} SHARED ${objects})
    set(map ${PROJECT_SOURCE_DIR}/cmake/libfshmem.map)
    target_link_libraries(fshmem${suffix} PRIVATE Threads::Threads m)
    target_link_options(fshmem${suffix} PRIVATE -Wl,--version-script=${map})
    if(NOT FSH_SANITIZE)
        target_link_options(fshmem${suffix} PRIVATE -Wl,--no-undefined)
    endif()
    set_target_properties(fshmem${suffix} PROPERTIES LINK_DEPENDS ${map}
                          EXPORT_NAME fshmem VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR})
    foreach(lib fshmem${suffix} fshmem${suffix}_static)
        set_target_properties(${lib} PROPERTIES OUTPUT_NAME fshmem
                              LIBRARY_OUTPUT_DIRECTORY ${directory}/lib
                              ARCHIVE_OUTPUT_DIRECTORY ${directory}/lib)
        target_include_directories(${lib} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
    endforeach()
endfunction()

# fshmem_client<suffix>_<mode>; definition chooses the flavour in this tree's
# headers (installed ones have it built in).
function(fsh_add_clients suffix definition)
    foreach(mode seq parsync par)
        set(client fshmem_client${suffix}_${mode})
        string(TOUPPER ${mode} upper)
        add_library(${client} INTERFACE)
        target_include_directories(${client}
                                   INTERFACE ${PROJECT_SOURCE_DIR}/include)
        target_compile_definitions(${client} INTERFACE GASNET_${upper}=1
                                   GASNET_CONDUIT_SMP=1 ${definition})
        target_link_libraries(${client} INTERFACE fshmem${suffix}_static
                              Threads::Threads)
    endforeach()
endfunction()

if(TARGET fsh_gasnet)
    fsh_add_libraries("" ${PROJECT_BINARY_DIR})
    foreach(flavour ${FSH_FLAVOURS})
        fsh_add_libraries(_${flavour} ${PROJECT_BINARY_DIR}/${flavour})
        fsh_add_clients(_${flavour} ${FSH_DEFINITION_${flavour}}=1)
    endforeach()
else()
    add_library(fshmem_static INTERFACE)
endif()
fsh_add_clients("" "")

# gasnet_tools.h alone, for programs without a job.
if(TARGET fsh_gasnet_tools)
    add_library(fshmem_tools STATIC $<TARGET_OBJECTS:fsh_gasnet_tools>
                $<TARGET_OBJECTS:fsh_base>)
    target_link_libraries(fshmem_tools PUBLIC Threads::Threads m)
    target_include_directories(fshmem_tools INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
endif()

add_library(fshmem_internal INTERFACE)
target_include_directories(fshmem_internal INTERFACE ${PROJECT_SOURCE_DIR}/src
                           ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(fshmem_internal INTERFACE fshmem_static Threads::Threads)
add_library(fshmem_internal_debug INTERFACE)
target_include_directories(fshmem_internal_debug INTERFACE
                           ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
target_compile_definitions(fshmem_internal_debug INTERFACE FSH_CONFIG_DEBUG=1)
if(TARGET fshmem_debug_static)
    target_link_libraries(fshmem_internal_debug INTERFACE fshmem_debug_static
                          Threads::Threads)
endif()
