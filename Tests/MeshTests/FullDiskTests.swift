import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// The disk is full: writes are refused, reads continue, and after space is free again the mesh works without a
    /// restart.
    @Suite struct FullDiskTests {
        @Test func writesAreRefusedUntilSpaceIsFree() async throws {
            try await withMesh(["--only", "gateway,identity"], diskMegabytes: 8) { mesh in
                let processes = mesh.pids
                var people = [TestUser()]
                let tokens = try Tokens(await mesh.client.signUp(people[0]))

                let filler = mesh.seenDataDirectory + "/filler"
                try fill(filler)
                // The journal still has space for some writes.
                var refusal: HTTPClientResponse?
                while refusal == nil {
                    let person = TestUser()
                    let response = try await mesh.client.signUp(person)
                    if response.status == 200 { people.append(person) } else { refusal = response }
                }
                #expect(refusal?.asksToComeAgain == true, "\(refusal?.summary ?? "no refusal")")
                #expect(try await mesh.client.lookUp(tokens.idToken).status == 200)
                for _ in 0..<30 { _ = try await mesh.client.signUp(TestUser()) }
                // One line for each reason of the engine, not for each request.
                #expect((1...4).contains(mesh.lines(of: "bus.handler-failed").count))

                try FileManager.default.removeItem(atPath: filler)
                try await eventually("there was room again") {
                    let person = TestUser()
                    guard try await mesh.client.signUp(person).status == 200 else { return false }
                    people.append(person)
                    return true
                }
                for person in people { #expect(try await mesh.client.signIn(person).status == 200) }
                #expect(mesh.pids == processes)
            }
        }

        /// Writes until the disk is full.
        private func fill(_ path: String) throws {
            let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
            try #require(file >= 0)
            defer { close(file) }
            let zeros = [UInt8](repeating: 0, count: 4096)
            while write(file, zeros, zeros.count) > 0 {}
            #expect(errno == ENOSPC)
        }
    }
}
