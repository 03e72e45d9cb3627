import Crypto

/// The extension with which Android Keystore describes an attested key (source.android.com, "Key and ID attestation",
/// `KeyDescription`).
struct AndroidKeyDescription {
    static let identifier: OID = "1.3.6.1.4.1.11129.2.1.17"

    /// The fields of an `AuthorizationList` that WebAuthn uses.
    struct AuthorizationList {
        /// Empty if the field is absent.
        fileprivate(set) var purposes: Set<Int> = []
        fileprivate(set) var origin: Int?
        fileprivate(set) var includesAllApplications = false
    }

    let attestationChallenge: [UInt8]
    /// What the Android system enforces.
    let softwareEnforced: AuthorizationList
    /// What the trusted execution environment or the secure element enforces.
    let hardwareEnforced: AuthorizationList

    /// ```
    /// KeyDescription ::= SEQUENCE {
    ///   attestationVersion INTEGER, attestationSecurityLevel ENUMERATED, keyMintVersion INTEGER,
    ///   keyMintSecurityLevel ENUMERATED, attestationChallenge OCTET STRING, uniqueId OCTET STRING,
    ///   softwareEnforced AuthorizationList, hardwareEnforced AuthorizationList }
    /// ```
    /// - Returns: nil if the value is malformed.
    init?(der: [UInt8]) {
        guard let description = ASN1Element(der: der), description.tag == .sequence,
            let fields = description.children(maximum: 8), fields.count == 8,
            fields.map(\.tag)
                == [
                    .integer, .enumerated, .integer, .enumerated, .octetString, .octetString, .sequence, .sequence,
                ],
            let challenge = fields.dropFirst(4).first, !challenge.isConstructed,
            let softwareEnforced = fields.dropFirst(6).first.flatMap(Self.authorizationList),
            let hardwareEnforced = fields.last.flatMap(Self.authorizationList)
        else { return nil }
        attestationChallenge = challenge.content
        self.softwareEnforced = softwareEnforced
        self.hardwareEnforced = hardwareEnforced
    }

    /// Each field has an explicit tag. Newer versions have further fields, which are ignored.
    private static func authorizationList(_ sequence: ASN1Element) -> AuthorizationList? {
        guard let fields = sequence.children(maximum: 100) else { return nil }
        var list = AuthorizationList()
        var numbers: Set<Int> = []
        for field in fields {
            guard case .context(let number) = field.tag, numbers.insert(number).inserted,
                let values = field.children(maximum: 1), let value = values.first
            else { return nil }
            switch number {
            case 1:  // purpose, SET OF INTEGER
                guard value.tag == .set, let purposes = value.children(maximum: 10) else { return nil }
                list.purposes = Set(purposes.compactMap(\.unsignedValue))
                guard list.purposes.count == purposes.count else { return nil }
            case 600:  // allApplications, NULL
                list.includesAllApplications = true
            case 702:  // origin, INTEGER
                guard let origin = value.unsignedValue else { return nil }
                list.origin = origin
            default:
                break
            }
        }
        return list
    }
}
