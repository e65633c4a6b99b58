# SPDX-License-Identifier: BSD-3-Clause
# The object libraries of src/ put together: fshmem_static (libfshmem.a),
# fshmem (libfshmem.so), and the targets programs in this tree link:
#   fshmem_client_{seq,parsync,par}  a GASNet program, public headers only
#   fshmem_internal                  our tools and unit tests, inner headers too

set(objects)
foreach(part fsh_fshmem fsh_gasnet fsh_command fsh_conduit fsh_conduit_smp
             fsh_conduit_fpga fsh_device fsh_boot fsh_core fsh_compute fsh_bfp
             fsh_tools fsh_base)
    if(TARGET ${part})
        list(APPEND objects $<TARGET_OBJECTS:${part}>)
    endif()
endforeach()

if(objects)
    add_library(fshmem_static STATIC ${objects})
    set_target_properties(fshmem_static PROPERTIES OUTPUT_NAME fshmem
                          EXPORT_NAME fshmem_static)
    target_link_libraries(fshmem_static PUBLIC Threads::Threads m)

    add_library(fshmem SHARED ${objects})
    set(map ${PROJECT_SOURCE_DIR}/cmake/libfshmem.map)
    target_link_libraries(fshmem PRIVATE Threads::Threads m)
    target_link_options(fshmem PRIVATE -Wl,--version-script=${map})
    if(NOT FSH_SANITIZE)
        target_link_options(fshmem PRIVATE -Wl,--no-undefined)
    endif()
    set_target_properties(fshmem PROPERTIES LINK_DEPENDS ${map}
                          VERSION ${PROJECT_VERSION}
                          SOVERSION ${PROJECT_VERSION_MAJOR})
    foreach(lib fshmem fshmem_static)
        target_include_directories(${lib} INTERFACE
            $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
            $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    endforeach()
else()
    add_library(fshmem_static INTERFACE)
endif()

# gasnet_tools.h without the rest, for programs that are no jobs.
if(TARGET fsh_tools)
    add_library(fshmem_tools STATIC $<TARGET_OBJECTS:fsh_tools>
                $<TARGET_OBJECTS:fsh_base>)
    target_link_libraries(fshmem_tools PUBLIC Threads::Threads m)
    target_include_directories(fshmem_tools INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endif()

add_library(fshmem_internal INTERFACE)
target_include_directories(fshmem_internal INTERFACE ${PROJECT_SOURCE_DIR}/src
                           ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(fshmem_internal INTERFACE fshmem_static Threads::Threads)

foreach(mode seq parsync par)
    string(TOUPPER ${mode} upper)
    add_library(fshmem_client_${mode} INTERFACE)
    target_include_directories(fshmem_client_${mode}
                               INTERFACE ${PROJECT_SOURCE_DIR}/include)
    target_compile_definitions(fshmem_client_${mode} INTERFACE GASNET_${upper}=1
                               GASNET_CONDUIT_SMP=1)
    target_link_libraries(fshmem_client_${mode} INTERFACE fshmem_static
                          Threads::Threads)
endforeach()
