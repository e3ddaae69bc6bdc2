/*
 * short_name: a function's name without what C++ spells out in it: for places with little room. The
 * whole name stands where there is room for it.
 */
#ifndef QUERY_SHORT_NAME_H
#define QUERY_SHORT_NAME_H

/* "v8::JsonParser<unsigned char>::ParseJson" → "v8::JsonParser<…>::ParseJson",
 * "f(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)" →
 * "f(std::string const&)". Arguments of templates that are short stay, as "Serialize_<true>", and
 * so does what is no template: "operator<<", Rust's "<T as Trait>::f". @dots: "…", or what
 * stands for that where signs are ASCII. Freed by the caller. */
char *short_name(const char *name, const char *dots);

#endif
