// glibc's allocator options, which Swift's Glibc module omits: mallopt(3).
#include <malloc.h>
