import Contracts
import Vocabulary

/// The rules for the configuration of a tenant (REST 5.2).
extension TenantConfiguration {
    /// The document to store.
    /// - Parameters:
    ///   - previous: the stored document; nil for a new tenant, whose name is optional.
    ///   - now: RFC 3339.
    ///   - isDev: as for a project.
    func checked(
        after previous: TenantConfiguration?, at now: String, isDev: Bool
    ) throws(ServiceError) -> Self {
        if let displayName {
            guard !displayName.isEmpty else { throw ServiceError(.missingDisplayName) }
            guard Self.isDisplayName(displayName) else { throw ServiceError(.invalidDisplayName) }
        } else if previous?.displayName != nil {
            throw ServiceError(.missingDisplayName)
        }
        try passkeyConfig?.refuseSettingsOfProject()
        // The parts that a tenant shares with its project have the same rules.
        var shared = ProjectConfiguration()
        var phoneNumber = ProjectConfiguration.SignIn.Phone()
        phoneNumber.testPhoneNumbers = testPhoneNumbers
        shared.signIn = .init()
        shared.signIn?.phoneNumber = phoneNumber
        shared.mfa = mfaConfig
        shared.passkeyConfig = passkeyConfig
        shared.branding = branding
        shared.passwordPolicyConfig = passwordPolicyConfig
        shared.recaptchaConfig = recaptchaConfig
        shared.smsRegionConfig = smsRegionConfig
        shared.accountDeletion = accountDeletion
        var before = ProjectConfiguration()
        before.passwordPolicyConfig = previous?.passwordPolicyConfig
        before.branding = previous?.branding
        before.passkeyConfig = previous?.passkeyConfig
        shared = try shared.checked(after: before, at: now, isDev: isDev)
        var checked = self
        checked.mfaConfig = shared.mfa
        checked.passkeyConfig = shared.passkeyConfig
        checked.branding = shared.branding
        checked.passwordPolicyConfig = shared.passwordPolicyConfig
        return checked
    }

    /// 4 to 20 letters, digits and hyphens, a letter first.
    private static func isDisplayName(_ text: String) -> Bool {
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
        guard (4...20).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { byte in
            isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
        }
    }

    /// An id for a new tenant: its name and five random characters.
    /// - Parameter random: returns the requested number of bytes.
    func newID(random: (_ count: Int) -> [UInt8]) -> TenantID {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var suffix: [UInt8] = []
        while suffix.count < 5 {
            // 252 is the largest multiple of 36 in a byte.
            suffix += random(8).filter { $0 < 252 }.map { alphabet[Int($0) % alphabet.count] }
        }
        let name = displayName.map(\.asciiLowercased) ?? "tenant"
        return TenantID("\(name)-\(String(decoding: suffix.prefix(5), as: UTF8.self))")
    }
}
