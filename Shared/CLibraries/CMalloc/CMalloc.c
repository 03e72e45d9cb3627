#include "CMalloc.h"

#include <limits.h>
#include <unistd.h>

// glibc gives most threads their own arena, and each keeps its peak size. After one large block has been freed, it
// takes blocks of that size from the arenas (mallopt(3)). With one arena for each processor and a fixed threshold,
// a process that runs for months stays as small as the memory that it uses.
//
// Before `main`: Swift's runtime starts three threads at the first `await`, and a thread that allocates before the limit
// is set has an arena beyond it.
__attribute__((constructor)) static void bound_heap(void) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    // Both are hints: another allocator does not have these problems.
    mallopt(M_ARENA_MAX, processors < 1 ? 1 : processors > INT_MAX ? INT_MAX : (int)processors);
    mallopt(M_MMAP_THRESHOLD, 256 * 1024);
}
