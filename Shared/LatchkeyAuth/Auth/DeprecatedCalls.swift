import Foundation

extension Auth {
    /// The ways in which an account with an address can sign in. In projects with e-mail privacy the list is empty, so
    /// that it tells nobody which addresses have accounts.
    /// - Throws: `invalidEmail`, `tooManyRequests`.
    @available(*, deprecated, message: "In projects with e-mail privacy the list is empty; offer every way to sign in.")
    public func fetchSignInMethods(forEmail email: String) async throws -> [String] {
        try await signInMethods(ofEmail: email)
    }

    /// The form with a completion handler.
    @available(*, deprecated, message: "In projects with e-mail privacy the list is empty; offer every way to sign in.")
    public func fetchSignInMethods(
        forEmail email: String, completion: (@MainActor @Sendable ([String]?, (any Error)?) -> Void)? = nil
    ) {
        run(completion) { try await self.signInMethods(ofEmail: email) }
    }

    func signInMethods(ofEmail email: String) async throws -> [String] {
        try await server.send(SignInMethodsRequest(identifier: email, tenantId: tenantID)).signinMethods ?? []
    }
}

extension User {
    /// Changes the address at once. In projects with e-mail privacy the server refuses it.
    /// - Throws: `invalidEmail`, `emailAlreadyInUse`, `operationNotAllowed` in projects with e-mail privacy,
    ///   `requiresRecentLogin`, and as ``reload()``.
    @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:).")
    public func updateEmail(to email: String) async throws {
        try await changeEmail(to: email)
    }

    /// The form with a completion handler.
    @available(*, deprecated, message: "Use sendEmailVerification(beforeUpdatingEmail:).")
    public func updateEmail(to email: String, completion: AuthCompletion? = nil) {
        run(completion) { try await self.changeEmail(to: email) }
    }

    func changeEmail(to email: String) async throws {
        try await change { UpdateAccountRequest(idToken: $0, email: email, tenantId: self.tenantID) }
    }
}

/// `accounts:createAuthUri` with an address (REST 2.5).
struct SignInMethodsRequest: AuthRequest {
    static let path = "v1/accounts:createAuthUri"
    static let repetition = Repetition.always

    var identifier: String
    var continueUri = "http://localhost"
    var tenantId: String?

    struct Response: Decodable, Sendable {
        var signinMethods: [String]?
    }
}
