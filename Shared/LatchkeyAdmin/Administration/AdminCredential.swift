/// With what a backend shows that it may administer a project.
public struct AdminCredential: Sendable {
    enum Content: Sendable {
        case accessToken(@Sendable () async throws -> String)
        case emulator
        case serviceAccount(ServiceAccount, ServiceAccount.Signer)
    }

    let content: Content

    /// Access tokens from any source, such as the output of `latchkey token FILE`.
    /// - Parameter source: called for each request; it caches as it likes. An error of it is thrown to the caller.
    public static func accessToken(_ source: @escaping @Sendable () async throws -> String) -> AdminCredential {
        AdminCredential(content: .accessToken(source))
    }

    /// The administrator of a server in dev mode. Servers in production do not accept it.
    public static var emulator: AdminCredential { AdminCredential(content: .emulator) }

    /// A service account. The library exchanges signed assertions for access tokens, one for all calls, and renews them
    /// before they expire.
    /// - Parameters:
    ///   - account: the account, without its private key.
    ///   - sign: signs with the private key of the account; see ``ServiceAccount/Signer``. An error of it is thrown to
    ///     the caller.
    public static func serviceAccount(
        _ account: ServiceAccount, sign: @escaping ServiceAccount.Signer
    ) -> AdminCredential {
        AdminCredential(content: .serviceAccount(account, sign))
    }
}
