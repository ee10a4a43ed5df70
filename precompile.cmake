# The headers that most files include, compiled once for all targets, which makes a build from nothing a quarter
# shorter. Every file still includes what it uses: the presets `debug` and `tidy` build without.
set(precompiled_headers
  <algorithm> <array> <bit> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>)

function(precompile_for_all folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    if(kind MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$" AND NOT target STREQUAL headlight_precompiled)
      # What is compiled once holds for those with the same definitions.
      target_compile_definitions(${target} PRIVATE ${definitions_of_fmt})
      target_precompile_headers(${target} REUSE_FROM headlight_precompiled)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    precompile_for_all(${inner})
  endforeach()
endfunction()

find_package(fmt REQUIRED)
get_target_property(definitions_of_fmt fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
add_library(headlight_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(headlight_precompiled PRIVATE fmt::fmt headlight_warnings)
target_precompile_headers(headlight_precompiled PRIVATE ${precompiled_headers})
cmake_language(DEFER CALL precompile_for_all ${PROJECT_SOURCE_DIR})
