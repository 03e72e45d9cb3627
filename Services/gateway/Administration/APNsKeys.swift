import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The keys for pushes to the applications of a project. A Latchkey extension of the protocol.
    static let apnsKeys: [Route] = [
        Route(.post, .v2Project("/apnsKeys"), .v2, .administrator) { call in
            let document = try APNsKeyDocument(
                APNsKeyDocument.schema.read(call.body(JSONValue.self), root: "apnsKey"))
            let added = try await call.send(
                Notifier.AddAPNsKey(
                    project: call.project(), bundleID: document.bundleId ?? "",
                    environment: document.environment ?? .both, keyID: document.keyId ?? "",
                    teamID: document.teamId ?? "", privateKey: Secret(document.privateKey ?? ""),
                    client: call.client))
            return .json(APNsKeyDocument(added))
        },
        Route(.get, .v2Project("/apnsKeys"), .v2, .administrator) { call in
            let reply = try await call.send(Notifier.ListAPNsKeys(project: call.project()))
            return .json(APNsKeyList(apnsKeys: reply.keys.map(APNsKeyDocument.init).nilIfEmpty))
        },
        Route(.delete, .v2Project("/apnsKeys/{apnsKey}"), .v2, .administrator) { call in
            guard let id = call.values[.apnsKey], Realm.isIdentifier(id) else { throw ServiceError(.apnsKeyNotFound) }
            _ = try await call.send(
                Notifier.RemoveAPNsKey(project: call.project(), id: APNsKeyID(id), client: call.client))
            return .json(EmptyResponse())
        },
    ]
}

private struct APNsKeyList: Encodable {
    /// Absent when the list is empty.
    var apnsKeys: [APNsKeyDocument]?
}

/// A key that administrators add and read.
private struct APNsKeyDocument: Codable {
    var name: String?
    var bundleId: String?
    var environment: Notifier.APNsKey.Environment?
    var keyId: String?
    var teamId: String?
    /// Never in a response.
    var privateKey: String?
    /// RFC 3339.
    var createTime: String?

    static let schema = DocumentSchema.message([
        "name": .output,
        "bundleId": .string,
        "environment": .enumeration(unset: Notifier.APNsKey.Environment.unset, Notifier.APNsKey.Environment.self),
        "keyId": .string,
        "teamId": .string,
        "privateKey": .string,
        "createTime": .output,
    ])

    init(_ key: Notifier.APNsKey) {
        name = "projects/\(key.project)/apnsKeys/\(key.id)"
        bundleId = key.bundleID
        environment = key.environment
        keyId = key.keyID
        teamId = key.teamID
        createTime = key.createdAt.text
    }

    /// - Parameter document: in the canonical form of `schema`.
    init(_ document: JSONValue) throws {
        self = try WireJSON.decode(Self.self, from: WireJSON.encode(document))
    }
}
