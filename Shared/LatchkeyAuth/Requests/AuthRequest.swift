import Foundation

/// One call of the REST protocol. Its properties are the members of the body; nil ones are absent.
package protocol AuthRequest: Encodable, Sendable {
    associatedtype Response: Decodable & Sendable
    /// The path behind the URL of the server, such as `v1/accounts:signUp`.
    static var path: String { get }
    static var repetition: Repetition { get }
}

/// The response of a call whose members the library does not use.
package struct EmptyResponse: Decodable, Sendable {}
