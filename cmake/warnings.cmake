# One interface target that every target of ours links: warnings and, where asked for, sanitizers.
add_library(roofline_warnings INTERFACE)
if(NOT ROOFLINE_JOINED)  # there a local name may be that of something in another file
  set(shadow -Wshadow)
endif()
target_compile_options(roofline_warnings INTERFACE -Wall -Wextra ${shadow} -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 reports std::string concatenation at -O3 as overlapping, or as too long (GCC bugs 105329, 105651).
  target_compile_options(roofline_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow)
else()
  # As GCC means them: its -Wconversion is without signs; what libstdc++ itself calls; pragmas of the other compiler.
  target_compile_options(roofline_warnings INTERFACE -Wno-sign-conversion -Wno-deprecated-declarations -Wno-unknown-pragmas)
endif()
if(ROOFLINE_WARNINGS_AS_ERRORS)
  target_compile_options(roofline_warnings INTERFACE -Werror)
endif()
if(ROOFLINE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

# Test programs are linked in a fraction of the time, some two hundred of them in the preset dev.
find_program(ROOFLINE_LLD ld.lld)
if(ROOFLINE_LLD AND (ROOFLINE_WARNINGS_AS_ERRORS OR ROOFLINE_SANITIZE))
  string(APPEND CMAKE_EXE_LINKER_FLAGS " -fuse-ld=lld")
endif()
