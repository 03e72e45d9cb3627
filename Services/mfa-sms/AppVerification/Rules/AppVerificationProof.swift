import Contracts
import Vocabulary

/// A proof in an app credential: one of the kinds of REST 2.7.
enum AppVerificationProof: Equatable, Sendable {
    /// The pair that a silent push delivered to a device.
    case devicePair(receipt: String, secret: String, bundleID: String?)
    /// A token of the hosted page or of reCAPTCHA v2.
    case webToken(String, bundleID: String?)
    /// A token of reCAPTCHA Enterprise.
    case enterpriseToken(String)
}

extension MFASMS.AppCredential {
    /// Means that there is no Enterprise token and that another proof is sent.
    static let noRecaptcha = "NO_RECAPTCHA"

    /// The one proof that is verified.
    ///
    /// A project that enforces reCAPTCHA Enterprise accepts only its tokens. In audit mode an Enterprise token is
    /// verified only if it is the only proof, because the libraries send the other proof beside it.
    /// - Throws: `missingRecaptchaToken`, `missingClientIdentifier` without a proof and a client type,
    ///   `missingAppCredential` for an incomplete proof, `invalidAppCredential` for one that only Google can verify.
    func proof(requiredBy configuration: ProjectConfiguration) throws(ServiceError) -> AppVerificationProof {
        let captcha = captchaResponse?.reveal().nilIfEmpty
        let enterprise = captcha == Self.noRecaptcha ? nil : captcha
        switch configuration.recaptchaConfig?.phoneEnforcement(on: platform) {
        case .enforce:
            guard let enterprise else { throw ServiceError(.missingRecaptchaToken) }
            return .enterpriseToken(enterprise)
        case .audit, .off, nil: break
        }
        switch (deviceReceipt?.nilIfEmpty, deviceSecret?.reveal().nilIfEmpty) {
        case (let receipt?, let secret?):
            return .devicePair(receipt: receipt, secret: secret, bundleID: bundleID?.nilIfEmpty)
        case (_?, nil), (nil, _?): throw ServiceError(.missingAppCredential)
        case (nil, nil): break
        }
        if let token = recaptchaToken?.reveal().nilIfEmpty { return .webToken(token, bundleID: bundleID?.nilIfEmpty) }
        if let enterprise { return .enterpriseToken(enterprise) }
        // Play Integrity and SafetyNet: only Google can verify them, for its own customers.
        if (playIntegrityToken ?? safetyNetToken)?.reveal().nilIfEmpty != nil {
            throw ServiceError(.invalidAppCredential)
        }
        throw captcha == nil && clientType == nil
            ? ServiceError(.missingClientIdentifier) : ServiceError(.missingAppCredential)
    }

    private var platform: ProjectConfiguration.Recaptcha.Platform {
        switch clientType {
        case .android: .android
        case .ios: .ios
        case .web, nil: .web
        }
    }
}
