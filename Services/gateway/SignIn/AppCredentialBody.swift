import Contracts
import Vocabulary

/// The app credential of a client (REST 2.7): members that several bodies have among their own. Such a body decodes
/// them from its own decoder.
struct AppCredentialBody: Decodable, Sendable {
    /// Receipt and secret of a silent push.
    var iosReceipt: String?
    var iosSecret: String?
    var recaptchaToken: String?
    var captchaResponse: String?
    var playIntegrityToken: String?
    var safetyNetToken: String?
    var clientType: OptionalWireEnum<MFASMS.AppCredential.ClientType>?

    /// - Parameter bundleID: from the headers, `Call.iOSBundleID`.
    func credential(bundleID: String?) -> MFASMS.AppCredential {
        .init(
            deviceReceipt: iosReceipt.nilIfEmpty, deviceSecret: iosSecret.nilIfEmpty.map(Secret.init),
            recaptchaToken: recaptchaToken.nilIfEmpty.map(Secret.init),
            captchaResponse: captchaResponse.nilIfEmpty.map(Secret.init),
            playIntegrityToken: playIntegrityToken.nilIfEmpty.map(Secret.init),
            safetyNetToken: safetyNetToken.nilIfEmpty.map(Secret.init), clientType: clientType?.value,
            bundleID: bundleID)
    }
}

/// In protocol-number order.
extension MFASMS.AppCredential.ClientType: WireEnumeration {}
