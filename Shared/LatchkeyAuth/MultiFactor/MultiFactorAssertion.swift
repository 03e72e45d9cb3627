/// What the user presents as second factor.
///
/// `@unchecked Sendable`: a class can only be checked if it is final. The stored properties are constants of Sendable
/// types, and no subclass outside of this module is possible.
public class MultiFactorAssertion: @unchecked Sendable {
    /// ``PhoneMultiFactorID`` or ``TOTPMultiFactorID``.
    public let factorID: String
    private let secret: Secret<Content>
    var content: Content { secret.reveal() }

    enum Content: Sendable {
        case phone(PhoneCredentialContent)
        case totpEnrollment(TOTPSecret, oneTimePassword: String)
        case totpSignIn(enrollmentID: String, oneTimePassword: String)
        case recoveryCode(String)
    }

    init(factorID: String, _ content: Content) {
        self.factorID = factorID
        secret = Secret(content)
    }
}

/// The assertion of a phone.
public final class PhoneMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
    init(_ credential: PhoneAuthCredential) { super.init(factorID: PhoneMultiFactorID, .phone(credential.phone)) }
}

/// The assertion of an authenticator app.
public final class TOTPMultiFactorAssertion: MultiFactorAssertion, @unchecked Sendable {
    init(_ content: Content) { super.init(factorID: TOTPMultiFactorID, content) }
}

/// Makes assertions of phones.
public enum PhoneMultiFactorGenerator {
    /// An assertion of the code that the user has received.
    public static func assertion(with credential: PhoneAuthCredential) -> PhoneMultiFactorAssertion {
        PhoneMultiFactorAssertion(credential)
    }
}

/// Makes assertions of authenticator apps.
public enum TOTPMultiFactorGenerator {
    /// Requests a new secret from the server. The user enters it into an authenticator app within 15 minutes.
    /// - Parameter session: of ``MultiFactor/session()``.
    /// - Throws: `operationNotAllowed`, `unverifiedEmail`, `requiresRecentLogin`, `maximumSecondFactorCountExceeded`,
    ///   `unsupportedFirstFactor`.
    public static func generateSecret(with session: MultiFactorSession) async throws -> TOTPSecret {
        guard case .enrollment(let user) = session.content else { throw AuthErrorCode(.invalidMultiFactorSession) }
        return try await user.withIDToken { idToken in
            let response = try await user.auth.server.send(
                StartTOTPEnrollmentRequest(idToken: idToken, tenantId: user.tenantID))
            return TOTPSecret(response.totpSessionInfo)
        }
    }

    /// The form with a completion handler.
    public static func generateSecret(
        with session: MultiFactorSession, completion: @escaping @MainActor @Sendable (TOTPSecret?, (any Error)?) -> Void
    ) {
        run(completion) { try await generateSecret(with: session) }
    }

    /// An assertion that enrolls the app which shows this code.
    public static func assertionForEnrollment(with secret: TOTPSecret, oneTimePassword: String)
        -> TOTPMultiFactorAssertion
    {
        TOTPMultiFactorAssertion(.totpEnrollment(secret, oneTimePassword: oneTimePassword))
    }

    /// An assertion that completes a sign-in.
    /// - Parameters:
    ///   - enrollmentID: `uid` of one of ``MultiFactorResolver/hints``.
    ///   - oneTimePassword: the code that the app shows.
    public static func assertionForSignIn(withEnrollmentID enrollmentID: String, oneTimePassword: String)
        -> TOTPMultiFactorAssertion
    {
        TOTPMultiFactorAssertion(.totpSignIn(enrollmentID: enrollmentID, oneTimePassword: oneTimePassword))
    }
}

/// Makes assertions of recovery codes, which Latchkey adds to the second factors: they replace a lost one.
public enum RecoveryCodeGenerator {
    /// An assertion that completes a sign-in. Each code works once.
    public static func assertionForSignIn(withRecoveryCode code: String) -> MultiFactorAssertion {
        MultiFactorAssertion(factorID: "recoveryCode", .recoveryCode(code))
    }
}
