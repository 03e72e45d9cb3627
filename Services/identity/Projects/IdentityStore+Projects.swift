import Contracts
import Crypto
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

extension Project {
    /// A project with a random number and the configuration of a new project.
    /// - Parameter apiKey: nil: a random one.
    static func new(
        _ id: ProjectID, apiKey: String? = nil, publicHost: String? = nil, isDev: Bool,
        randomBytes: (_ count: Int) -> [UInt8]
    ) -> Project {
        // Client libraries of other products in the same application refuse keys without 39 characters and an "A".
        let apiKey = apiKey ?? "Alk-" + Base64URL.encode(randomBytes(26))
        let number = randomBytes(11).map { String($0 % 10) }.joined()
        let configuration =
            id == .operators
            ? ProjectConfiguration.operators : .initial(isDev: isDev, apiKey: apiKey, publicHost: publicHost)
        return Project(id: id, number: "1" + number, apiKey: apiKey, configuration: configuration, revision: 1)
    }
}

extension IdentityStore {
    func project(_ id: ProjectID) async throws -> Project? {
        try await read { transaction in try transaction.project(id) }
    }

    /// Creates a project, unless another process created it first; returns the stored one.
    func createProject(_ project: Project, at now: Moment, audit: AuditEntry) async throws -> Project {
        try await write { transaction in
            try transaction.execute(ProjectTable.insertionIfAbsent, try project.columns + [.createdAt: now])
            if transaction.changes == 0, let existing = try transaction.project(project.id) { return existing }
            try transaction.append(audit)
            return project
        }
    }

    /// Adds a project that must be new.
    /// - Throws: `projectExists`.
    func addProject(
        _ project: Project, at now: Moment, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> Identity.ProjectSummary {
        try await write(idempotency: idempotency) { transaction in
            try transaction.execute(ProjectTable.insertionIfAbsent, try project.columns + [.createdAt: now])
            guard transaction.changes == 1 else { throw ServiceError(.projectExists) }
            try transaction.append(audit)
            return .init(id: project.id, number: project.number, apiKey: project.apiKey, createdAt: now)
        }
    }

    /// The projects after an ID, and whether there are more than requested.
    func projects(after id: ProjectID?, limit: Int) async throws -> Identity.ListProjects.Reply {
        try await read { transaction in
            let rows = try transaction.rows(ProjectTable.next, [.project: id?.rawValue ?? ""], Int64(limit) + 1)
            return .init(
                projects: try rows.prefix(limit).map { try Identity.ProjectSummary($0) }, hasMore: rows.count > limit)
        }
    }

    /// Stores a configuration if the revision is still the expected one. An SMTP password in it replaces the stored
    /// one. An empty password, or a configuration without SMTP settings, deletes it. The content of a new logo is stored
    /// beside it.
    /// - Returns: the configuration without an SMTP password and without the content of its logo.
    /// - Throws: `configurationConflict`, `projectNotFound`.
    func replaceConfiguration(
        _ id: ProjectID, _ configuration: ProjectConfiguration, expectedRevision: Int64, audit: AuditEntry,
        idempotency: IdempotentCall?
    ) async throws -> Identity.ReadConfiguration.Reply {
        // It is stored sealed and never returned: a caller that sends the rest of the document keeps it.
        var (stored, password) = configuration.withoutSMTPPassword
        stored.branding = stored.branding?.withoutLogoContent
        return try await write(idempotency: idempotency) { [sealingKeys, stored, password] transaction in
            guard let project = try transaction.project(id) else { throw ServiceError(.projectNotFound) }
            try transaction.execute(
                ProjectTable.replacement,
                [.project: id, .revision: expectedRevision, .configuration: try WireJSON.text(stored)])
            guard transaction.changes == 1 else { throw ServiceError(.configurationConflict) }
            if password == "" || stored.notification?.sendEmail?.smtp == nil {
                try transaction.execute(ProjectTable.newSMTPPassword, [.project: id, .sealedSMTPPassword: nil])
            } else if let password {
                try transaction.setSMTPPassword(password, of: id, sealingKeys)
            }
            try transaction.saveLogo(of: configuration.branding, in: Realm(project: id), at: audit.at)
            try transaction.saveRevision(
                expectedRevision.addingSaturated(1), of: Realm(project: id), stored,
                after: project.configuration.withoutSMTPPassword.configuration, audit: audit)
            try transaction.append(audit)
            return .init(
                configuration: stored, revision: expectedRevision.addingSaturated(1),
                projectNumber: project.number)
        }
    }

    /// Gives a project the API key that its operator chose.
    func setAPIKey(_ apiKey: String, of id: ProjectID) async throws {
        try await write { transaction in
            try transaction.execute(ProjectTable.newAPIKey, [.project: id, .apiKey: apiKey])
        }
    }

    func project(apiKey: String) async throws -> ProjectID? {
        try await read { transaction in
            let id: ProjectID? = try transaction.firstRow(ProjectTable.idByAPIKey, [.apiKey: apiKey])?.get(.project)
            // No application has that of the operators.
            return id == .operators ? nil : id
        }
    }
}

extension SQLTransaction {
    borrowing func project(_ id: ProjectID) throws -> Project? {
        try firstRow(ProjectTable.byKey, [.project: id]).map { try Project($0) }
    }
}

extension ProjectConfiguration {
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
        let sealed = try keys.seal(Array(password.utf8), binding: binding)
        try execute(ProjectTable.newSMTPPassword, [.project: id, .sealedSMTPPassword: sealed])
    }

    /// Seals the passwords that earlier versions stored in configurations in plain text: in this database, or in a
    /// restored backup.
    borrowing func sealSMTPPasswords(_ keys: SealingKeys) throws {
        for row in try rows(ProjectTable.withSMTPSettings) {
            let id: ProjectID = try row.get(.project)
            let configuration: ProjectConfiguration = try row.getJSON(.configuration)
            let (stored, password) = configuration.withoutSMTPPassword
            guard let password else { continue }
            try execute(ProjectTable.newConfiguration, [.project: id, .configuration: try WireJSON.text(stored)])
            if !password.isEmpty { try setSMTPPassword(password, of: id, keys) }
        }
    }
}
