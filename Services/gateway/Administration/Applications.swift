import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The registered applications of a project. A Latchkey extension of the protocol.
    static let applications: [Route] = [
        Route(.post, .v2Project("/apps"), .v2, .administrator) { call in
            let project = try call.project()
            let document = try ApplicationDocument(
                ApplicationDocument.schema.read(call.body(JSONValue.self), root: "app"))
            let created = try await call.send(
                Identity.CreateApplication(
                    project: project, registration: document.registration(), client: call.client))
            return .json(ApplicationDocument(created))
        },
        Route(.get, .v2Project("/apps"), .v2, .administrator) { call in
            let reply = try await call.send(Identity.ListApplications(project: call.project()))
            return .json(ApplicationList(apps: reply.applications.map { ApplicationDocument($0) }.nilIfEmpty))
        },
        Route(.get, application, .v2, .administrator) { call in
            let (project, id) = try named(call)
            return .json(
                ApplicationDocument(try await call.send(Identity.ReadApplication(project: project, id: id))))
        },
        Route(.patch, application, .v2, .administrator) { call in
            let (project, id) = try named(call)
            let body = try ApplicationDocument.schema.read(call.body(JSONValue.self), root: "app")
            let mask = try FieldMask(of: call.request)
            let changed = try await retryingOnConflict {
                let current = try await call.send(Identity.ReadApplication(project: project, id: id))
                let document = try ApplicationDocument(
                    ApplicationDocument.schema.applying(
                        mask, of: body, to: ConfigurationDocument.jsonValue(of: ApplicationDocument(current))))
                return try await call.send(
                    Identity.ReplaceApplication(
                        project: project, id: id, registration: document.registration(),
                        expectedRevision: current.revision, client: call.client))
            }
            return .json(ApplicationDocument(changed))
        },
        Route(.delete, application, .v2, .administrator) { call in
            let (project, id) = try named(call)
            _ = try await call.send(Identity.DeleteApplication(project: project, id: id, client: call.client))
            return .json(EmptyResponse())
        },
    ]

    private static let application: [RoutePath] = .v2Project("/apps/{application}")

    /// The application of the path.
    private static func named(_ call: Call) throws -> (ProjectID, ApplicationID) {
        guard let id = call.values[.application], Realm.isIdentifier(id) else {
            throw ServiceError(.applicationNotFound)
        }
        return (try call.project(), ApplicationID(id))
    }
}

private struct ApplicationList: Encodable {
    /// Absent when the list is empty.
    var apps: [ApplicationDocument]?
}

/// An application that administrators read and change.
private struct ApplicationDocument: Codable {
    var name: String?
    var clientId: String?
    var displayName: String?
    var kind: Identity.ApplicationRegistration.Kind?
    var redirectUris: [String]?
    var origins: [String]?
    var apiKey: String?
    /// RFC 3339.
    var createTime: String?

    static let schema = DocumentSchema.message([
        "name": .output,
        "clientId": .output,
        "displayName": .string,
        "kind": .enumeration(unset: "KIND_UNSPECIFIED", Identity.ApplicationRegistration.Kind.self),
        "redirectUris": .list(.string),
        "origins": .list(.string),
        "apiKey": .output,
        "createTime": .output,
    ])

    init(_ application: Identity.Application) {
        name = "projects/\(application.project)/apps/\(application.id)"
        clientId = application.id.rawValue
        displayName = application.registration.displayName
        kind = application.registration.kind
        redirectUris = application.registration.redirectURLs
        origins = application.registration.origins.nilIfEmpty
        apiKey = application.apiKey
        createTime = application.createdAt.text
    }

    /// - Parameter document: in the canonical form of `schema`.
    init(_ document: JSONValue) throws {
        self = try WireJSON.decode(Self.self, from: WireJSON.encode(document))
    }

    /// - Throws: `invalidApplication` without a kind; identity judges the other fields.
    func registration() throws(ServiceError) -> Identity.ApplicationRegistration {
        guard let kind else { throw ServiceError(.invalidApplication, "kind is missing") }
        return .init(
            displayName: displayName ?? "", kind: kind, redirectURLs: redirectUris ?? [], origins: origins ?? [])
    }
}
