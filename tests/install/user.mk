# SPDX-License-Identifier: BSD-3-Clause
# A makefile as GASNet programs have it: FRAGMENT is an installed .mak file.
include $(FRAGMENT)
all: sum sumxx flood
flood: flood.c
	$(GASNET_CC) -std=gnu17 -Wall -Wextra $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) \
	    -c -o flood.o $<
	$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ flood.o $(GASNET_LIBS)
sum: sum.c
	$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -c -o sum.o $<
	$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ sum.o $(GASNET_LIBS)
sumxx: sum.cc
	$(GASNET_CXX) $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) -c -o sumxx.o $<
	$(GASNET_CXX) $(GASNET_LDFLAGS) -o $@ sumxx.o $(GASNET_LIBS)
