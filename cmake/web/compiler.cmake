# em++ and emcc are Python programs that start Clang with options of their own. Starting Python takes half a second, and
# there are 370 sources. So they are asked once what they would start, and that compiles the sources; they still link.
function(headlight_start_clang language extension)
  set(source "${PROJECT_BINARY_DIR}/asked.${extension}")
  file(WRITE "${source}" "")
  execute_process(
    COMMAND "${CMAKE_${language}_COMPILER}" -fwasm-exceptions "-###" -c "${source}"
    ERROR_VARIABLE said
    OUTPUT_QUIET)
  if(NOT said MATCHES "([^\n]*clang[^\n]* -target wasm32[^\n]*) -fwasm-exceptions")
    message(FATAL_ERROR "${CMAKE_${language}_COMPILER} does not say how it starts Clang:\n${said}")
  endif()
  string(STRIP "${CMAKE_MATCH_1}" clang)
  set(CMAKE_${language}_COMPILE_OBJECT "${clang} <DEFINES> <INCLUDES> <FLAGS> -o <OBJECT> -c <SOURCE>" PARENT_SCOPE)
endfunction()
headlight_start_clang(C c)
headlight_start_clang(CXX cpp)
