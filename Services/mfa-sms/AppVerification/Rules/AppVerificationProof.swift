import Contracts
import Vocabulary

/// What a client shows for being a genuine application: one of the ways of REST 2.7.
enum AppVerificationProof: Equatable, Sendable {
    /// What a silent push brought to a device.
    case devicePair(receipt: String, secret: String, bundleID: String?)
    /// Of our page, or of reCAPTCHA v2.
    case webToken(String, bundleID: String?)
    /// Of reCAPTCHA Enterprise.
    case enterpriseToken(String)
}

extension MFASMS.AppCredential {
    /// Says that there is no token of Enterprise, and that another proof counts.
    static let noRecaptcha = "NO_RECAPTCHA"

    /// The one proof that decides.
    ///
    /// A project that enforces reCAPTCHA Enterprise takes nothing else. Under audit the token of Enterprise decides only
    /// where it stands alone, as the libraries send the other proof beside it.
    /// - Throws: `missingRecaptchaToken`, `missingClientIdentifier` for no proof and no word of a kind of client,
    ///   `missingAppCredential` for half a proof, `invalidAppCredential` for one that only Google can judge.
    func proof(demandedBy configuration: ProjectConfiguration) throws(SMSError) -> AppVerificationProof {
        let captcha = captchaResponse?.reveal().nilIfEmpty
        let enterprise = captcha == Self.noRecaptcha ? nil : captcha
        switch configuration.recaptchaConfig?.phoneEnforcement(on: platform) {
        case .enforce:
            guard let enterprise else { throw .missingRecaptchaToken }
            return .enterpriseToken(enterprise)
        case .audit, .off, nil: break
        }
        switch (deviceReceipt?.nilIfEmpty, deviceSecret?.reveal().nilIfEmpty) {
        case (let receipt?, let secret?):
            return .devicePair(receipt: receipt, secret: secret, bundleID: bundleID?.nilIfEmpty)
        case (_?, nil), (nil, _?): throw .missingAppCredential
        case (nil, nil): break
        }
        if let token = recaptchaToken?.reveal().nilIfEmpty { return .webToken(token, bundleID: bundleID?.nilIfEmpty) }
        if let enterprise { return .enterpriseToken(enterprise) }
        // Play Integrity and SafetyNet: their judges are Google's, for Google's own customers.
        if (playIntegrityToken ?? safetyNetToken)?.reveal().nilIfEmpty != nil { throw .invalidAppCredential }
        throw captcha == nil && clientType == nil ? .missingClientIdentifier : .missingAppCredential
    }

    private var platform: ProjectConfiguration.Recaptcha.Platform {
        switch clientType {
        case .android: .android
        case .ios: .ios
        case .web, nil: .web
        }
    }
}
