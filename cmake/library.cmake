# How Headlight's libraries and programs are compiled.

# A warning that only some other compiler gives must not keep anybody from running the program. What CI said when CMake was
# first configured here stays: if it changed with each shell's environment, so would the command of every source.
set(HEADLIGHT_WARNINGS_ARE_ERRORS "$ENV{CI}" CACHE BOOL "Whether a warning of the compiler is an error")
add_library(headlight_warnings INTERFACE)
target_compile_options(headlight_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion $<$<BOOL:${HEADLIGHT_WARNINGS_ARE_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Loops without branches use & instead of &&; libstdc++ uses features that it has deprecated; and a build for tests may
  # not be able to vectorise a loop.
  target_compile_options(headlight_warnings INTERFACE
    -Wno-bitwise-instead-of-logical -Wno-deprecated-declarations -Wno-pass-failed)
  if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    # Indices have 64 bits everywhere; on a 32-bit machine the sizes of things in memory have 32.
    target_compile_options(headlight_warnings INTERFACE -Wno-shorten-64-to-32)
  endif()
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # After inlining, GCC's warnings about memory are often wrong for std::string and Eigen, and differ between versions
  # and -O levels (GCC bugs 105329 and 105651). They are shown, but do not stop the build.
  foreach(guess IN ITEMS array-bounds maybe-uninitialized restrict stringop-overflow stringop-overread)
    target_compile_options(headlight_warnings INTERFACE -Wno-error=${guess})
  endforeach()
endif()

# How a release is optimized, but for what is FAST: those parts get CMake's -O3. Half of what GCC took to compile the rest
# went into optimizing code that runs once for each frame or each file. In the edition for browsers that code is made as
# small as it can be, because everybody loads it; the one that tests need is built in a hurry, and is left as it is.
if(NOT EMSCRIPTEN)
  set(HEADLIGHT_OPTIMIZATION $<$<CONFIG:Release>:-O1>)
elseif(NOT HEADLIGHT_QUICK_PAGE)
  set(HEADLIGHT_OPTIMIZATION $<$<CONFIG:Release>:-Oz>)
endif()

# headlight_precompile(NAME [FAST] [OPTIONS option...] [HEADERS header...] [LIBRARIES library...]): the headers that most
# files include, compiled once for all targets with these options; and more headers, which need these libraries.
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "")
function(headlight_precompile name)
  cmake_parse_arguments(ARG FAST "" "OPTIONS;HEADERS;LIBRARIES" ${ARGN})
  add_library(${name} OBJECT ${PROJECT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PRIVATE fmt::fmt headlight_warnings ${ARG_LIBRARIES})
  if(NOT ARG_FAST)
    target_compile_options(${name} PRIVATE ${HEADLIGHT_OPTIMIZATION})
  endif()
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE
    <algorithm> <array> <bit> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory> <mutex> <numeric>
    <optional> <set> <span> <sstream> <stdexcept> <string> <string_view> <tuple> <utility> <variant> <vector>
    <fmt/format.h> <fmt/ranges.h> ${ARG_HEADERS})
endfunction()
headlight_precompile(headlight_precompiled)

# Links the libraries that only the target's own sources need, and says how it is compiled.
function(headlight_compile target)
  target_link_libraries(${target} PRIVATE ${ARGN} fmt::fmt headlight_warnings)
  # GCC takes the sources of a unity build for headers, and would warn about types that use a source's own types.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  target_precompile_headers(${target} REUSE_FROM headlight_precompiled)
endfunction()

# headlight_library(NAME [FAST] [FOLDERS folder...] [FILES file...] [EXCLUDE source...] [PUBLIC library...]
#                   [PRIVATE library...] [PRIVATE_HEADERS header...] [PRECOMPILED name])
# A library of all sources and headers in the folders and in those below them; without FOLDERS and FILES, of those in
# the current one. FAST is for loops over numbers and pixels. EXCLUDE are sources of another machine, in whose place others
# stand. PUBLIC libraries are needed by targets that include its headers, PRIVATE ones only by its sources.
# PRIVATE_HEADERS include a PRIVATE library, so only a target that links with that library can include them. PRECOMPILED
# are headers of its own, compiled once (headlight_precompile).
function(headlight_library name)
  cmake_parse_arguments(ARG FAST "PRECOMPILED" "FOLDERS;FILES;EXCLUDE;PUBLIC;PRIVATE;PRIVATE_HEADERS" ${ARGN})
  if(NOT ARG_FOLDERS AND NOT ARG_FILES)
    set(ARG_FOLDERS .)
  endif()
  set(found)
  if(ARG_FOLDERS)
    list(TRANSFORM ARG_FOLDERS APPEND "/*.[ch]pp")
    file(GLOB_RECURSE found CONFIGURE_DEPENDS ${ARG_FOLDERS})
  endif()
  set(sources)
  set(headers)
  foreach(file IN LISTS found ARG_FILES)
    cmake_path(ABSOLUTE_PATH file NORMALIZE)
    if(file MATCHES "[.]cpp$")
      # The presets switch unity builds on: a folder's sources are then compiled as one.
      cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE group)
      cmake_path(GET group PARENT_PATH group)
      string(MAKE_C_IDENTIFIER ${group} group)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
      list(APPEND sources ${file})
    else()
      list(APPEND headers ${file})
    endif()
  endforeach()
  list(TRANSFORM ARG_EXCLUDE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${ARG_EXCLUDE})
  list(TRANSFORM ARG_PRIVATE_HEADERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM headers ${ARG_PRIVATE_HEADERS})

  add_library(${name} STATIC ${sources})
  target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
  # The target all_verify_interface_header_sets compiles each of these headers alone.
  set_target_properties(${name} PROPERTIES UNITY_BUILD_MODE GROUP VERIFY_INTERFACE_HEADER_SETS ON)
  target_link_libraries(${name} PUBLIC ${ARG_PUBLIC})
  headlight_compile(${name} ${ARG_PRIVATE})
  if(NOT ARG_FAST)
    target_compile_options(${name} PRIVATE ${HEADLIGHT_OPTIMIZATION})
  endif()
  if(ARG_PRECOMPILED)
    set_target_properties(${name} PROPERTIES PRECOMPILE_HEADERS_REUSE_FROM ${ARG_PRECOMPILED})
  elseif(ARG_FAST)
    # Those that are shared are compiled with other options.
    set_target_properties(${name} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# headlight_program(NAME SOURCES source... LIBRARIES library...): a program, each source compiled alone.
function(headlight_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  headlight_compile(${name} ${ARG_LIBRARIES})
  target_compile_options(${name} PRIVATE ${HEADLIGHT_OPTIMIZATION})
endfunction()
