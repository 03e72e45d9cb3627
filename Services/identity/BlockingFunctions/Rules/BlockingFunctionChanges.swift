import Contracts
import FoundationEssentials
import JSON
import Vocabulary

/// The changes that a blocking function has requested in its response.
struct BlockingFunctionChanges: Equatable, Sendable {
    /// A value of a field that can be removed.
    enum Value<Content: Equatable & Sendable>: Equatable, Sendable {
        case set(Content)
        case removed
    }

    var displayName: Value<String>?
    var photoURL: Value<String>?
    var isDisabled: Bool?
    var isEmailVerified: Bool?
    var customClaims: Value<[String: JSONValue]>?
    var sessionClaims: Value<[String: JSONValue]>?

    /// UTF-8 bytes of the claims of each kind as sorted JSON, and of those of a token together.
    static let maximumClaimBytes = CustomClaims.maximumLength

    static let none = BlockingFunctionChanges()

    private init() {}

    /// The response is refused; `reason` is for the log.
    struct InvalidResponseError: Error, Equatable, Sendable {
        var reason: String
    }

    /// Parses the body of a response with status 200. An empty body and an object without `userRecord` change nothing.
    /// - Throws: `InvalidResponseError` for anything that is not exactly understood: malformed JSON, a record without
    ///   `updateMask`, an unknown field in it, a value of another type, forbidden or too long claims.
    init(responseBody: Data, to event: BlockingFunctionEvent) throws(InvalidResponseError) {
        guard !responseBody.isEmpty else { return }
        let document: JSONValue
        do {
            document = try WireJSON.decode(JSONValue.self, from: responseBody)
        } catch {
            throw Self.invalid("the body is not JSON")
        }
        guard case .object(let members) = document else { throw Self.invalid("the body is not an object") }
        switch members["userRecord"] {
        case nil, .null?: return
        case .object(let record)?: try read(record, event)
        case .bool?, .integer?, .number?, .string?, .array?: throw Self.invalid("userRecord is not an object")
        }
    }

    private mutating func read(
        _ record: [String: JSONValue], _ event: BlockingFunctionEvent
    ) throws(InvalidResponseError) {
        guard case .string(let mask)? = record["updateMask"] else { throw Self.invalid("updateMask is missing") }
        for piece in mask.pieces(at: ",") {
            let name = String(decoding: piece.utf8.filter { $0 != UInt8(ascii: " ") }, as: UTF8.self)
            let value = record[name]
            switch name {
            case "displayName": displayName = try Self.text(value, name)
            // `photoURL` is the spelling of the libraries for Node.
            case "photoUrl", "photoURL": photoURL = try Self.text(value, name)
            case "disabled": isDisabled = try Self.boolean(value, name)
            case "emailVerified": isEmailVerified = try Self.boolean(value, name)
            case "customClaims": customClaims = try Self.claims(value, name)
            case "sessionClaims":
                let claims = try Self.claims(value, name)
                // Without a session there is nothing to add them to (REST 8).
                switch event {
                case .beforeCreate: break
                case .beforeSignIn: sessionClaims = claims
                }
            default: throw Self.invalid("updateMask has an unknown field")
            }
        }
        do {
            try StoredAccount.checkProfile(displayName: displayName?.content, photoURL: photoURL?.content)
        } catch {
            throw Self.invalid("a display name or a photo URL is too long")
        }
    }

    // MARK: Values

    private static func text(_ value: JSONValue?, _ name: String) throws(InvalidResponseError) -> Value<String> {
        switch value {
        case nil, .null?, .string("")?: return .removed
        case .string(let text)?: return .set(text)
        case .bool?, .integer?, .number?, .array?, .object?: throw invalid("\(name) is not a string")
        }
    }

    private static func boolean(_ value: JSONValue?, _ name: String) throws(InvalidResponseError) -> Bool {
        guard case .bool(let isSet)? = value else { throw invalid("\(name) is not a boolean") }
        return isSet
    }

    private static func claims(
        _ value: JSONValue?, _ name: String
    ) throws(InvalidResponseError) -> Value<[String: JSONValue]> {
        switch value {
        case nil, .null?: return .removed
        case .object(let claims)?:
            guard !claims.isEmpty else { return .removed }
            do {
                _ = try claims.boundedText()
            } catch {
                throw invalid("\(name): \(error.code.rawValue)")
            }
            return .set(claims)
        case .bool?, .integer?, .number?, .string?, .array?: throw invalid("\(name) is not an object")
        }
    }

    private static func invalid(_ reason: String) -> InvalidResponseError { InvalidResponseError(reason: reason) }
}

extension BlockingFunctionChanges.Value {
    var content: Content? {
        switch self {
        case .set(let content): content
        case .removed: nil
        }
    }
}

extension BlockingFunctionChanges.Value<[String: JSONValue]> {
    fileprivate var claimsText: String? {
        get throws(ServiceError) { try content?.boundedText() }
    }
}

// MARK: - Application

extension BlockingFunctionChanges {
    /// Changes the fields that the response names.
    /// - Throws: `blockingFunctionError` if the claims of the account and of the session are too long together.
    func apply(
        to stored: inout StoredAccount, _ authentication: inout AuthenticationContext
    ) throws(ServiceError) {
        if let displayName { stored.account.displayName = displayName.content }
        if let photoURL { stored.account.photoURL = photoURL.content }
        if let isDisabled { stored.account.disabled = isDisabled }
        if let isEmailVerified {
            // Also without an address: the claim of the token is for the application. An address that the account gets
            // later is not verified by it.
            stored.account.emailVerified = isEmailVerified
            if stored.account.email != nil { stored.isEmailProven = isEmailVerified }
        }
        guard customClaims != nil || sessionClaims != nil else { return }
        do {
            if let customClaims { stored.account.customClaims = try customClaims.claimsText }
            var ofSession = try authentication.claims.flatMap { text throws(ServiceError) in
                try CustomClaims.parse(text)
            }
            if let added = sessionClaims?.content {
                ofSession = (ofSession ?? [:]).merging(added) { $1 }
                authentication.claims = try ofSession?.boundedText()
            }
            let ofAccount = try stored.account.customClaims.flatMap { text throws(ServiceError) in
                try CustomClaims.parse(text)
            }
            _ = try (ofAccount ?? [:]).merging(ofSession ?? [:]) { $1 }.boundedText()
        } catch {
            throw .blockingFunctionError(.invalidResponse)
        }
    }
}

extension [String: JSONValue] {
    /// The text of claims, with sorted names.
    /// - Throws: `reservedClaim`, `customClaimsTooLarge`.
    fileprivate func boundedText() throws(ServiceError) -> String {
        // `try?`: values that were decoded can be encoded.
        guard let data = try? WireJSON.encodeSorted(self),
            data.count <= BlockingFunctionChanges.maximumClaimBytes
        else { throw ServiceError(.customClaimsTooLarge) }
        let text = String(decoding: data, as: UTF8.self)
        _ = try CustomClaims.parse(text)
        return text
    }
}
