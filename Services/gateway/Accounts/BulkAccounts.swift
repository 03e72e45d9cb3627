import Contracts
import HTTPServer
import Vocabulary

extension IdentityToolkit {
    /// Operations on many accounts (REST 4.1).
    static let bulkAccounts: [Route] = [
        Route(.get, .v1Realm("/accounts:batchGet"), .v1, .administrator) { call in
            let fields = AccountListBody(
                maxResults: try call.request.queryItem("maxResults").nilIfEmpty.map { text throws(APIError) in
                    guard let count = Int64(text) else { throw .invalidValue(at: "max_results", type: "TYPE_INT32") }
                    return WireInteger(count)
                }, nextPageToken: call.request.queryItem("nextPageToken"))
            let realm = RealmFields(tenantId: call.request.queryItem("tenantId"))
            return try await list(call, RealmBody(realm: realm, fields: fields))
        },
        Route(.post, .v3("downloadAccount"), .v1, .administrator, isReadOnly: true) { call in
            try await list(call, call.administratorRealmBody(AccountListBody.self))
        },
        Route(.post, .v1Realm("/accounts:query") + .v1Realm("/accounts:queryAccounts"), .v1, .administrator) { call in
            let body = try call.administratorRealmBody(QueryBody.self)
            let reply = try await call.send(try body.fields.request(in: call.realm(body)))
            return .json(QueryReply(reply, withUsers: body.returnUserInfo ?? true))
        },
        Route(.post, .v1Realm("/accounts:batchDelete"), .v1, .administrator) { call in
            let body = try call.administratorRealmBody(BatchDeletionBody.self)
            let ids = body.localIds ?? []
            // The protocol has one code for both bounds.
            guard !ids.isEmpty else { throw ServiceError(.tooManyAccounts) }
            let reply = try await call.send(
                Identity.DeleteAccounts(
                    realm: call.realm(body), accountIDs: ids.map { AccountID($0) }, force: body.force ?? false,
                    client: call.client))
            return .json(BatchDeletionReply(reply, of: ids))
        },
    ]

    private static let defaultPage = 20
    /// `maxResults` in dev mode for all accounts at once, which test tools request.
    private static let everything: Int64 = -1

    private static func list(_ call: Call, _ body: RealmBody<AccountListBody>) async throws -> HTTPResponse {
        let wanted = body.maxResults?.value ?? 0
        if wanted == everything, call.settings.isDev { return try await listEverything(call, body) }
        guard (0...Int64(Identity.ListAccounts.maximumCount)).contains(wanted) else {
            throw APIError.invalidValue(at: "max_results", type: nil)
        }
        let (users, nextPageToken) = try await page(
            call, call.realm(body), limit: wanted == 0 ? defaultPage : Int(wanted),
            after: body.nextPageToken.nilIfEmpty)
        return .json(AccountListReply(users: users.nilIfEmpty, nextPageToken: nextPageToken))
    }

    private static func page(
        _ call: Call, _ realm: Realm, limit: Int, after pageToken: String?
    ) async throws -> (users: [UserRecord], nextPageToken: String?) {
        guard call.readsPasswordHashes else {
            let reply = try await call.send(Identity.ListAccounts(realm: realm, limit: limit, pageToken: pageToken))
            return (reply.accounts.map { UserRecord($0) }, reply.nextPageToken)
        }
        let reply = try await call.send(
            Identity.ExportAccounts(realm: realm, limit: limit, pageToken: pageToken, client: call.client))
        return (reply.accounts.map { UserRecord($0.account, password: $0.password) }, reply.nextPageToken)
    }

    private static func listEverything(_ call: Call, _ body: RealmBody<AccountListBody>) async throws -> HTTPResponse {
        let realm = try call.realm(body)
        var users: [UserRecord] = []
        var pageToken = body.nextPageToken.nilIfEmpty
        repeat {
            let next = try await page(call, realm, limit: Identity.ListAccounts.maximumCount, after: pageToken)
            users += next.users
            pageToken = next.nextPageToken
        } while pageToken != nil
        return .json(AccountListReply(users: users.nilIfEmpty))
    }
}

// MARK: - Pages

private struct AccountListBody: Decodable {
    /// 0 means the same as absent.
    var maxResults: WireInteger?
    var nextPageToken: String?
}

private struct AccountListReply: Encodable {
    var kind = "identitytoolkit#DownloadAccountResponse"
    /// Absent when the page is empty.
    var users: [UserRecord]?
    /// Present when the page is full, or more accounts follow.
    var nextPageToken: String?
}

// MARK: - Queries

struct QueryBody: Decodable {
    /// In protocol-number order.
    enum SortBy: String, WireEnumeration {
        case userID = "USER_ID", name = "NAME", createdAt = "CREATED_AT", lastLoginAt = "LAST_LOGIN_AT"
        case userEmail = "USER_EMAIL"
    }
    enum Direction: String, WireEnumeration { case ascending = "ASC", descending = "DESC" }
    struct Expression: Decodable {
        var email: String?
        var userId: String?
        var phoneNumber: String?
    }

    var expression: [Expression]?
    var limit: WireInteger?
    var offset: WireInteger?
    var sortBy: WireEnum<SortBy>?
    var order: WireEnum<Direction>?
    /// Absent means true.
    var returnUserInfo: Bool?
    /// A Latchkey extension: `nextPageToken` of the previous reply, instead of an offset.
    var pageToken: String?

    /// - Throws: `APIError` for numbers out of range.
    func request(in realm: Realm) throws(APIError) -> Identity.QueryAccounts {
        let (limit, offset) = (limit?.value ?? 0, offset?.value ?? 0)
        guard (0...Int64(Identity.QueryAccounts.maximumCount)).contains(limit) else {
            throw .invalidValue(at: "limit", type: nil)
        }
        guard (0...Int64(Int32.max)).contains(offset) else { throw .invalidValue(at: "offset", type: nil) }
        return .init(
            realm: realm, criteria: (expression ?? []).flatMap(\.criteria), order: accountOrder,
            isDescending: order?.value == .descending,
            limit: limit == 0 ? Identity.QueryAccounts.maximumCount : Int(limit), offset: Int(offset),
            countOnly: returnUserInfo == false, pageToken: pageToken.nilIfEmpty)
    }

    private var accountOrder: Identity.QueryAccounts.Order {
        switch sortBy?.value {
        case .userID, nil: .accountID
        case .name: .displayName
        case .createdAt: .createdAt
        case .lastLoginAt: .lastSignInAt
        case .userEmail: .email
        }
    }
}

extension QueryBody.Expression {
    fileprivate var criteria: [Identity.FindAccounts.Criterion] {
        [
            email.nilIfEmpty.map { .email($0) }, userId.nilIfEmpty.map { .accountID(AccountID($0)) },
            phoneNumber.nilIfEmpty.map { .phoneNumber($0) },
        ].compactMap(\.self)
    }
}

private struct QueryReply: Encodable {
    /// A decimal string.
    var recordsCount: String
    /// Absent when no account matches or `returnUserInfo` is false.
    var userInfo: [UserRecord]?
    /// A Latchkey extension: present when the page is full, or more accounts follow.
    var nextPageToken: String?

    init(_ reply: Identity.QueryAccounts.Reply, withUsers: Bool) {
        recordsCount = String(reply.total)
        userInfo = withUsers ? reply.accounts.map { UserRecord($0) }.nilIfEmpty : nil
        nextPageToken = reply.nextPageToken
    }
}

// MARK: - Deletion

private struct BatchDeletionBody: Decodable {
    var localIds: [String]?
    /// Deletes accounts that are not disabled, too.
    var force: Bool?
}

private struct BatchDeletionReply: Encodable {
    struct ItemError: Encodable {
        var index: Int
        var localId: String
        var message = "NOT_DISABLED : Disable the account before batch deletion."
    }
    /// Absent when every deletion succeeded.
    var errors: [ItemError]?

    init(_ reply: Identity.DeleteAccounts.Reply, of ids: [String]) {
        // The indices come from another process: an index out of range is ignored.
        errors =
            reply.skippedIndices.filter(ids.indices.contains).map { ItemError(index: $0, localId: ids[$0]) }.nilIfEmpty
    }
}
