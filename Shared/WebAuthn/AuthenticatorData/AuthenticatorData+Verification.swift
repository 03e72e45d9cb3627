import Crypto

extension AuthenticatorData {
    /// Steps 14 to 17 of Web Authentication Level 3 §7.1, which are steps 15 to 18 of §7.2.
    func verify(
        _ relyingParty: RelyingParty, requiresUserPresence: Bool, userVerification: UserVerificationRequirement
    ) throws(WebAuthnError) {
        // Step 14 (15); WR11.
        guard relyingPartyIDHash == SHA2.sha256(Array(relyingParty.id.utf8)) else { throw .relyingPartyID }
        // Step 15 (16).
        guard flags.contains(.userPresent) || !requiresUserPresence else { throw .userNotPresent }
        // Step 16 (17).
        guard flags.contains(.userVerified) || userVerification != .required else { throw .userNotVerified }
        // Step 17 (18); WR14.
        guard flags.contains(.backupEligible) || !flags.contains(.backedUp) else { throw .backupFlags }
    }
}
