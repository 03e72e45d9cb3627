public import Foundation

/// An error of a call of this library. Errors are equal if their codes are.
///
/// Catch it by its code:
///
/// ```swift
/// do {
///     try await Auth.auth().signIn(withEmail: email, password: password)
/// } catch let error as AuthErrorCode where error.code == .secondFactorRequired {
///     let resolver = error.userInfo[AuthErrorUserInfoMultiFactorResolverKey] as? MultiFactorResolver
/// }
/// ```
///
/// `error as NSError` has the domain ``AuthErrorDomain``, the number of the code, and the same `userInfo`. No error
/// contains a password, a code or a token.
public struct AuthErrorCode: Error, CustomNSError, LocalizedError, RawRepresentable, Sendable {
    /// Name in Firebase Authentication.
    public typealias Code = AuthErrorCode

    /// The number of the code.
    public let rawValue: Int
    /// One sentence for a developer.
    let explanation: String
    /// The name of the code in Swift.
    private let member: String
    private let values: [String: any Sendable]

    /// An error with the description of its code.
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - userInfo: the entries beside the description.
    public init(_ code: AuthErrorCode, userInfo: [String: any Sendable] = [:]) {
        self.init(code.rawValue, code.explanation, member: code.member, userInfo)
    }

    /// The code with a number of Firebase Authentication; nil if no code has it.
    public init?(rawValue: Int) {
        guard let code = Self.codes[rawValue] else { return nil }
        self = code
    }

    /// The code of an error of this library; `internalError` for any other error.
    public init(_nsError error: NSError) {
        guard error.domain == AuthErrorDomain, let code = Self(rawValue: error.code) else {
            self = .internalError
            return
        }
        if let original = error as any Error as? AuthErrorCode {
            self = original
            return
        }
        // The types of the entries that this library makes.
        let values = error.userInfo.compactMapValues { value -> (any Sendable)? in
            switch value {
            case let text as String: text
            case let number as Int: number
            case let resolver as MultiFactorResolver: resolver
            case let credential as AuthCredential: credential
            case let cause as URLError: cause
            default: nil
            }
        }
        self.init(code, userInfo: values)
    }

    /// - Parameter member: the name of the static member that is this code.
    init(_ number: Int, _ explanation: String, member: String = #function, _ values: [String: any Sendable] = [:]) {
        rawValue = number
        self.explanation = explanation
        self.member = member
        self.values = values
    }

    private static let codes = Dictionary(uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

    /// Such as `ERROR_INVALID_API_KEY` for `invalidAPIKey`: a word begins at a capital letter that follows a small one, or
    /// that a small one follows.
    var name: String {
        let letters = Array(member)
        return letters.indices.reduce(into: "ERROR") { name, index in
            let followsSmall = index > 0 && letters[index - 1].isLowercase
            let precedesSmall = index + 1 < letters.count && letters[index + 1].isLowercase
            if index == 0 || letters[index].isUppercase && (followsSmall || precedesSmall) { name += "_" }
            name += letters[index].uppercased()
        }
    }

    /// What went wrong, without further values.
    public var code: AuthErrorCode { Self(self) }

    /// Further values, under the keys that begin with `AuthErrorUserInfo`, and `NSLocalizedDescriptionKey`.
    public var userInfo: [String: any Sendable] {
        [AuthErrorUserInfoNameKey: name, NSLocalizedDescriptionKey: explanation].merging(values) { _, new in new }
    }

    /// ``AuthErrorDomain``.
    public static var errorDomain: String { AuthErrorDomain }
    /// The number of ``code``.
    public var errorCode: Int { rawValue }
    /// ``userInfo``, for `NSError`.
    public var errorUserInfo: [String: Any] { userInfo }
    /// A sentence in English.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
}

extension AuthErrorCode: Hashable {
    /// Whether the codes are equal.
    public static func == (one: AuthErrorCode, other: AuthErrorCode) -> Bool { one.rawValue == other.rawValue }

    /// The number of the code.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// For `catch AuthErrorCode.wrongPassword`.
    public static func ~= (code: AuthErrorCode, error: any Error) -> Bool { (error as? AuthErrorCode) == code }
}
