# futurerand_embed(<target> <folder>): builds the files of a folder into a library, which then has
# futurerand::page_assets(). A file that is added, changed or removed is noticed.
function(futurerand_embed target folder)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${folder}/*)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)
  add_custom_command(OUTPUT ${generated}
                     COMMAND Python3::Interpreter ${PROJECT_SOURCE_DIR}/tools/embed.py ${folder} ${generated}
                     DEPENDS ${files} ${PROJECT_SOURCE_DIR}/tools/embed.py
                     COMMENT "Embedding ${folder}")
  set_source_files_properties(${generated} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(${target} PRIVATE ${generated})
endfunction()
