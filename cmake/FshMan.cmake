# SPDX-License-Identifier: BSD-3-Clause
# Manual pages, made by scripts/man.py from the tools' --help, the headers and
# docs/, so that nothing is duplicated.

if(NOT FSH_PYTHON OR NOT TARGET fshrun OR FSH_SANITIZE)
    return()
endif()
set(man_tools)
foreach(tool fshrun fshinfo fshperf fshtrace fshsim fshsim-wide fshsim-checked)
    if(TARGET ${tool})
        list(APPEND man_tools ${tool})
    endif()
endforeach()
list(TRANSFORM man_tools REPLACE "(.+)" "$<TARGET_FILE:\\1>"
     OUTPUT_VARIABLE man_programs)
list(APPEND man_programs ${PROJECT_BINARY_DIR}/bin/fshmodel)
file(GLOB man_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/01_user/*.md
     ${PROJECT_SOURCE_DIR}/docs/02_reference/*.md
     ${PROJECT_SOURCE_DIR}/include/*.h ${PROJECT_SOURCE_DIR}/tools/fshmodel/*.py)
set(man_pages ${PROJECT_BINARY_DIR}/man)
add_custom_command(OUTPUT ${man_pages}/stamp
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${man_pages}
    COMMAND ${FSH_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/man.py
            ${man_pages} ${PROJECT_VERSION} ${man_programs}
    COMMAND ${CMAKE_COMMAND} -E touch ${man_pages}/stamp
    DEPENDS ${man_tools} ${man_sources} ${PROJECT_SOURCE_DIR}/scripts/man.py
    COMMENT "Manual pages" VERBATIM)
add_custom_target(fsh_man ALL DEPENDS ${man_pages}/stamp)
add_dependencies(fsh_installed fsh_man)
install(DIRECTORY ${man_pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}
        PATTERN stamp EXCLUDE)

if(FSH_TESTS)
    add_test(NAME install/man COMMAND ${FSH_PYTHON}
             ${PROJECT_SOURCE_DIR}/tests/install/test_man.py ${man_pages}
             ${man_programs})
    fsh_test_properties(install/man LABELS install)
    set_tests_properties(install/man PROPERTIES
        PASS_REGULAR_EXPRESSION "man: pass")
endif()
