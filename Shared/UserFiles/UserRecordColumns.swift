import Vocabulary

/// The columns of the CSV that `firebase auth:export` writes. The last one is always empty: each line ends with a comma.
enum UserRecordColumns {
    static let count = 29
    /// Older files end before `disabled` and the custom claims.
    private static let acceptedCounts = 26...29

    /// The four columns of each of these providers, in their order.
    static let providers = ["google.com", "facebook.com", "twitter.com", "github.com"]

    static func body(_ fields: [[UInt8]]) throws(UserRecordError) -> UserRecordBody {
        guard !fields.contains(where: { $0.contains(0) }) else { throw .malformed("a field holds U+0000") }
        guard acceptedCounts.contains(fields.count) else {
            throw .malformed("the record has \(fields.count) columns instead of \(count)")
        }
        var texts: [String] = []
        for bytes in fields {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .malformed("column \(texts.count + 1) is not UTF-8")
            }
            texts.append(text)
        }
        var rest = texts[...]
        func next() -> String? { rest.popFirst().nilIfEmpty }
        var body = UserRecordBody()
        body.localId = next()
        body.email = next()
        body.emailVerified = try boolean(next(), "emailVerified")
        body.passwordHash = next()
        body.salt = next()
        body.displayName = next()
        body.photoUrl = next()
        for provider in providers {
            let link = ProviderUserBody(
                providerId: provider, rawId: next(), email: next(), displayName: next(), photoUrl: next())
            if link.rawId != nil { body.providerUserInfo = (body.providerUserInfo ?? []) + [link] }
        }
        body.createdAt = try integer(next(), "createdAt")
        body.lastLoginAt = try integer(next(), "lastLoginAt")
        body.phoneNumber = next()
        body.disabled = try boolean(next(), "disabled")
        body.customAttributes = next()
        guard next() == nil else { throw .malformed("column \(count) is not empty") }
        return body
    }

    private static func boolean(_ text: String?, _ column: String) throws(UserRecordError) -> FlexibleBoolean? {
        guard let text else { return nil }
        guard let value = FlexibleBoolean(text) else { throw .malformed("\(column) is not true or false") }
        return value
    }

    private static func integer(_ text: String?, _ column: String) throws(UserRecordError) -> FlexibleInteger? {
        guard let text else { return nil }
        guard let value = FlexibleInteger(text) else { throw .malformed("\(column) is not a number") }
        return value
    }
}
