import Contracts
import FoundationEssentials
import JSON
import MasterKey
import SQL
import Vocabulary

/// A stored project.
struct Project: Equatable, Sendable {
    var id: ProjectID
    /// Twelve digits: the project number of some clients.
    var number: String
    var apiKey: String
    var configuration: ProjectConfiguration
    /// Increases with every change.
    var revision: Int64
    /// True for a tenant that permits no sign-in.
    var isDisabled = false

    /// Applies the configuration of a tenant over that of the project.
    mutating func enter(_ tenant: Identity.Tenant) {
        configuration = configuration.applying(tenant.configuration)
        isDisabled = tenant.configuration.disableAuth ?? false
    }
}

extension IdentityStore {
    func project(_ id: ProjectID) async throws -> Project? {
        try await read { transaction in try transaction.project(id) }
    }

    /// Creates a project, unless another process created it first; returns the stored one.
    func createProject(_ project: Project, at now: Moment, audit: AuditEntry) async throws -> Project {
        try await write { transaction in
            try transaction.execute(
                """
                INSERT INTO projects (project, number, api_key, configuration, revision, created_at)
                VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (project) DO NOTHING
                """, .text(project.id.rawValue), .text(project.number), .text(project.apiKey),
                .text(try project.configuration.text), .integer(project.revision), .integer(now.milliseconds))
            if transaction.changes == 0, let existing = try transaction.project(project.id) { return existing }
            try transaction.append(audit)
            return project
        }
    }

    /// Stores a configuration if the revision is still the expected one. An SMTP password in it replaces the stored
    /// one. An empty password, or a configuration without SMTP settings, deletes it.
    /// - Returns: the configuration without an SMTP password.
    /// - Throws: `configurationConflict`, `projectNotFound`.
    func replaceConfiguration(
        _ id: ProjectID, _ configuration: ProjectConfiguration, expectedRevision: Int64, audit: AuditEntry,
        once: IdempotentCall?
    ) async throws -> Identity.ReadConfiguration.Reply {
        // It is stored sealed and never returned: a caller that sends the rest of the document keeps it.
        let (stored, password) = configuration.withoutSMTPPassword
        return try await write(once: once) { [sealingKeys] transaction in
            guard let project = try transaction.project(id) else { throw IdentityError.projectNotFound }
            try transaction.execute(
                "UPDATE projects SET configuration = $3, revision = revision + 1 WHERE project = $1 AND revision = $2",
                .text(id.rawValue), .integer(expectedRevision),
                .text(try stored.text))
            guard transaction.changes == 1 else { throw IdentityError.configurationConflict }
            if password == "" || stored.notification?.sendEmail?.smtp == nil {
                try transaction.execute(
                    "UPDATE projects SET sealed_smtp_password = NULL WHERE project = $1", .text(id.rawValue))
            } else if let password {
                try transaction.setSMTPPassword(password, of: id, sealingKeys)
            }
            try transaction.append(audit)
            return .init(
                configuration: stored, revision: expectedRevision.addingSaturated(1),
                projectNumber: project.number)
        }
    }

    /// Gives a project the API key that its operator chose.
    func setAPIKey(_ apiKey: String, of id: ProjectID) async throws {
        try await write { transaction in
            try transaction.execute(
                "UPDATE projects SET api_key = $2 WHERE project = $1", .text(id.rawValue), .text(apiKey))
        }
    }

    func project(apiKey: String) async throws -> ProjectID? {
        try await read { transaction in
            let row = try transaction.firstRow("SELECT project FROM projects WHERE api_key = $1", .text(apiKey))
            return try row.map { ProjectID(try $0.get("project")) }
        }
    }
}

extension SQLTransaction {
    borrowing func project(_ id: ProjectID) throws -> Project? {
        guard
            let row = try firstRow(
                "SELECT number, api_key, configuration, revision FROM projects WHERE project = $1",
                .text(id.rawValue))
        else { return nil }
        let configuration: String = try row.get("configuration")
        return Project(
            id: id, number: try row.get("number"), apiKey: try row.get("api_key"),
            configuration: try WireJSON.decodeUnchecked(
                ProjectConfiguration.self, from: Data(configuration.utf8)),
            revision: try row.get("revision"))
    }
}

extension ProjectConfiguration {
    /// The JSON text of the row.
    fileprivate var text: String {
        get throws { String(decoding: try WireJSON.encode(self), as: UTF8.self) }
    }

    /// The configuration without its SMTP password, and the password.
    fileprivate var withoutSMTPPassword: (configuration: ProjectConfiguration, password: String?) {
        var configuration = self
        configuration.notification?.sendEmail?.smtp?.password = nil
        return (configuration, notification?.sendEmail?.smtp?.password)
    }
}

extension SQLTransaction {
    fileprivate borrowing func setSMTPPassword(_ password: String, of id: ProjectID, _ keys: SealingKeys) throws {
        let binding = IdentityStore.sealedSMTPPassword.binding(.text(id.rawValue))
        try execute(
            "UPDATE projects SET sealed_smtp_password = $2 WHERE project = $1", .text(id.rawValue),
            .blob(try keys.seal(Array(password.utf8), binding: binding)))
    }

    /// Seals the passwords that earlier versions stored in configurations in plain text: in this database, or in a
    /// restored backup.
    borrowing func sealSMTPPasswords(_ keys: SealingKeys) throws {
        for row in try rows("SELECT project, configuration FROM projects WHERE configuration LIKE '%\"smtp\"%'") {
            let id = ProjectID(try row.get("project"))
            let text: String = try row.get("configuration")
            let configuration = try WireJSON.decodeUnchecked(ProjectConfiguration.self, from: Data(text.utf8))
            let (stored, password) = configuration.withoutSMTPPassword
            guard let password else { continue }
            try execute(
                "UPDATE projects SET configuration = $2 WHERE project = $1", .text(id.rawValue), .text(try stored.text))
            if !password.isEmpty { try setSMTPPassword(password, of: id, keys) }
        }
    }
}
