/// The flags byte of the authenticator data (Web Authentication Level 3 §6.1). Reserved bits are ignored.
package struct AuthenticatorFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// UP
    package static let userPresent = AuthenticatorFlags(rawValue: 0x01)
    /// UV
    package static let userVerified = AuthenticatorFlags(rawValue: 0x04)
    /// BE: the credential can be synchronized.
    package static let backupEligible = AuthenticatorFlags(rawValue: 0x08)
    /// BS: the credential is synchronized.
    package static let backedUp = AuthenticatorFlags(rawValue: 0x10)
    /// AT
    package static let attestedCredentialData = AuthenticatorFlags(rawValue: 0x40)
    /// ED
    package static let extensionData = AuthenticatorFlags(rawValue: 0x80)
}
