#pragma once
/* Event descriptors, which Swift's Glibc module omits: eventfd(2). */
#include <sys/eventfd.h>
