import Contracts
import Vocabulary

/// A device and its application that request a silent push (REST 2.15).
struct PushDevice: Equatable, Sendable {
    /// Length of an APNs device token. Apple does not specify it; current tokens have 64 digits.
    static let tokenDigits = 32...200

    /// Hexadecimal, in lower case.
    var token: String
    var bundleID: String

    /// - Throws: `missingDeviceToken`, `missingBundleID`; `invalidAppCredential` for a malformed token or an
    ///   application that is not registered in this project: clients then use the page.
    init(
        token: String?, bundleID: String?, in configuration: ProjectConfiguration, isDev: Bool
    ) throws(ServiceError) {
        guard let token, !token.isEmpty else { throw ServiceError(.missingDeviceToken) }
        guard let bundleID, !bundleID.isEmpty else { throw ServiceError(.missingIOSBundleID) }
        let digits = token.asciiLowercased
        let isToken =
            Self.tokenDigits.contains(digits.utf8.count) && digits.utf8.count.isMultiple(of: 2)
            && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        guard isToken, ProjectConfiguration.MobileApp.isBundleID(bundleID),
            configuration.registersIOSApp(bundleID, isDev: isDev)
        else { throw ServiceError(.invalidAppCredential) }
        self.token = digits
        self.bundleID = bundleID
    }
}
