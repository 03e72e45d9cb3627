public import Foundation

/// A session of a user: a sign-in on one device.
public struct UserSession: Hashable, Identifiable, Sendable {
    /// The ID of the session, for ``User/endSession(_:)``.
    public let id: String
    /// When the user signed in.
    public let createdAt: Date?
    /// When the session was used last: by a refresh, or at the sign-in.
    public let lastUsedAt: Date?
    /// `password`, `phone`, `anonymous`, `custom`, `passkey`, or the ID of an identity provider.
    public let signInProvider: String
    /// `phone`, `totp` or `recovery_code`; nil for a sign-in without a second factor.
    public let secondFactor: String?
    /// Browser and system, such as `Firefox (Windows)`; nil for an unknown client.
    public let device: String?
    /// The network of the device at the sign-in, such as `192.0.2.0/24`.
    public let network: String?
    /// Whether it is the session of this user object.
    public let isCurrent: Bool

    init(_ record: SessionRecord) {
        id = record.sessionId
        createdAt = Date(protocolText: record.createdAt)
        lastUsedAt = Date(protocolText: record.lastUsedAt)
        signInProvider = record.signInProvider
        secondFactor = record.secondFactor
        device = record.device
        network = record.network
        isCurrent = record.current ?? false
    }
}

extension User {
    /// The sessions of the account, the latest used first: at most a hundred.
    /// - Throws: as ``reload()``.
    public func sessions() async throws -> [UserSession] {
        try await withIDToken { idToken in
            try await self.auth.server.send(ListSessionsRequest(idToken: idToken, tenantId: self.tenantID))
        }.sessions.map(UserSession.init)
    }

    /// Ends a session: it cannot be refreshed, so its device is signed out within an hour. The end of the current session
    /// signs the user out.
    /// - Throws: as ``reload()``.
    public func endSession(_ session: UserSession) async throws {
        try await endSessions { .init(idToken: $0, sessionIds: [session.id], tenantId: self.tenantID) }
        if session.isCurrent { auth.sessionEnded(of: self) }
    }

    /// Ends every session but the current one.
    /// - Throws: as ``reload()``.
    public func endOtherSessions() async throws {
        try await endSessions { .init(idToken: $0, allOthers: true, tenantId: self.tenantID) }
    }

    /// Ends every session, voids every token of the account, and signs the user out.
    /// - Throws: as ``reload()``.
    public func endAllSessions() async throws {
        try await endSessions { .init(idToken: $0, all: true, tenantId: self.tenantID) }
        auth.sessionEnded(of: self)
    }

    private func endSessions(_ request: (_ idToken: String) -> EndSessionsRequest) async throws {
        try await withIDToken { idToken in
            _ = try await self.auth.server.send(request(idToken))
        }
    }
}
