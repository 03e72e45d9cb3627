import Contracts
import JSON
import SQL
import Vocabulary

extension IdentityStore {
    /// Adds an application.
    /// - Throws: `tooManyApplications`.
    func createApplication(
        _ application: Identity.Application, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> Identity.Application {
        try await write(idempotency: idempotency) { transaction in
            let count: Int =
                try transaction.firstRow(ApplicationTable.count, [.project: application.project])?
                .get(computed: "count") ?? 0
            guard count < Identity.Application.maximumCount else { throw ServiceError(.tooManyApplications) }
            try transaction.execute(ApplicationTable.insertion, application.columns)
            try transaction.append(audit)
            return application
        }
    }

    func applications(of project: Project) async throws -> [Identity.Application] {
        try await read { transaction in
            try transaction.rows(ApplicationTable.ofProject, [.project: project.id]).map {
                try Identity.Application($0, of: project)
            }
        }
    }

    /// The project in which an application is registered.
    func project(ofApplication id: ApplicationID) async throws -> ProjectID? {
        try await read { transaction in
            try transaction.firstRow(ApplicationTable.projectOf, [.applicationID: id])?.get(.project)
        }
    }

    /// - Throws: `applicationNotFound`.
    func application(_ id: ApplicationID, of project: Project) async throws -> Identity.Application {
        try await read { transaction in try transaction.application(id, of: project) }
    }

    /// Stores a registration if the revision is still the expected one.
    /// - Throws: `configurationConflict`, `applicationNotFound`.
    func replaceApplication(
        _ id: ApplicationID, of project: Project, _ registration: Identity.ApplicationRegistration,
        expectedRevision: Int64, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> Identity.Application {
        try await write(idempotency: idempotency) { transaction in
            try transaction.execute(
                ApplicationTable.replacement,
                [
                    .project: project.id, .applicationID: id, .revision: expectedRevision,
                    .registration: try WireJSON.text(registration),
                ])
            let replaced = transaction.changes == 1
            let application = try transaction.application(id, of: project)
            guard replaced else { throw ServiceError(.configurationConflict) }
            try transaction.append(audit)
            return application
        }
    }

    /// - Throws: `applicationNotFound`.
    func deleteApplication(
        _ id: ApplicationID, of project: ProjectID, audit: AuditEntry, idempotency: IdempotentCall?
    ) async throws -> EmptyReply {
        try await write(idempotency: idempotency) { transaction in
            try transaction.execute(ApplicationTable.removal, [.project: project, .applicationID: id])
            guard transaction.changes == 1 else { throw ServiceError(.applicationNotFound) }
            try transaction.append(audit)
            return EmptyReply()
        }
    }
}

// MARK: - Rows

extension SQLTransaction {
    borrowing func application(
        _ id: ApplicationID, of project: Project
    ) throws -> Identity.Application {
        guard let row = try firstRow(ApplicationTable.byKey, [.project: project.id, .applicationID: id]) else {
            throw ServiceError(.applicationNotFound)
        }
        return try Identity.Application(row, of: project)
    }
}
