package import Crypto

/// Which attestation a registration requires. A statement that does not verify is rejected by every policy, even if
/// the policy does not require trust.
package struct AttestationPolicy: Sendable {
    /// What to request from the client, with the spelling of the W3C enumeration `AttestationConveyancePreference`.
    package enum Conveyance: String, CaseIterable, Codable, Sendable {
        case none, direct
    }

    package var conveyance: Conveyance
    package var acceptedFormats: Set<AttestationFormat>
    /// Rejects statements without a certificate path to a trust anchor.
    package var requiresTrust: Bool
    /// Nil accepts all models. Without `requiresTrust` the AAGUID is only a claim.
    package var allowedAAGUIDs: Set<AAGUID>?
    package var deniedAAGUIDs: Set<AAGUID>
    /// Trusted for every model.
    package var trustAnchors: [Certificate]
    /// Adds the trust anchors of each model, and rejects models with a known vulnerability.
    package var metadata: AuthenticatorMetadata?

    /// Requests no attestation and accepts every valid statement. Nothing is known about the authenticator.
    package static let any = AttestationPolicy()

    package init(
        conveyance: Conveyance = .none, acceptedFormats: Set<AttestationFormat> = Set(AttestationFormat.allCases),
        requiresTrust: Bool = false, allowedAAGUIDs: Set<AAGUID>? = nil, deniedAAGUIDs: Set<AAGUID> = [],
        trustAnchors: [Certificate] = [], metadata: AuthenticatorMetadata? = nil
    ) {
        self.conveyance = conveyance
        self.acceptedFormats = acceptedFormats
        self.requiresTrust = requiresTrust
        self.allowedAAGUIDs = allowedAAGUIDs
        self.deniedAAGUIDs = deniedAAGUIDs
        self.trustAnchors = trustAnchors
        self.metadata = metadata
    }

    /// Steps 23 and 24 of Web Authentication Level 3 §7.1.
    /// - Parameter seconds: the time since 1970 at which the certificates must be valid.
    /// - Returns: whether a trust anchor vouches for the authenticator.
    func evaluate(
        _ attestation: VerifiedAttestation, of aaguid: AAGUID, at seconds: Int64
    ) throws(WebAuthnError) -> Bool {
        guard acceptedFormats.contains(attestation.format) else { throw .attestationFormat }
        guard !deniedAAGUIDs.contains(aaguid), allowedAAGUIDs?.contains(aaguid) != false else {
            throw .attestationTrust
        }
        let entry = metadata?.entry(for: attestation, of: aaguid)
        guard entry?.isCompromised != true, metadata?[aaguid]?.isCompromised != true else { throw .attestationTrust }
        let anchors = trustAnchors + (entry?.attestationRoots ?? [])
        let isTrusted = Self.isTrusted(attestation.trustPath, by: anchors, at: seconds)
        guard isTrusted || !requiresTrust else { throw .attestationTrust }
        return isTrusted
    }

    private static func isTrusted(_ path: [Certificate], by anchors: [Certificate], at seconds: Int64) -> Bool {
        guard let leaf = path.first, !anchors.isEmpty else { return false }
        do throws(CertificateError) {
            try TrustAnchors(anchors).verify(leaf, intermediates: Array(path.dropFirst()), at: seconds)
            return true
        } catch {
            return false
        }
    }
}
