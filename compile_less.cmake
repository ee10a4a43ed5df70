# What makes a build from nothing take half the time, where a preset asks for it: headers that most files include are
# compiled once for all targets, and the files of a folder as one file. So no name stands for two things in a folder.
# The presets `debug` and `tidy` do neither: there a file is compiled alone, and must include what it uses.
set(precompiled_headers
  <algorithm> <array> <bit> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <mutex> <numeric>
  <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <utility> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h>)

find_package(fmt REQUIRED)
get_target_property(definitions_of_fmt fmt::fmt INTERFACE_COMPILE_DEFINITIONS)
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
add_library(headlight_precompiled OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
target_link_libraries(headlight_precompiled PRIVATE fmt::fmt headlight_warnings)
target_precompile_headers(headlight_precompiled PRIVATE ${precompiled_headers})

function(precompile target)
  # What is compiled once holds for those with the same definitions.
  target_compile_definitions(${target} PRIVATE ${definitions_of_fmt})
  target_precompile_headers(${target} REUSE_FROM headlight_precompiled)
endfunction()

# Stages are left alone: each has its own compute(), code() and so on.
function(join_files_of_folders target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  # A file that stands in another is taken for a header, whose types must not stand on those of one file alone.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(files ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(file IN LISTS files)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${folder})
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE place)
    cmake_path(GET place PARENT_PATH room)
    if(room MATCHES "^(app|core)/" AND NOT room STREQUAL core/stages)
      string(MAKE_C_IDENTIFIER ${room} room)
      set_property(SOURCE ${file} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${room})
    endif()
  endforeach()
endfunction()

function(compile_less folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(kind ${target} TYPE)
    if(kind MATCHES "^(STATIC_LIBRARY|OBJECT_LIBRARY|EXECUTABLE)$" AND NOT target STREQUAL headlight_precompiled)
      precompile(${target})
      join_files_of_folders(${target})
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(inner IN LISTS folders)
    compile_less(${inner})
  endforeach()
endfunction()
cmake_language(DEFER CALL compile_less ${PROJECT_SOURCE_DIR})
