import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    @Suite struct MemoryTests {
        /// glibc would give most threads their own arena, and an arena keeps the memory that it once needed: the memory
        /// of a process grew for hours. An arena starts at a multiple of 64 MiB.
        @Test func processHasNoMoreArenasThanProcessors() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                // Sign-ups use the threads of the bus, the database and the password hashing.
                let responses = try await mesh.client.atOnce(16) { try await $0.signUp(TestUser()) }
                #expect(responses.allSatisfy { $0.status == 200 })
                let pid = try #require(mesh.pids["identity.1"])
                let maps = String(
                    decoding: try #require(FileManager.default.contents(atPath: "/proc/\(pid)/maps")), as: UTF8.self)
                let arenas = maps.split(separator: "\n").filter { line in
                    guard let start = line.split(separator: "-").first.flatMap({ UInt64($0, radix: 16) }) else {
                        return false
                    }
                    return start % (64 << 20) == 0 && line.contains(" rw-p 00000000 00:00 0")
                }
                #expect(arenas.count <= ProcessInfo.processInfo.processorCount, "\(arenas)")
            }
        }
    }
}
