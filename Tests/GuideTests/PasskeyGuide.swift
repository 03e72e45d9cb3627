import LatchkeyAuth

/// The introduction of passkeys: one is added, and the requests that offer it.
@MainActor
struct PasskeyGuide {
    let device: PasskeyDevice

    // MARK: - A new passkey

    func addPasskey(withName name: String) async throws -> AuthDataResult {
        guard let user = Auth.auth().currentUser else { throw AuthErrorCode(.nullUser) }
        let request = try await user.startPasskeyEnrollment(withName: name)
        return try await user.finalizePasskeyEnrollment(withPlatformCredential: device.createPasskey(request))
    }

    func addPasskey(withName name: String, completion: @escaping AuthDataResultCompletion) {
        guard let user = Auth.auth().currentUser else { return completion(nil, AuthErrorCode(.nullUser)) }
        user.startPasskeyEnrollment(withName: name) { request, error in
            guard let request else { return completion(nil, error) }
            do {
                user.finalizePasskeyEnrollment(
                    withPlatformCredential: try device.createPasskey(request), completion: completion)
            } catch {
                completion(nil, error)
            }
        }
    }

    // MARK: - A passkey alone

    func signIn() async throws -> AuthDataResult {
        let request = try await Auth.auth().startPasskeySignIn()
        return try await Auth.auth().finalizePasskeySignIn(withPlatformCredential: device.usePasskey(request))
    }

    func signIn(completion: @escaping AuthDataResultCompletion) {
        Auth.auth().startPasskeySignIn { request, error in
            guard let request else { return completion(nil, error) }
            do {
                Auth.auth().finalizePasskeySignIn(
                    withPlatformCredential: try device.usePasskey(request), completion: completion)
            } catch {
                completion(nil, error)
            }
        }
    }

    // MARK: - The requests of the system

    /// - Parameter style: above the keyboard, as a sheet, with the passkeys of a user, only if the device has one, or
    ///   combined with passwords and Sign in with Apple.
    /// - Returns: nil if the device has no credential: the application shows its form.
    func signIn(_ style: PasskeySignInStyle) async throws -> AuthDataResult? {
        let request = try await Auth.auth().credentialRequest(style)
        guard let credential = try device.credential(for: request) else { return nil }
        return try await finishSignIn(with: credential)
    }

    func signIn(
        _ style: PasskeySignInStyle, showSignInForm: @escaping @MainActor @Sendable () -> Void,
        completion: @escaping AuthDataResultCompletion
    ) {
        Auth.auth().credentialRequest(style) { request, error in
            guard let request else { return completion(nil, error) }
            do {
                guard let credential = try device.credential(for: request) else { return showSignInForm() }
                Auth.auth().signIn(with: credential, completion: completion)
            } catch {
                completion(nil, error)
            }
        }
    }

    /// Each kind of credential has its own call, too.
    private func finishSignIn(with credential: CombinedCredential) async throws -> AuthDataResult {
        switch credential {
        case .passkey(let assertion):
            return try await Auth.auth().finalizePasskeySignIn(withPlatformCredential: assertion)
        case .password(let email, let password):
            return try await Auth.auth().signIn(withEmail: email, password: password)
        case .apple(let idToken, let rawNonce, let fullName):
            let credential = OAuthProvider.appleCredential(
                withIDToken: idToken, rawNonce: rawNonce, fullName: fullName)
            return try await Auth.auth().signIn(with: credential)
        }
    }

    // MARK: - Management

    func removePasskey(at index: Int) async throws {
        guard let user = Auth.auth().currentUser, let passkey = user.enrolledPasskeys?[index] else { return }
        try await user.unenrollPasskey(withCredentialID: passkey.credentialID)
    }

    func removePasskey(at index: Int, completion: @escaping AuthCompletion) {
        guard let user = Auth.auth().currentUser, let passkey = user.enrolledPasskeys?[index] else {
            return completion(nil)
        }
        user.unenrollPasskey(withCredentialID: passkey.credentialID, completion: completion)
    }
}
