import TestSupport
import Testing

/// Complete journeys through real processes. Serialized: each test runs a mesh of several processes, and a machine with
/// two cores can serve one mesh.
@Suite(.serialized, .timeLimit(.minutes(3)))
enum MeshTests {}

/// The database engine of a mesh. Journeys are the same on both.
enum MeshEngine: CaseIterable, CustomTestStringConvertible {
    case sqlite, postgres

    var testDescription: String {
        switch self {
        case .sqlite: "SQLite"
        case .postgres: "PostgreSQL"
        }
    }

    /// Settings for a mesh with an empty database.
    func settings() async throws -> [String: String] {
        switch self {
        case .sqlite: [:]
        case .postgres: ["LATCHKEY_DATABASE_URL": try await RunningPostgres.shared().makeDatabase()]
        }
    }
}

/// Runs a test body with a mesh, and stops the mesh after any result of the body. The report of a failure contains the
/// log.
func withMesh(
    _ arguments: [String] = [], on engine: MeshEngine = .sqlite, environment: [String: String] = [:],
    connections: Int = 16, diskMegabytes: Int? = nil, descriptors: Int? = nil,
    _ body: (RunningMesh) async throws -> Void
) async throws {
    try await RunningMesh.running(
        arguments, environment: engine.settings().merging(environment) { $1 }, connections: connections,
        diskMegabytes: diskMegabytes, descriptors: descriptors
    ) { mesh in
        do {
            try await body(mesh)
        } catch {
            Attachment.record(mesh.log, named: "mesh.log")
            throw error
        }
    }
}
