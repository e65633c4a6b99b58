# SPDX-License-Identifier: BSD-3-Clause
# fsh_debug_part(<object library>...): a second build, <object library>_debug, for the
# debug flavour, with assertions and lock ranks checked (src/base/assertion.h).
# Called where the library is defined.
function(fsh_debug_part)
    foreach(part ${ARGN})
        get_target_property(sources ${part} SOURCES)
        get_target_property(parts ${part} LINK_LIBRARIES)
        add_library(${part}_debug OBJECT ${sources})
        target_compile_definitions(${part}_debug PRIVATE FSH_CONFIG_DEBUG=1)
        if(parts)
            target_link_libraries(${part}_debug PRIVATE ${parts})
        endif()
    endforeach()
endfunction()
