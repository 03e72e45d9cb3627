// glibc's allocator options, which Swift's Glibc module leaves out: mallopt(3).
#include <malloc.h>
