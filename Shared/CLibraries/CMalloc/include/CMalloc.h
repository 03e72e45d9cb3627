#pragma once

// glibc's allocator, which Swift's Glibc module omits: malloc_trim(3), malloc_info(3).
#include <malloc.h>
