# SPDX-License-Identifier: BSD-3-Clause
# A makefile as programs have it that use the tools alone.
include $(FRAGMENT)
all: tools toolsxx
tools: tools.c
	$(GASNETTOOLS_CC) -Wall -Wextra -Werror $(GASNETTOOLS_CPPFLAGS) \
	    $(GASNETTOOLS_CFLAGS) -c -o tools.o $<
	$(GASNETTOOLS_LD) $(GASNETTOOLS_LDFLAGS) -o $@ tools.o $(GASNETTOOLS_LIBS)
toolsxx: tools.cc
	$(GASNETTOOLS_CXX) -Wall -Wextra -Werror $(GASNETTOOLS_CPPFLAGS) \
	    $(GASNETTOOLS_CXXFLAGS) -c -o toolsxx.o $<
	$(GASNETTOOLS_CXX) $(GASNETTOOLS_LDFLAGS) -o $@ toolsxx.o $(GASNETTOOLS_LIBS)
