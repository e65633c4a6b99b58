# SPDX-License-Identifier: BSD-3-Clause
# verilate() takes seconds to minutes when a target is configured and prints only
# "Executing Verilator..."; this also prints the name.
# fsh_verilate(<target> <arguments of verilate; PREFIX and TOP_MODULE are needed>)
function(fsh_verilate target)
    cmake_parse_arguments(A "" "PREFIX;TOP_MODULE" "" ${ARGN})
    get_target_property(dir ${target} BINARY_DIR)
    set(dir ${dir}/CMakeFiles/${target}.dir/${A_PREFIX}.dir)
    if(NOT EXISTS ${dir}/verilator_args.txt)
        message(STATUS "Verilator: ${A_TOP_MODULE} for ${target}")
    endif()
    set(CMAKE_MESSAGE_LOG_LEVEL NOTICE) # in here; its failures are said
    verilate(${target} ${ARGN})
endfunction()

# Cold code of a model (run once or never), which costs half of the compile time.
set(FSH_VERILATED_COLD "/[^/]*__(Slow|Syms|Trace|ConstPool|Dpi)[^/]*\\.cpp$")

# fsh_take(<target> <regular expression> <list>): moves these sources to the list.
function(fsh_take target regex list)
    get_target_property(sources ${target} SOURCES)
    set(taken ${sources})
    list(FILTER taken INCLUDE REGEX "${regex}")
    list(FILTER sources EXCLUDE REGEX "${regex}")
    set_property(TARGET ${target} PROPERTY SOURCES ${sources})
    set(${list} ${taken} PARENT_SCOPE)
endfunction()

# fsh_like(<target> <model>): uses the include paths and definitions of the model.
function(fsh_like target model)
    foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS COMPILE_FEATURES
            VERILATOR_TRACE VERILATOR_TRACE_FST POSITION_INDEPENDENT_CODE)
        get_target_property(value ${model} ${property})
        if(NOT value MATCHES "-NOTFOUND$")
            set_property(TARGET ${target} PROPERTY ${property} ${value})
        endif()
    endforeach()
endfunction()

# fsh_share_runtime(<model> <library>): Verilator's own sources are compiled once,
# in the library, for all models of one set of definitions.
function(fsh_share_runtime model library)
    fsh_take(${model} "/verilated[^/]*\\.cpp$" runtime)
    if(NOT TARGET ${library})
        add_library(${library} STATIC)
        fsh_like(${library} ${model})
        get_target_property(options ${model} COMPILE_OPTIONS)
        target_compile_options(${library} PRIVATE ${options})
    endif()
    target_sources(${library} PRIVATE ${runtime})
    target_link_libraries(${model} PUBLIC ${library})
endfunction()

# fsh_split_cold(<model>): <model>_cold, objects of the cold code, without
# optimization and in unity batches, as all include the same large header.
function(fsh_split_cold model)
    fsh_take(${model} "${FSH_VERILATED_COLD}" cold)
    add_library(${model}_cold OBJECT ${cold})
    fsh_like(${model}_cold ${model})
    target_compile_options(${model}_cold PRIVATE -w -g0 -O0)
    set_target_properties(${model}_cold PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    target_sources(${model} PRIVATE $<TARGET_OBJECTS:${model}_cold>)
endfunction()
