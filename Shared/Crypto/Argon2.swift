internal import CArgon2
import Glibc

/// The memory-hard hash for passwords (RFC 9106).
package enum Argon2 {
    /// Which function of the family. New passwords use `id`; the others are for imported ones.
    package enum Variant: String, CaseIterable, Codable, Sendable { case d, i, id }

    /// 1.0 is for imported passwords only.
    package enum Version: String, CaseIterable, Codable, Sendable { case v10, v13 }

    /// The cost and the length of a hash.
    package struct Parameters: Equatable, Sendable {
        /// Memory in KiB, at least 8 for each lane.
        package var memoryKiB: Int
        /// Passes over the memory, at least 1.
        package var iterations: Int
        /// Lanes. They change the result; the lanes are computed one after another.
        package var parallelism: Int
        /// Length of the result, at least 4.
        package var tagBytes: Int

        package init(memoryKiB: Int, iterations: Int, parallelism: Int, tagBytes: Int) {
            self.memoryKiB = memoryKiB
            self.iterations = iterations
            self.parallelism = parallelism
            self.tagBytes = tagBytes
        }

        /// The minimum parameters for new passwords (security rules, section 0).
        package static let standard = Parameters(memoryKiB: 19_456, iterations: 2, parallelism: 1, tagBytes: 32)
    }

    /// Memory for hashes one after the other. The kernel clears new memory, which takes a tenth of the time of a hash. The
    /// library clears used memory, so nothing of a password remains in it.
    package final class Memory: Sendable {
        /// A number, because the pointer is not `Sendable`. Only one hash at a time uses it.
        private let address: UInt
        private let byteCount: Int

        /// - Throws: `CryptoError.parameters` without memory.
        package init(for parameters: Parameters) throws(CryptoError) {
            guard let memoryKiB = UInt32(exactly: parameters.memoryKiB) else { throw .parameters("out of range") }
            byteCount = Argon2.wholeHugePages(Int(memoryKiB) * 1024)
            guard let pages = Argon2.map(byteCount) else { throw .parameters("no memory") }
            address = UInt(bitPattern: pages)
        }

        deinit { munmap(UnsafeMutableRawPointer(bitPattern: address), byteCount) }

        /// - Returns: nil if it is too small.
        func pages(_ byteCount: Int) -> UnsafeMutableRawPointer? {
            byteCount <= self.byteCount ? UnsafeMutableRawPointer(bitPattern: address) : nil
        }

        fileprivate func contains(_ block: UnsafeMutablePointer<UInt8>?) -> Bool { UInt(bitPattern: block) == address }
    }

    /// That of the current hash: the library gives its callbacks no context.
    @TaskLocal private static var memory: Memory?

    /// Hashes a password. It takes tens of milliseconds of one processor, and `memoryKiB` of memory: run it in a
    /// `BlockingPool` only.
    /// - Parameters:
    ///   - salt: at least 8 bytes; 16 random ones for a new password.
    ///   - secret: the pepper, kept outside the database; may be empty.
    ///   - associatedData: bound to the result; may be empty.
    ///   - variant: another one than `id` only for imported passwords, as for `version`.
    ///   - memory: used if it is large enough, by one hash at a time. Other memory is returned to the system at once.
    /// - Throws: `CryptoError.parameters` for parameters that the algorithm does not allow, or without memory.
    package static func hash(
        password: [UInt8], salt: [UInt8], secret: [UInt8] = [], associatedData: [UInt8] = [], _ parameters: Parameters,
        variant: Variant = .id, version: Version = .v13, in memory: Memory? = nil
    ) throws(CryptoError) -> [UInt8] {
        guard let memoryKiB = UInt32(exactly: parameters.memoryKiB),
            let passes = UInt32(exactly: parameters.iterations),
            let lanes = UInt32(exactly: parameters.parallelism), let tagBytes = UInt32(exactly: parameters.tagBytes)
        else { throw .parameters("out of range") }
        var tag = [UInt8](repeating: 0, count: parameters.tagBytes)
        // The library reads its inputs through pointers to mutable memory, but without the flags to erase them it does
        // not write to them.
        var (password, salt, secret, associatedData) = (password, salt, secret, associatedData)
        let code = tag.withUnsafeMutableBufferPointer { tag in
            password.withUnsafeMutableBufferPointer { password in
                salt.withUnsafeMutableBufferPointer { salt in
                    secret.withUnsafeMutableBufferPointer { secret in
                        associatedData.withUnsafeMutableBufferPointer { associatedData in
                            var context = argon2_context(
                                out: tag.baseAddress, outlen: tagBytes,
                                pwd: password.baseAddress, pwdlen: UInt32(password.count),
                                salt: salt.baseAddress, saltlen: UInt32(salt.count),
                                secret: secret.baseAddress, secretlen: UInt32(secret.count),
                                ad: associatedData.baseAddress, adlen: UInt32(associatedData.count),
                                t_cost: passes, m_cost: memoryKiB, lanes: lanes,
                                threads: 1,  // The pool limits the processors for hashing.
                                version: version.number,
                                allocate_cbk: allocate, free_cbk: free, flags: 0)
                            return $memory.withValue(memory) { argon2_ctx(&context, variant.type) }
                        }
                    }
                }
            }
        }
        guard code == ARGON2_OK.rawValue else { throw .parameters(String(cString: argon2_error_message(code))) }
        return tag
    }

    // `malloc` would keep the memory of many concurrent hashes. Mapped pages are returned to the system.

    private static let allocate: allocate_fptr = { memory, count in
        guard let pages = Argon2.memory?.pages(count) ?? map(wholeHugePages(count)) else {
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        memory?.pointee = pages.assumingMemoryBound(to: UInt8.self)
        return ARGON2_OK.rawValue
    }

    private static let free: deallocate_fptr = { memory, count in
        if let kept = Argon2.memory, kept.contains(memory) { return }
        // It fails only for pages that are not mapped.
        munmap(memory, wholeHugePages(count))
    }

    /// - Returns: nil without memory.
    private static func map(_ byteCount: Int) -> UnsafeMutableRawPointer? {
        let pages = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard pages != MAP_FAILED else { return nil }
        // Thousands of page faults take a third of the time of a hash. This is only advice: without it the result is
        // the same.
        madvise(pages, byteCount, MADV_HUGEPAGE)
        return pages
    }

    /// Linux aligns a mapping to huge pages only if its length is a multiple of theirs. The rest of the last page is never
    /// used.
    private static func wholeHugePages(_ byteCount: Int) -> Int {
        let pageBytes = 2 << 20
        return byteCount.isMultiple(of: pageBytes) ? byteCount : (byteCount / pageBytes + 1) * pageBytes
    }
}

extension Argon2.Variant {
    fileprivate var type: argon2_type {
        switch self {
        case .d: Argon2_d
        case .i: Argon2_i
        case .id: Argon2_id
        }
    }
}

extension Argon2.Version {
    fileprivate var number: UInt32 {
        switch self {
        case .v10: UInt32(ARGON2_VERSION_10.rawValue)
        case .v13: UInt32(ARGON2_VERSION_13.rawValue)
        }
    }
}
