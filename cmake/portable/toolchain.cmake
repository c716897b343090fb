# For programs that are handed out built: this machine's g++ against the C library of the folder that `sysroot` made, so
# that they run wherever glibc is at least as new as that one. What is not of that system is linked statically.
set(ROOFLINE_SYSROOT "" CACHE PATH "folder that cmake/portable/sysroot made")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ROOFLINE_SYSROOT)
set(CMAKE_SYSROOT ${ROOFLINE_SYSROOT})

# GCC looks beside itself, where this machine's libraries are, before it looks there.
set(libraries ${ROOFLINE_SYSROOT}/usr/lib/x86_64-linux-gnu)
string(APPEND CMAKE_CXX_FLAGS_INIT " -B${libraries}")
foreach(kind EXE SHARED MODULE)
  string(APPEND CMAKE_${kind}_LINKER_FLAGS_INIT
    " -L${libraries} -L${ROOFLINE_SYSROOT}/lib/x86_64-linux-gnu -Wl,--as-needed")
endforeach()
# The last three are libraries of their own before glibc 2.34.
set(CMAKE_CXX_STANDARD_LIBRARIES_INIT "${ROOFLINE_SYSROOT}/newer_glibc.o -lpthread -ldl -lrt")
