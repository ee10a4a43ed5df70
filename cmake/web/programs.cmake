# The two programs of the browser edition: the page, and the command line for Node.js, which the tests compare with.

set(options -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH -sALLOW_TABLE_GROWTH -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=4MB
  -sEXPORTED_FUNCTIONS=_main,_malloc,_free)

set(page ${PROJECT_SOURCE_DIR}/app/platform/web/page.js)
set_property(TARGET headlight APPEND PROPERTY LINK_DEPENDS ${page})
target_link_options(headlight PRIVATE ${options} --js-library ${page} -sEXIT_RUNTIME=0 -sFORCE_FILESYSTEM -sENVIRONMENT=web,worker
  -sEXPORTED_RUNTIME_METHODS=FS,ENV,stringToNewUTF8 -sMODULARIZE=0
  # The compiler has made it small already; what the linker could add takes minutes and saves a tenth.
  -O1)

headlight_program(headlight_node SOURCES main.cpp LIBRARIES headlight_commands)
target_include_directories(headlight_node PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(headlight_node PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} SUFFIX .cjs)
set_property(TARGET headlight_node APPEND PROPERTY LINK_DEPENDS ${page})
target_link_options(headlight_node PRIVATE ${options} --js-library ${page} -sEXIT_RUNTIME=1 -sNODERAWFS -sENVIRONMENT=node -O1)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/assets/models/sentence-encoder.bin ${PROJECT_BINARY_DIR}/sentence-encoder.bin SYMBOLIC)

# The browser's side of tests/benchmarks/web/compare_speed.py, built when somebody asks for it.
headlight_program(headlight_measure_node SOURCES ${PROJECT_SOURCE_DIR}/tests/benchmarks/measure.cpp LIBRARIES headlight_formats nlohmann_json::nlohmann_json)
target_include_directories(headlight_measure_node PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(headlight_measure_node PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} SUFFIX .cjs EXCLUDE_FROM_ALL ON)
target_link_options(headlight_measure_node PRIVATE ${options} --js-library ${page} -sEXIT_RUNTIME=1 -sNODERAWFS -sENVIRONMENT=node -O1)
