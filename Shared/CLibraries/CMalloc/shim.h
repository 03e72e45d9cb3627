// glibc's allocator options, which Swift's Glibc module omits: mallopt(3), malloc_trim(3).
#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Unmaps the pages of an object's segments that are never written: its code and constants. The kernel maps them again from
   its cache when they are used. Segments that are written once, such as those with relocations, have the flag PF_W. */
static inline int latchkey_release_object(struct dl_phdr_info *object, size_t size, void *context) {
  (void)size;
  (void)context;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W) continue;
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    uintptr_t end = (start + segment->p_memsz) & ~(page - 1);
    start = (start + page - 1) & ~(page - 1);
    /* It fails for the kernel's own object, which has no pages to release. */
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
  }
  return 0;
}

/* Unmaps the code and constants of the executable and its libraries. */
static inline void latchkey_release_code(void) { dl_iterate_phdr(&latchkey_release_object, NULL); }
