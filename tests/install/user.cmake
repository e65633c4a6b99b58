# SPDX-License-Identifier: BSD-3-Clause
# The CMakeLists.txt of a user of the installed package.
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
find_package(FSHMEM REQUIRED)
foreach(conduit smp fpga)
    foreach(mode seq parsync par)
        add_executable(sum_${conduit}_${mode} sum.c)
        target_link_libraries(sum_${conduit}_${mode}
                              FSHMEM::gasnet-${conduit}-${mode})
        add_executable(flood_${conduit}_${mode} flood.c)
        target_link_libraries(flood_${conduit}_${mode}
                              FSHMEM::gasnet-${conduit}-${mode})
    endforeach()
endforeach()
add_executable(sum_shared sum.cc)
target_compile_definitions(sum_shared PRIVATE GASNET_SEQ)
target_link_libraries(sum_shared FSHMEM::fshmem)
add_executable(flood_shared flood.c)
target_compile_definitions(flood_shared PRIVATE GASNET_SEQ)
target_link_libraries(flood_shared FSHMEM::fshmem)
add_executable(tools tools.c)
target_compile_definitions(tools PRIVATE GASNETT_THREAD_SAFE)
target_link_libraries(tools FSHMEM::fshmem_tools)
