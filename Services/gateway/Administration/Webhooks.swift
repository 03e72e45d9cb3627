import ConfigurationDocuments
import Contracts
import HTTPServer
import JSON
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// The webhooks of a project, which receive account events. A Latchkey extension of the protocol.
    static let webhooks: [Route] = [
        Route(.post, collection, .v2, .administrator) { call in
            let project = try call.project()
            let body = try WebhookDocument.schema.read(call.body(JSONValue.self), root: "webhook")
            let document = try WebhookDocument(body)
            let created = try await call.send(
                Identity.CreateWebhook(
                    project: project, url: document.url ?? "", kinds: document.eventTypes ?? [],
                    isDisabled: document.disabled ?? false, client: call.client))
            return .json(WebhookDocument(created.webhook, secret: created.secret.reveal()))
        },
        Route(.get, collection, .v2, .administrator) { call in
            let reply = try await call.send(Identity.ListWebhooks(project: call.project()))
            return .json(WebhookList(webhooks: reply.webhooks.map { WebhookDocument($0) }.nilIfEmpty))
        },
        Route(.get, resource(), .v2, .administrator) { call in
            let (project, id) = try named(call)
            return .json(WebhookDocument(try await call.send(Identity.ReadWebhook(project: project, id: id))))
        },
        Route(.patch, resource(), .v2, .administrator) { call in try await change(call) },
        Route(.delete, resource(), .v2, .administrator) { call in
            let (project, id) = try named(call)
            _ = try await call.send(Identity.DeleteWebhook(project: project, id: id, client: call.client))
            return .json(EmptyResponse())
        },
        Route(.post, resource(":rotateSecret"), .v2, .administrator) { call in
            let (project, id) = try named(call)
            let rotated = try await call.send(
                Identity.RotateWebhookSecret(project: project, id: id, client: call.client))
            return .json(WebhookDocument(rotated.webhook, secret: rotated.secret.reveal()))
        },
        Route(.post, resource(":test"), .v2, .administrator) { call in
            let (project, id) = try named(call)
            let reply = try await call.send(Identity.TestWebhook(project: project, id: id, client: call.client))
            return .json(WebhookTest(eventId: reply.eventID.rawValue))
        },
        Route(.get, resource("/deliveries"), .v2, .administrator) { call in
            let (project, id) = try named(call)
            let size = call.request.queryItem("pageSize").nilIfEmpty
            let limit = size.map { Int($0) ?? 0 } ?? defaultPageSize
            let maximum = Notifier.ReadWebhookStatus.maximumCount
            guard (1...maximum).contains(limit) else {
                throw APIError.invalidArgument("pageSize is not 1 to \(maximum).")
            }
            return .json(
                WebhookStatusDocument(
                    try await call.send(Notifier.ReadWebhookStatus(project: project, id: id, limit: limit))))
        },
        Route(.post, resource(":replay"), .v2, .administrator) { call in try await replay(call) },
    ]

    private static let collection: [RoutePath] = .v2Project("/webhooks")
    private static let defaultPageSize = 100

    /// - Parameter suffix: begins with its own separator.
    private static func resource(_ suffix: String = "") -> [RoutePath] { .v2Project("/webhooks/{webhook}" + suffix) }

    /// The webhook of the path.
    private static func named(_ call: Call) throws -> (ProjectID, WebhookID) {
        guard let id = call.values[.webhook], Realm.isIdentifier(id) else { throw ServiceError(.webhookNotFound) }
        return (try call.project(), WebhookID(id))
    }

    private static func change(_ call: Call) async throws -> HTTPResponse {
        let (project, id) = try named(call)
        let body = try WebhookDocument.schema.read(call.body(JSONValue.self), root: "webhook")
        let mask = try FieldMask(of: call.request)
        let current = try await call.send(Identity.ReadWebhook(project: project, id: id))
        let document = try WebhookDocument(
            WebhookDocument.schema.applying(
                mask, of: body, to: ConfigurationDocument.jsonValue(of: WebhookDocument(current))))
        let changed = try await call.send(
            Identity.UpdateWebhook(
                project: project, id: id, url: document.url ?? "", kinds: document.eventTypes ?? [],
                isDisabled: document.disabled ?? false, client: call.client))
        return .json(WebhookDocument(changed))
    }

    private static func replay(_ call: Call) async throws -> HTTPResponse {
        struct Body: Decodable {
            var eventIds: [String]?
            /// RFC 3339.
            var after: String?
            var pageToken: String?
        }
        let (project, id) = try named(call)
        let body = try call.administratorBody(Body.self)
        let eventIDs = body.eventIds?.map { AccountEventID($0) }
        guard eventIDs == nil || body.after.nilIfEmpty == nil && body.pageToken.nilIfEmpty == nil else {
            throw APIError.invalidArgument("eventIds is used without after and pageToken.")
        }
        let after = try body.after.nilIfEmpty.map { text in
            guard let moment = Moment(rfc3339: text) else {
                throw APIError.invalidValue(at: "after", type: "google.protobuf.Timestamp")
            }
            return moment
        }
        let position = try body.pageToken.nilIfEmpty.map { token in
            guard let position = Int64(token), position >= 0 else { throw APIError(.invalidPageToken) }
            return position
        }
        let reply = try await call.send(
            Notifier.ReplayAccountEvents(
                project: project, id: id, eventIDs: eventIDs, after: after, fromPosition: position,
                client: call.client))
        return .json(
            WebhookReplay(
                replayedEvents: reply.replayedEvents, nextPageToken: reply.nextPosition.map { "\($0)" }))
    }
}

private struct WebhookList: Encodable {
    /// Absent when the list is empty.
    var webhooks: [WebhookDocument]?
}

private struct WebhookTest: Encodable {
    var eventId: String
}

private struct WebhookReplay: Encodable {
    var replayedEvents: Int
    var nextPageToken: String?
}
