public import Foundation

/// An error of a call of this library.
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
public struct AuthErrorCode: Error, CustomNSError, LocalizedError, Sendable {
    /// What went wrong.
    public let code: Code
    /// Further values, under the keys that begin with `AuthErrorUserInfo`, and `NSLocalizedDescriptionKey`.
    public let userInfo: [String: any Sendable]

    /// An error with the description of its code.
    /// - Parameters:
    ///   - code: what went wrong.
    ///   - userInfo: the entries beside the description.
    public init(_ code: Code, userInfo: [String: any Sendable] = [:]) {
        self.code = code
        let named: [String: any Sendable] = [
            AuthErrorUserInfoNameKey: code.name, NSLocalizedDescriptionKey: code.explanation,
        ]
        self.userInfo = named.merging(userInfo) { _, new in new }
    }

    /// ``AuthErrorDomain``.
    public static var errorDomain: String { AuthErrorDomain }
    /// The number of ``code``.
    public var errorCode: Int { code.rawValue }
    /// ``userInfo``, for `NSError`.
    public var errorUserInfo: [String: Any] { userInfo }
    /// A sentence in English.
    public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
}

extension AuthErrorCode: Equatable {
    /// Whether the codes are equal.
    public static func == (one: AuthErrorCode, other: AuthErrorCode) -> Bool { one.code == other.code }
}
