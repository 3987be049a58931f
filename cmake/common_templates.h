// Templates of the standard library that nearly all sources use. They are instantiated once, with
// optimization (common_templates.cc): a build without optimization compiles less, and its tests
// take two thirds of the time. Only precompiled headers include this; releases inline these
// functions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"

#ifndef HELVE_COMMON_TEMPLATE
#define HELVE_COMMON_TEMPLATE extern template
#endif

HELVE_COMMON_TEMPLATE class std::basic_string<char>;
HELVE_COMMON_TEMPLATE class std::basic_string_view<char>;
HELVE_COMMON_TEMPLATE class std::optional<std::string>;
HELVE_COMMON_TEMPLATE class std::vector<std::string>;
HELVE_COMMON_TEMPLATE class std::vector<std::string_view>;
HELVE_COMMON_TEMPLATE class std::vector<std::pair<std::string, std::string>>;
HELVE_COMMON_TEMPLATE class std::vector<helve::JsonValue>;
HELVE_COMMON_TEMPLATE class std::vector<helve::JsonMember>;
HELVE_COMMON_TEMPLATE class std::set<std::string>;
HELVE_COMMON_TEMPLATE class std::map<std::string, std::string>;

// Their iterators, with the names that they have in libstdc++.
#ifdef __GLIBCXX__
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<char*, std::string>;
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<const char*, std::string>;
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<std::string*, std::vector<std::string>>;
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<const std::string*,
                                                         std::vector<std::string>>;
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<helve::JsonMember*,
                                                         std::vector<helve::JsonMember>>;
HELVE_COMMON_TEMPLATE class __gnu_cxx::__normal_iterator<const helve::JsonMember*,
                                                         std::vector<helve::JsonMember>>;
#endif
