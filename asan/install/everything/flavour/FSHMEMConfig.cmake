# SPDX-License-Identifier: BSD-3-Clause
# find_package(FSHMEM) gives
#   FSHMEM::fshmem, FSHMEM::fshmem_static    the library; choose the thread mode
#                                            yourself (GASNET_SEQ, _PARSYNC, _PAR)
#   FSHMEM::gasnet-<conduit>-<mode>          the library with mode and default
#                                            conduit chosen: smp, ofi, fpga; seq,
#                                            parsync, par
#   FSHMEM_FSHRUN                            the launcher

####### Expanded from @PACKAGE_INIT@ by configure_package_config_file() #######
####### Any changes to this file will be overwritten by the next CMake run ####
####### The input file was FSHMEMConfig.cmake.in                            ########

get_filename_component(PACKAGE_PREFIX_DIR "${CMAKE_CURRENT_LIST_DIR}/../../../../" ABSOLUTE)

macro(set_and_check _var _file)
  set(${_var} "${_file}")
  if(NOT EXISTS "${_file}")
    message(FATAL_ERROR "File or directory ${_file} referenced by variable ${_var} does not exist !")
  endif()
endmacro()

macro(check_required_components _NAME)
  foreach(comp ${${_NAME}_FIND_COMPONENTS})
    if(NOT ${_NAME}_${comp}_FOUND)
      if(${_NAME}_FIND_REQUIRED_${comp})
        set(${_NAME}_FOUND FALSE)
      endif()
    endif()
  endforeach()
endmacro()

####################################################################################
include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/FSHMEMTargets.cmake)
set_and_check(FSHMEM_FSHRUN "${PACKAGE_PREFIX_DIR}/bin/fshrun")

foreach(_fsh_conduit smp ofi fpga)
    foreach(_fsh_mode seq parsync par)
        set(_fsh_target FSHMEM::gasnet-${_fsh_conduit}-${_fsh_mode})
        if(NOT TARGET ${_fsh_target})
            string(TOUPPER ${_fsh_conduit} _fsh_c)
            string(TOUPPER ${_fsh_mode} _fsh_m)
            add_library(${_fsh_target} INTERFACE IMPORTED)
            set_target_properties(${_fsh_target} PROPERTIES
                INTERFACE_LINK_LIBRARIES "FSHMEM::fshmem_static;Threads::Threads"
                INTERFACE_COMPILE_DEFINITIONS
                    "GASNET_${_fsh_m}=1;GASNET_CONDUIT_${_fsh_c}=1")
        endif()
    endforeach()
endforeach()
check_required_components(FSHMEM)
