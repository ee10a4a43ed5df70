# The programs of the browser edition: the page, the page with threads, and the command line for Node.js, which the tests
# compare with.
include(${PROJECT_SOURCE_DIR}/cmake/web/relaxed_softmax.cmake)
set(memory -sALLOW_MEMORY_GROWTH -sMAXIMUM_MEMORY=4GB)
set(page ${PROJECT_SOURCE_DIR}/app/platform/web/page.js)

# headlight_web_program(TARGET option...): how a program is linked for browsers or Node.js.
function(headlight_web_program target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${page})
  target_link_options(${target} PRIVATE ${memory} -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_TABLE_GROWTH -sSTACK_SIZE=4MB
    -sEXPORTED_FUNCTIONS=_main,_malloc,_free --js-library ${page}
    # The compiler has made it small already; what the linker could add takes minutes and saves a fiftieth of what is loaded. And
    # with -Oz it takes a C library whose logarithms and powers have other last digits.
    -O1 ${ARGN})
endfunction()
set(for_browsers -sEXIT_RUNTIME=0 -sFORCE_FILESYSTEM -sENVIRONMENT=web,worker -sEXPORTED_RUNTIME_METHODS=FS,ENV,stringToNewUTF8 -sMODULARIZE=0)
set(for_node -sEXIT_RUNTIME=1 -sNODERAWFS -sENVIRONMENT=node)

headlight_web_program(headlight ${for_browsers})
headlight_relaxed_softmax(headlight ${memory})

# The page with threads, for browsers that let it share memory with them: where it is isolated. The loader makes that memory
# and says how many threads there may be; one more can't start, and nothing waits for it.
if(NOT HEADLIGHT_QUICK_PAGE)
  set(shared -pthread -Wno-pthreads-mem-growth)
  headlight_program(headlight_threads SOURCES main.cpp LIBRARIES headlight_commands)
  headlight_web_program(headlight_threads ${for_browsers} ${shared} -sINITIAL_MEMORY=64MB
    -sPTHREAD_POOL_SIZE=Module.most_threads -sPTHREAD_POOL_SIZE_STRICT=2)
  set_target_properties(headlight_threads PROPERTIES OUTPUT_NAME headlight-threads)
  headlight_relaxed_softmax(headlight_threads ${memory} ${shared} -Wno-experimental)
endif()

headlight_program(headlight_node SOURCES main.cpp LIBRARIES headlight_commands)
headlight_web_program(headlight_node ${for_node})
headlight_relaxed_softmax(headlight_node ${memory})
set_target_properties(headlight_node PROPERTIES SUFFIX .cjs)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/assets/models/sentence-encoder.bin ${PROJECT_BINARY_DIR}/sentence-encoder.bin SYMBOLIC)

# The browser's side of tests/benchmarks/web/compare_speed.py, built when somebody asks for it.
headlight_program(headlight_measure_node SOURCES ${PROJECT_SOURCE_DIR}/tests/benchmarks/measure.cpp LIBRARIES headlight_formats nlohmann_json::nlohmann_json)
headlight_web_program(headlight_measure_node ${for_node})
headlight_relaxed_softmax(headlight_measure_node ${memory})
set_target_properties(headlight_measure_node PROPERTIES SUFFIX .cjs EXCLUDE_FROM_ALL ON)
