import Contracts
import FoundationEssentials
import HTTPServer
import JSON
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// What is stored about a client's own account: a Latchkey extension. The other services have only keys, secrets and
    /// open challenges of an account, and the delivery history names no account.
    static let download: [Route] = [
        Route(.post, .v1("accounts:download"), .v1, .client, isReadOnly: true) { call in
            let body = try call.realmBody(DownloadBody.self)
            let reply = try await call.send(
                Identity.DownloadOwnAccount(
                    realm: call.realm(body), idToken: body.idToken.nilIfEmpty.map(Secret.init), client: call.client))
            return .json(AccountDownload(reply))
        }
    ]
}

private struct DownloadBody: Decodable {
    var idToken: String?
}

/// Times are in RFC 3339; `account` is an element of `accounts:lookup`.
struct AccountDownload: Encodable {
    struct Session: Encodable {
        var sessionId: String
        var createdAt: String
        var lastUsedAt: String
        var endedAt: String?
        var signInProvider: String
        var secondFactor: String?
        var device: String?
        var ipAddress: String?
        var claims: JSONValue?
        var signInAttributes: JSONValue?

        init(_ session: Identity.StoredSession) {
            sessionId = session.id
            createdAt = session.createdAt.text
            lastUsedAt = session.lastUsedAt.text
            endedAt = session.endedAt?.text
            signInProvider = session.signInProvider
            secondFactor = session.secondFactor
            device = session.device
            ipAddress = session.clientAddress
            claims = session.claims.map(Self.object)
            signInAttributes = session.attributes.map(Self.object)
        }

        private static func object(_ text: String) -> JSONValue {
            // `try?`: what is stored is shown in any case.
            (try? WireJSON.decodeUnchecked(JSONValue.self, from: Data(text.utf8))) ?? .string(text)
        }
    }

    struct RememberedDevice: Encodable {
        var device: String?
        var createdAt: String
        var lastUsedAt: String
        var expiresAt: String

        init(_ device: Identity.RememberedDevice) {
            self.device = device.device
            createdAt = device.createdAt.text
            lastUsedAt = device.lastUsedAt.text
            expiresAt = device.expiresAt.text
        }
    }

    struct ActionCode: Encodable {
        var requestType: String
        var email: String
        var newEmail: String?
        var createdAt: String
        var expiresAt: String

        init(_ code: Identity.StoredActionCode) {
            requestType = ActionRequestType(code.purpose).rawValue
            email = code.email.rawValue
            newEmail = code.newEmail?.rawValue
            createdAt = code.createdAt.text
            expiresAt = code.expiresAt.text
        }
    }

    struct AuditRecord: Encodable {
        var at: String
        var action: String
        var outcome: String
        var actor: String
        var ipAddress: String?

        init(_ record: Identity.OwnAuditRecord) {
            at = record.at.text
            action = record.action
            outcome = record.outcome
            actor = record.actor.rawValue
            ipAddress = record.ipAddress
        }
    }

    var account: UserRecord
    var sessions: [Session]
    /// Absent where the list is complete, like `hasMoreAuditRecords`.
    var hasMoreSessions: Bool?
    var recoveryCodesLeft: Int?
    /// Devices that the hosted sign-in does not ask for a second factor.
    var rememberedDevices: [RememberedDevice]
    var actionCodes: [ActionCode]
    var auditRecords: [AuditRecord]
    var hasMoreAuditRecords: Bool?

    init(_ reply: Identity.DownloadOwnAccount.Reply) {
        account = UserRecord(reply.account)
        sessions = reply.sessions.map(Session.init)
        hasMoreSessions = reply.hasMoreSessions ? true : nil
        recoveryCodesLeft = reply.remainingRecoveryCodes
        rememberedDevices = reply.rememberedDevices.map(RememberedDevice.init)
        actionCodes = reply.actionCodes.map(ActionCode.init)
        auditRecords = reply.auditRecords.map(AuditRecord.init)
        hasMoreAuditRecords = reply.hasMoreAuditRecords ? true : nil
    }
}
