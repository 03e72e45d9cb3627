import Foundation
import LatchkeyAuth

extension AdminAuth {
    /// The largest number of accounts in a call of ``getUsers(_:)``.
    public static let maximumUsersPerLookup = 100
    /// The largest number of accounts in a call of ``deleteUsers(_:)``.
    public static let maximumUsersPerDeletion = 1000

    // MARK: - Reading

    /// The account with an ID.
    /// - Throws: `userNotFound`.
    public func getUser(_ uid: String) async throws -> UserRecord { try await user(.uid(uid)) }

    /// The account with an e-mail address.
    /// - Throws: `userNotFound`.
    public func getUser(byEmail email: String) async throws -> UserRecord { try await user(.email(email)) }

    /// The account that signs in with a phone number.
    /// - Parameter phoneNumber: in the form E.164.
    /// - Throws: `userNotFound`.
    public func getUser(byPhoneNumber phoneNumber: String) async throws -> UserRecord {
        try await user(.phoneNumber(phoneNumber))
    }

    /// The account of a user of an identity provider.
    /// - Throws: `userNotFound`.
    public func getUser(byProviderUID uid: String, providerID: String) async throws -> UserRecord {
        try await user(.provider(id: providerID, uid: uid))
    }

    /// Several accounts, in any order, and the identifiers without an account.
    /// - Parameter identifiers: at most ``maximumUsersPerLookup``.
    /// - Throws: `invalidArgument` for more.
    public func getUsers(_ identifiers: [UserIdentifier]) async throws
        -> (users: [UserRecord], notFound: [UserIdentifier])
    {
        guard identifiers.count <= Self.maximumUsersPerLookup else {
            throw AdminError(.invalidArgument, "A lookup has at most \(Self.maximumUsersPerLookup) identifiers.")
        }
        guard !identifiers.isEmpty else { return ([], []) }
        let users = try await lookup(identifiers)
        return (users, identifiers.filter { identifier in !users.contains { $0.matches(identifier) } })
    }

    /// All accounts, in the order of their IDs. The pages are requested as the caller reads on.
    /// - Parameter pageSize: accounts per request, 1 to 1,000.
    public func listUsers(pageSize: Int = 1000) -> UserList {
        UserList(admin: self, pageSize: min(max(pageSize, 1), 1000))
    }

    private func user(_ identifier: UserIdentifier) async throws -> UserRecord {
        guard let user = try await lookup([identifier]).first else {
            throw AdminError(.userNotFound, "No such account exists.")
        }
        return user
    }

    private func lookup(_ identifiers: [UserIdentifier]) async throws -> [UserRecord] {
        let response = try await server.send(
            .post, "v1", realmPath + ["accounts:lookup"], body: LookupUsersRequest(identifiers), repetition: .always,
            as: LookupUsersRequest.Response.self)
        return (response.users ?? []).map(UserRecord.init)
    }

    // MARK: - Changing

    /// Creates an account.
    /// - Throws: `uidAlreadyExists`, `emailAlreadyExists`, `phoneNumberAlreadyExists`, `invalidUID`, `invalidEmail`,
    ///   `invalidPassword`, `invalidPhoneNumber`, `unverifiedEmail`, `secondFactorLimitExceeded`.
    @discardableResult
    public func createUser(_ user: NewUser) async throws -> UserRecord {
        struct Response: Decodable { var localId: String }
        let created = try await server.send(
            .post, "v1", realmPath + ["accounts"], body: CreateUserRequest(user), repetition: .ifNotReceived,
            as: Response.self)
        return try await getUser(created.localId)
    }

    /// Changes an account.
    /// - Throws: `userNotFound`, and as ``createUser(_:)``.
    @discardableResult
    public func updateUser(_ uid: String, _ update: UserUpdate) async throws -> UserRecord {
        try await send(UpdateUserRequest(uid, update))
        return try await getUser(uid)
    }

    /// Replaces the custom claims of an account. The next ID tokens of the user contain them.
    /// - Parameters:
    ///   - claims: at most 1,000 characters of JSON, none of the names that tokens use themselves. An empty dictionary
    ///     removes the claims.
    ///   - uid: the ID of the account.
    /// - Throws: `userNotFound`, `invalidClaims`, `forbiddenClaim`.
    public func setCustomUserClaims(_ claims: [String: any Sendable], forUID uid: String) async throws {
        var request = UpdateUserRequest(uid)
        request.customAttributes = try CustomClaims(claims).text()
        try await send(request)
    }

    /// Ends all sessions of a user. ID tokens stay valid until they expire, except for backends that check
    /// (``verifyIDToken(_:checkRevoked:)``).
    /// - Throws: `userNotFound`.
    public func revokeRefreshTokens(forUID uid: String) async throws {
        var request = UpdateUserRequest(uid)
        request.validSince = String(Int(server.transport.clock.now().timeIntervalSince1970))
        try await send(request)
    }

    /// Deletes an account with its sessions, second factors and codes.
    /// - Throws: `userNotFound`.
    public func deleteUser(_ uid: String) async throws {
        struct Request: Encodable { var localId: String }
        _ = try await server.send(
            .post, "v1", realmPath + ["accounts:delete"], body: Request(localId: uid), repetition: .always,
            as: EmptyResponse.self)
    }

    /// Deletes accounts. Accounts that do not exist count as deleted.
    /// - Parameter uids: at most ``maximumUsersPerDeletion``.
    /// - Returns: the accounts that were not deleted, with the reason of the server.
    /// - Throws: `invalidArgument` for more.
    @discardableResult
    public func deleteUsers(_ uids: [String]) async throws -> [String: String] {
        guard uids.count <= Self.maximumUsersPerDeletion else {
            throw AdminError(.invalidArgument, "A deletion has at most \(Self.maximumUsersPerDeletion) accounts.")
        }
        guard !uids.isEmpty else { return [:] }
        struct Request: Encodable {
            var localIds: [String]
            var force = true
        }
        struct Response: Decodable {
            struct Failure: Decodable {
                var localId: String?
                var message: String?
            }
            var errors: [Failure]?
        }
        let response = try await server.send(
            .post, "v1", realmPath + ["accounts:batchDelete"], body: Request(localIds: uids), repetition: .always,
            as: Response.self)
        let failures = (response.errors ?? []).compactMap { failure in
            failure.localId.map { ($0, failure.message ?? "") }
        }
        return Dictionary(failures) { first, _ in first }
    }

    private func send(_ request: UpdateUserRequest) async throws {
        _ = try await server.send(
            .post, "v1", realmPath + ["accounts:update"], body: request, repetition: .always, as: EmptyResponse.self)
    }
}
