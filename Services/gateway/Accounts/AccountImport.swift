import Contracts
import HTTPServer
import ServiceRuntime
import Vocabulary

extension IdentityToolkit {
    /// Imports of accounts with the hashes of their passwords (REST 4.3).
    static let accountImport: [Route] = [
        Route(
            .post, .v1Realm("/accounts:batchCreate") + .v3("uploadAccount"), .v1, .administrator
        ) { call in
            let body = try call.administratorRealmBody(AccountImportBody.self)
            let rows = body.users ?? []
            guard !rows.isEmpty else { throw APIError.product("MISSING_USER_ACCOUNT") }
            guard rows.count <= maximumRows else {
                throw APIError.invalidArgument("At most \(maximumRows) users can be imported at once.")
            }
            if body.sanityCheck == true { try ImportedUserBody.requireDistinct(rows) }
            return try await importRows(rows, body, call)
        }
    ]

    private static let maximumRows = 1000

    private static func importRows(
        _ rows: [ImportedUserBody], _ body: RealmBody<AccountImportBody>, _ call: Call
    ) async throws -> HTTPResponse {
        let (realm, algorithm) = (try call.realm(body), try body.fields.algorithm())
        var reply = AccountImportReply()
        var seen: Set<String> = []
        var accepted: [(index: Int, account: Identity.ImportedAccount)] = []
        for (index, row) in rows.enumerated() {
            do throws(APIError) {
                if let id = row.localId.nilIfEmpty, !seen.insert(id).inserted {
                    throw .product("DUPLICATE_LOCAL_ID", detail: id)
                }
                if let tenant = row.tenantId.nilIfEmpty, tenant != realm.tenant?.rawValue {
                    throw .product(
                        "TENANT_ID_MISMATCH", detail: "The tenantId of the user is not that of the request.")
                }
                accepted.append((index, try row.account()))
            } catch {
                reply.append(error, at: index)
            }
        }
        for start in stride(from: 0, to: accepted.count, by: Identity.ImportAccounts.maximumCount) {
            let part = accepted.dropFirst(start).prefix(Identity.ImportAccounts.maximumCount)
            let imported = try await call.send(
                Identity.ImportAccounts(
                    realm: realm, accounts: part.map(\.account), algorithm: algorithm,
                    allowsOverwrite: body.allowOverwrite ?? true, client: call.client))
            for rejection in imported.rejections {
                // The index comes from another process: one out of range is ignored.
                guard rejection.rowIndex >= 0, let row = part.dropFirst(rejection.rowIndex).first else { continue }
                var reason = APIError(
                    ServiceError(rejection.reason), surface: .v1, access: .administrator, requestID: call.trace.traceID)
                // The protocol has no code for it, and the sentence alone does not name the value.
                if rejection.reason.code == .invalidRequest {
                    reason.message = rejection.reason.message ?? reason.message
                }
                reply.append(reason, at: row.index)
            }
        }
        reply.sort()
        return .json(reply)
    }
}

struct AccountImportBody: Decodable {
    /// In protocol-number order.
    enum HashOrder: String, WireEnumeration {
        case saltAndPassword = "SALT_AND_PASSWORD", passwordAndSalt = "PASSWORD_AND_SALT"
    }
    enum Argon2Type: String, WireEnumeration { case d = "ARGON2_D", id = "ARGON2_ID", i = "ARGON2_I" }
    enum Argon2Version: String, WireEnumeration { case v10 = "VERSION_10", v13 = "VERSION_13" }
    struct Argon2Parameters: Decodable {
        var hashLengthBytes: WireInteger?
        var hashType: WireEnum<Argon2Type>?
        var parallelism: WireInteger?
        var iterations: WireInteger?
        var memoryCostKib: WireInteger?
        var version: OptionalWireEnum<Argon2Version>?
        var associatedData: String?
    }

    var users: [ImportedUserBody]?
    var hashAlgorithm: String?
    var signerKey: String?
    var saltSeparator: String?
    var rounds: WireInteger?
    var memoryCost: WireInteger?
    var cpuMemCost: WireInteger?
    var blockSize: WireInteger?
    var parallelization: WireInteger?
    var dkLen: WireInteger?
    var passwordHashOrder: OptionalWireEnum<HashOrder>?
    var argon2Parameters: Argon2Parameters?
    var sanityCheck: Bool?
    /// Absent means true.
    var allowOverwrite: Bool?

    /// Identity checks the parameters.
    /// - Returns: nil when the body names no algorithm.
    /// - Throws: `APIError` for an unknown algorithm, for malformed parameters, and for hashes without an algorithm.
    func algorithm() throws(APIError) -> PasswordHashAlgorithm? {
        guard let name = hashAlgorithm.nilIfEmpty else {
            guard (users ?? []).allSatisfy({ $0.passwordHash.nilIfEmpty == nil }) else {
                throw .product("MISSING_HASH_ALGORITHM")
            }
            return nil
        }
        guard let kind = PasswordHashAlgorithm.Kind.all.first(where: { $0.wireName == name }),
            let algorithm = try algorithm(kind)
        else {
            throw .product("INVALID_HASH_ALGORITHM", detail: "This hash algorithm is not supported.")
        }
        return algorithm
    }
}

/// An account to import, in the format of `UserRecord`.
struct ImportedUserBody: Decodable {
    /// `firebase auth:import` sends the text of a CSV column.
    struct TextualBoolean: Decodable {
        let value: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let truth = try? container.decode(Bool.self) {  // `try?`: a string is tried next.
                value = truth
                return
            }
            switch try container.decode(String.self) {
            case "true": value = true
            case "false": value = false
            default: throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a truth value")
            }
        }
    }

    var localId: String?
    /// The tenant of the request, if there is one.
    var tenantId: String?
    var email: String?
    var emailVerified: Bool?
    var emailLinkSignin: Bool?
    var displayName: String?
    var photoUrl: String?
    var phoneNumber: String?
    var disabled: TextualBoolean?
    var passwordHash: String?
    var salt: String?
    var rawPassword: String?
    var passwordUpdatedAt: WireInteger?
    var validSince: WireInteger?
    var createdAt: WireInteger?
    var lastLoginAt: WireInteger?
    /// RFC 3339. A Latchkey extension.
    var deletionDueAt: String?
    var customAttributes: String?
    var providerUserInfo: [ProviderInfoBody]?
    var mfaInfo: [FactorBody]?
    // Members of the protocol: what a listing returns may be imported again.
    var screenName: Ignored?
    var language: Ignored?
    var timeZone: Ignored?
    var dateOfBirth: Ignored?
    var customAuth: Ignored?
    var initialEmail: Ignored?
    var lastRefreshAt: Ignored?
    var version: Ignored?
    var passwordHashConfig: Ignored?
    var passkeyInfo: Ignored?

    /// - Throws: `APIError` with the field that is malformed.
    func account() throws(APIError) -> Identity.ImportedAccount {
        guard let localId = localId.nilIfEmpty else { throw .product("MISSING_LOCAL_ID", detail: "localId is missing") }
        return .init(
            id: AccountID(localId),
            profile: .init(
                email: email.nilIfEmpty, emailVerified: emailVerified,
                password: rawPassword.nilIfEmpty.map(Secret.init), displayName: displayName.nilIfEmpty,
                photoURL: photoUrl.nilIfEmpty, phoneNumber: phoneNumber.nilIfEmpty, disabled: disabled?.value,
                customClaims: customAttributes.nilIfEmpty,
                validSince: validSince.map { Timestamp(seconds: $0.value) },
                createdAt: createdAt.map { Moment(milliseconds: $0.value) },
                lastSignInAt: lastLoginAt.map { Moment(milliseconds: $0.value) },
                secondFactors: try mfaInfo.nilIfEmpty.map { factors throws(APIError) in
                    try FactorBody.entries(factors, at: "mfaInfo")
                }),
            emailLinkSignIn: emailLinkSignin ?? false, links: links,
            passwordHash: try Self.bytes(passwordHash, "passwordHash"), salt: try Self.bytes(salt, "salt"),
            passwordChangedAt: passwordUpdatedAt.map { Moment(milliseconds: $0.value) },
            deletionDueAt: try deletionDueAt.nilIfEmpty.map { text throws(APIError) in
                guard let moment = Moment(rfc3339: text) else {
                    throw .invalidValue(at: "deletionDueAt", type: "google.protobuf.Timestamp")
                }
                return moment
            })
    }

    /// The other entries repeat the e-mail address and the phone number.
    private var links: [ProviderLink] {
        (providerUserInfo ?? []).filter { !["password", "phone"].contains($0.providerId) }.map(\.link)
    }

    private static func bytes(_ text: String?, _ field: String) throws(APIError) -> OctetString? {
        guard let text = text.nilIfEmpty else { return nil }
        guard let bytes = Base64Field.decode(text) else { throw .invalidValue(at: field, type: "TYPE_BYTES") }
        return OctetString(bytes)
    }

    /// - Throws: `APIError` for an address, ID or provider account that two rows have.
    static func requireDistinct(_ rows: [ImportedUserBody]) throws(APIError) {
        var (ids, emails, rawIDs) = (Set<String>(), Set<String>(), Set<String>())
        for row in rows {
            if let id = row.localId.nilIfEmpty, !ids.insert(id).inserted {
                throw .product("DUPLICATE_LOCAL_ID", detail: id)
            }
            if let email = row.email.nilIfEmpty, !emails.insert(email.asciiLowercased).inserted {
                throw .product("DUPLICATE_EMAIL", detail: email)
            }
            for link in row.links where !rawIDs.insert("\(link.providerID)\0\(link.providerAccountID)").inserted {
                throw .product("DUPLICATE_RAW_ID", detail: link.providerAccountID)
            }
        }
    }
}

private struct AccountImportReply: Encodable {
    struct RowError: Encodable {
        var index: Int
        var message: String
    }
    var kind = "identitytoolkit#UploadAccountResponse"
    /// Absent when every row was imported.
    var error: [RowError]?

    mutating func append(_ error: APIError, at index: Int) {
        self.error = (self.error ?? []) + [RowError(index: index, message: error.message)]
    }

    mutating func sort() {
        error?.sort { $0.index < $1.index }
    }
}
