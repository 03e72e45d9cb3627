package import LatchkeyAuth

extension Auth {
    /// Creates the account of a test user, and signs in.
    @discardableResult
    package func signUp(_ person: TestUser) async throws -> AuthDataResult {
        try await createUser(withEmail: person.email, password: person.password)
    }

    /// Signs a test user in with the password.
    @discardableResult
    package func signIn(_ person: TestUser) async throws -> AuthDataResult {
        try await signIn(withEmail: person.email, password: person.password)
    }
}
