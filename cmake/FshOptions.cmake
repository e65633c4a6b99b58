# SPDX-License-Identifier: BSD-3-Clause
# Options, compiler flags and output directories of the whole tree.

set(FSH_SANITIZE "" CACHE STRING
    "Sanitizers for the C code: empty, 'address,undefined' or 'thread'")
option(FSH_TESTS "Build tests, and examples with all else" ON)
option(FSH_FLAVOUR_TESTS "Run tests/conform on debug and everything too" ON)
option(FSH_SIMULATOR "Build simulator and RTL tests (needs Verilator)" ON)
# Warnings are errors only with the compilers we test with, so that new warnings of
# newer compilers do not break the build.
set(werror OFF)
if((CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 13)
   OR (CMAKE_C_COMPILER_ID STREQUAL "Clang" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 15))
    set(werror ON)
endif()
option(FSH_WERROR "Warnings in our C code are errors" ${werror})

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
# Assertions stay on: they are cheap, and off only in Release.
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)

# C only: Verilator's C++ is generated.
add_compile_options(
    "$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wshadow;-Wconversion>")
if(FSH_WERROR)
    add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Werror>")
endif()
add_compile_definitions(
    "$<$<COMPILE_LANGUAGE:C>:_GNU_SOURCE;FSH_VERSION=\"${PROJECT_VERSION}\">")

if(FSH_SANITIZE)
    add_compile_options(
        "$<$<COMPILE_LANGUAGE:C>:-fsanitize=${FSH_SANITIZE};-fno-omit-frame-pointer>")
    if(FSH_SANITIZE MATCHES "undefined")
        add_compile_options("$<$<COMPILE_LANGUAGE:C>:-fno-sanitize-recover=undefined>")
    endif()
    add_link_options(-fsanitize=${FSH_SANITIZE})
endif()

find_package(Threads REQUIRED)
include_directories(${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
