import Crypto
import Testing

@testable import IdentityService

struct HashingMemoryTests {
    private struct Failure: Error {}

    private let hashing = HashingMemory(for: .init(memoryKiB: 64, iterations: 1, parallelism: 1, tagBytes: 16))

    @Test func memoryIsKeptWhilePasswordsWait() throws {
        let first = try hashing.withMemory(keeping: { true }) { ObjectIdentifier($0) }
        weak var kept: Argon2.Memory?
        let second = try hashing.withMemory(keeping: { true }) { memory in
            kept = memory
            return ObjectIdentifier(memory)
        }
        #expect(first == second)
        #expect(kept != nil)
    }

    @Test func lastPasswordReturnsAllMemory() throws {
        weak var outer: Argon2.Memory?
        weak var inner: Argon2.Memory?
        try hashing.withMemory(keeping: { false }) { first in
            outer = first
            try hashing.withMemory(keeping: { true }) { second in
                inner = second
                #expect(first !== second)
            }
        }
        #expect(outer == nil)
        #expect(inner == nil)
    }

    @Test func failureKeepsMemoryToo() throws {
        weak var kept: Argon2.Memory?
        #expect(throws: Failure.self) {
            try hashing.withMemory(keeping: { true }) { memory in
                kept = memory
                throw Failure()
            }
        }
        #expect(kept != nil)
    }
}
