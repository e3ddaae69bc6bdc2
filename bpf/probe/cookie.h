/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cookie: decodes a probe's cookie (wire_cookie()), and decides whether its hits count.
 */
#ifndef PROBE_COOKIE_H
#define PROBE_COOKIE_H

#include "probe/calls.h"

static __always_inline __u32 function_of(__u64 cookie)
{
	return wire_cookie_function(cookie);
}

static __always_inline __u32 flags_of(__u64 cookie)
{
	return cookie >> 21 & 0xff;
}

static __always_inline __u32 condition_of(__u64 cookie)
{
	return cookie >> 29 & 0x1f;
}

static __always_inline __u32 image_of(__u64 cookie)
{
	return cookie >> 34 & (WIRE_PROBE_IMAGES - 1);
}

static __always_inline __u32 actions_of(__u64 cookie)
{
	return cookie >> 54;
}

static __always_inline bool counts_now(__u64 cookie)
{
	return probe_enabled && probe_generation[image_of(cookie)] == (__u8)(cookie >> 46);
}

#endif
