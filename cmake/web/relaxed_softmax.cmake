# headlight_relaxed_softmax(TARGET [option...]): embeds softmax once more, as a WebAssembly module of its own with relaxed
# SIMD. A browser without relaxed SIMD would refuse the whole program if that were in it. The options say what memory the
# program has, which is the module's too.
function(headlight_relaxed_softmax target)
  string(MAKE_C_IDENTIFIER "memory${ARGN}" memory)
  set(module ${PROJECT_BINARY_DIR}/${memory}/relaxed_softmax.wasm)
  set(sources ${PROJECT_SOURCE_DIR}/cmake/web/relaxed_softmax.cpp ${PROJECT_SOURCE_DIR}/core/compute/softmax.cpp
    ${PROJECT_SOURCE_DIR}/core/compute/without_relaxed_softmax.cpp)
  set(read ${sources} ${PROJECT_SOURCE_DIR}/core/compute/fused.hpp ${PROJECT_SOURCE_DIR}/core/compute/vectors.hpp)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${read})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/${memory})
  get_target_property(fmt_headers fmt INTERFACE_INCLUDE_DIRECTORIES)
  foreach(file IN LISTS read)
    if(${file} IS_NEWER_THAN ${module})  # or there is no module yet
      execute_process(
        COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -O3 -mrelaxed-simd -mbulk-memory -fno-exceptions -fno-rtti -fPIC
          -I${PROJECT_SOURCE_DIR} -isystem ${fmt_headers} ${sources} ${ARGN} -sSIDE_MODULE=2 -sWASM_BIGINT -nostdlib -o ${module}
        COMMAND_ERROR_IS_FATAL ANY)
      break()
    endif()
  endforeach()
  embed_files(${target} ${module})
endfunction()
