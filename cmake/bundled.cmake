# What a cross build needs and this machine's packages do not bring. Headers are this machine's. GoogleTest is Debian's
# source, and libsodium's primitives are those of the WebAssembly build. OpenSSL is Debian's for arm64.
enable_language(C)
set(CMAKE_UNITY_BUILD_KEPT ${CMAKE_UNITY_BUILD})
set(CMAKE_UNITY_BUILD OFF)

# /usr/include itself would bring this machine's C library.
set(headers ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${headers})
foreach(library boost nlohmann)
  file(CREATE_LINK /usr/include/${library} ${headers}/${library} SYMBOLIC)
endforeach()
add_library(futurerand_headers INTERFACE)
target_include_directories(futurerand_headers SYSTEM INTERFACE ${headers})
add_library(Boost::headers ALIAS futurerand_headers)
add_library(nlohmann_json::nlohmann_json ALIAS futurerand_headers)

execute_process(COMMAND ${PROJECT_SOURCE_DIR}/bindings/js/install_packages ${PROJECT_BINARY_DIR}/packages.stamp
                COMMAND_ERROR_IS_FATAL ANY)
set(sodium ${PROJECT_SOURCE_DIR}/bindings/js/node_modules/sodium/deps/libsodium/src/libsodium)
add_library(futurerand_sodium STATIC ${PROJECT_SOURCE_DIR}/bindings/sodium/sodium.c)
target_include_directories(futurerand_sodium
                           PUBLIC ${PROJECT_SOURCE_DIR}/bindings/sodium
                           PRIVATE ${sodium} ${sodium}/include/sodium ${sodium}/crypto_generichash/blake2b/ref
                                   ${sodium}/crypto_stream/chacha20)
target_include_directories(futurerand_sodium SYSTEM PUBLIC ${sodium}/include)
target_compile_options(futurerand_sodium PRIVATE -w)
target_compile_definitions(futurerand_sodium PRIVATE CONFIGURED=1)
set_target_properties(futurerand_sodium PROPERTIES POSITION_INDEPENDENT_CODE ON)
add_library(PkgConfig::sodium ALIAS futurerand_sodium)

if(FUTURERAND_TRANSPORT)
  set(foreign ${PROJECT_BINARY_DIR}/foreign)
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/foreign_packages arm64 ${foreign} libssl-dev libssl3
                  COMMAND_ERROR_IS_FATAL ANY)
  set(foreign_libraries ${foreign}/usr/lib/aarch64-linux-gnu)
  foreach(library IN ITEMS Crypto SSL)
    string(TOLOWER ${library} name)
    add_library(OpenSSL::${library} SHARED IMPORTED GLOBAL)
    set_target_properties(OpenSSL::${library} PROPERTIES
                          IMPORTED_LOCATION ${foreign_libraries}/lib${name}.so
                          INTERFACE_INCLUDE_DIRECTORIES "${foreign}/usr/include;${foreign}/usr/include/aarch64-linux-gnu")
  endforeach()
  target_link_libraries(OpenSSL::SSL INTERFACE OpenSSL::Crypto)
endif()

if(BUILD_TESTING)
  set(INSTALL_GTEST OFF)
  add_subdirectory(/usr/src/googletest/googletest googletest EXCLUDE_FROM_ALL SYSTEM)
endif()
set(CMAKE_UNITY_BUILD ${CMAKE_UNITY_BUILD_KEPT})
