// cflags: -O2 -fomit-frame-pointer -static
/* zone_throw_static: zone_throw, with libc, libstdc++ and the unwinder linked into it. */
#include "zone_throw.cc"
