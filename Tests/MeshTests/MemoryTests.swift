import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    @Suite struct MemoryTests {
        /// glibc would give most threads their own arena, and an arena keeps the memory that it once needed: the memory
        /// of a process grew for hours. The allocator says how many there are.
        @Test func processHasNoMoreArenasThanProcessors() async throws {
            try await withMesh(["--only", "gateway,identity"]) { mesh in
                // Sign-ups use the threads of the bus, the database and the password hashing.
                let responses = try await mesh.client.atOnce(16) { try await $0.signUp(TestUser()) }
                #expect(responses.allSatisfy { $0.status == 200 })
                let name = "latchkey_process_allocator_arenas{process=\"identity.1\""
                var arenas: Int?
                try await eventually("identity reported its arenas after the sign-ups") {
                    let text = String(decoding: try await mesh.client.get("/metrics").body, as: UTF8.self)
                    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
                    arenas = line?.split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
                    return arenas != nil
                }
                #expect((1...ProcessInfo.processInfo.processorCount).contains(try #require(arenas)))
            }
        }
    }
}
