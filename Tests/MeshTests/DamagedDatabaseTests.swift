import Foundation
import HTTPClient
import TestSupport
import Testing

extension MeshTests {
    /// The database of one service is damaged: the others continue, and readiness and the log name the service and the
    /// reason.
    @Suite struct DamagedDatabaseTests {
        private static let services = ["--only", "gateway,identity,mfa-totp"]

        /// Overwrites the beginning of a database with noise and kills the process that has it open.
        private func damage(_ service: String, of mesh: RunningMesh) async throws {
            let path = "\(mesh.dataDirectory)/\(service).sqlite"
            // Suspended, so that it writes nothing more. The journal would repair the pages that it contains.
            try await mesh.suspend("\(service).1")
            for journal in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + journal) }
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            try file.truncate(atOffset: 0)
            try file.write(contentsOf: Data("This is not a database, however long one looks at it.".utf8))
            try file.close()
            try await mesh.killAndReplace("\(service).1")
            try await untilUnusable(service, of: mesh)
        }

        private func untilUnusable(_ service: String, of mesh: RunningMesh) async throws {
            try await eventually("\(service) was given up for now") {
                mesh.lines(of: "process.unusable").contains {
                    $0.contains("\(service).1") && $0.contains("is not a SQLite database")
                }
            }
            try await eventually("the gateway says which, and why") {
                let details = try await mesh.client.get("/readyz").summary
                return details.contains("\(service).1") && details.contains("its database cannot be used")
            }
        }

        @Test func otherServicesContinueUntilDatabaseIsRepaired() async throws {
            let mesh = try await RunningMesh(Self.services)
            try await damage("mfa-totp", of: mesh)
            #expect(try await mesh.client.get("/readyz").status == 200)
            #expect(try await mesh.client.signUp(TestUser()).status == 200)
            let launcher = mesh.log
            #expect(!launcher.contains("process.stop-requested"))

            // Also at the next start.
            #expect(try await mesh.stop() == .code(0))
            let next = try await RunningMesh(Self.services, in: mesh.directory)
            try await untilUnusable("mfa-totp", of: next)
            #expect(try await next.client.signUp(TestUser()).status == 200)

            // The operator starts anew.
            for file in try FileManager.default.contentsOfDirectory(atPath: next.dataDirectory)
            where file.hasPrefix("mfa-totp.") {
                try FileManager.default.removeItem(atPath: next.dataDirectory + "/" + file)
            }
            try await eventually("it works again") {
                next.lines(of: "broker.member-joined").contains { $0.contains("service=mfa-totp ") }
            }
            #expect(try await next.stop() == .code(0))
        }

        @Test func meshStaysUnreadyWithoutIdentity() async throws {
            let mesh = try await RunningMesh(Self.services)
            try await damage("identity", of: mesh)
            #expect(try await mesh.client.get("/readyz").status == 503)
            #expect(try await mesh.client.signUp(TestUser()).status == 503)
            #expect(try await mesh.client.get("/livez").status == 200)
            #expect(try await mesh.stop() == .code(0))
        }
    }
}
