#----------------------------------------------------------------
# Generated CMake target import file for configuration "RelWithDebInfo".
#----------------------------------------------------------------

# Commands may need to know the format version.
set(CMAKE_IMPORT_FILE_VERSION 1)

# Import target "FSHMEM::fshmem" for configuration "RelWithDebInfo"
set_property(TARGET FSHMEM::fshmem APPEND PROPERTY IMPORTED_CONFIGURATIONS RELWITHDEBINFO)
set_target_properties(FSHMEM::fshmem PROPERTIES
  IMPORTED_LOCATION_RELWITHDEBINFO "${_IMPORT_PREFIX}/lib/libfshmem.so.1.0.0"
  IMPORTED_SONAME_RELWITHDEBINFO "libfshmem.so.1"
  )

list(APPEND _cmake_import_check_targets FSHMEM::fshmem )
list(APPEND _cmake_import_check_files_for_FSHMEM::fshmem "${_IMPORT_PREFIX}/lib/libfshmem.so.1.0.0" )

# Import target "FSHMEM::fshmem_static" for configuration "RelWithDebInfo"
set_property(TARGET FSHMEM::fshmem_static APPEND PROPERTY IMPORTED_CONFIGURATIONS RELWITHDEBINFO)
set_target_properties(FSHMEM::fshmem_static PROPERTIES
  IMPORTED_LINK_INTERFACE_LANGUAGES_RELWITHDEBINFO "C"
  IMPORTED_LOCATION_RELWITHDEBINFO "${_IMPORT_PREFIX}/lib/libfshmem.a"
  )

list(APPEND _cmake_import_check_targets FSHMEM::fshmem_static )
list(APPEND _cmake_import_check_files_for_FSHMEM::fshmem_static "${_IMPORT_PREFIX}/lib/libfshmem.a" )

# Import target "FSHMEM::fshmem_tools" for configuration "RelWithDebInfo"
set_property(TARGET FSHMEM::fshmem_tools APPEND PROPERTY IMPORTED_CONFIGURATIONS RELWITHDEBINFO)
set_target_properties(FSHMEM::fshmem_tools PROPERTIES
  IMPORTED_LINK_INTERFACE_LANGUAGES_RELWITHDEBINFO "C"
  IMPORTED_LOCATION_RELWITHDEBINFO "${_IMPORT_PREFIX}/lib/libfshmem_tools.a"
  )

list(APPEND _cmake_import_check_targets FSHMEM::fshmem_tools )
list(APPEND _cmake_import_check_files_for_FSHMEM::fshmem_tools "${_IMPORT_PREFIX}/lib/libfshmem_tools.a" )

# Commands beyond this point should not need to know the version.
set(CMAKE_IMPORT_FILE_VERSION)
