# SPDX-License-Identifier: BSD-3-Clause
# FSH_PYTHON: the command that starts a script of this project; empty if there is no Python.
# The interpreter itself, not a wrapper that looks for one (pyenv's shims), and without
# site packages, which no script needs: both would take longer than most jobs that
# tests start.

find_package(Python3 COMPONENTS Interpreter)
set(FSH_PYTHON "")
if(Python3_Interpreter_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
        OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT EXISTS "${python}")
        set(python ${Python3_EXECUTABLE})
    endif()
    set(FSH_PYTHON ${python} -S)
endif()
