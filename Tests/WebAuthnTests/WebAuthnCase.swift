import Crypto
import Foundation
import JSON
import Vocabulary

/// A case of `Tests/Vectors/README.md`, section "WebAuthn case format". A field that this type does not know makes the
/// case unusable, because it could change the meaning.
struct WebAuthnCase: Decodable, Sendable {
    enum Kind: String, Decodable {
        case registration, authentication
    }

    struct Options: Decodable {
        let challenge: String
        let rpId: String
        let origins: [String]
        let allowCrossOrigin: Bool
        let topOrigins: [String]
        let requireUserVerification: Bool
        let requireUserPresence: Bool?
        let algorithms: [Int64]?
        let allowCredentials: [String]?
        let userIdentified: Bool?
    }

    struct Stored: Decodable {
        let credentialId: String
        let publicKey: String
        let signCount: UInt32
        let backupEligible: Bool?
        let userHandle: String?
    }

    struct State: Decodable {
        let registeredCredentialIds: [String]?
    }

    struct Credential: Decodable {
        struct Response: Decodable {
            let clientDataJSON: String
            let attestationObject: String?
            let transports: [String]?
            let authenticatorData: String?
            let signature: String?
            let userHandle: String?
        }

        let id: String
        let rawId: String?
        let type: String?
        let response: Response
    }

    struct Expectation: Decodable {
        enum Outcome: String, Decodable {
            case accept, reject, either
        }

        let outcome: Outcome
        /// Informative.
        let reason: String?
        let fmt: String?
        let alg: Int64?
        let aaguid: String?
        let signCount: UInt32?
        let up: Bool?
        let uv: Bool?
        let be: Bool?
        let bs: Bool?
        let publicKey: String?
        let credentialId: String?
        let selfAttestation: Bool?
    }

    let id: String
    let kind: Kind
    let options: Options
    let stored: Stored?
    let state: State?
    let credential: Credential
    let expect: Expectation
    let optional: Bool?
    let trustAnchor: String?
    /// DER certificate that `trustAnchor` names.
    private(set) var trustAnchorCertificate: [UInt8]?

    private enum CodingKeys: String, CodingKey {
        case id, kind, options, stored, state, credential, expect, optional, trustAnchor
    }

    /// The known fields of each object. Some are only for readers: `description`, `level`, `note`, `reason`, `title`.
    private static let fields: [String: Set<String>] = [
        "": [
            "id", "kind", "description", "title", "note", "options", "stored", "state", "credential", "expect",
            "optional", "trustAnchor",
        ],
        "options": [
            "challenge", "rpId", "origins", "allowCrossOrigin", "topOrigins", "requireUserVerification",
            "requireUserPresence", "algorithms", "allowCredentials", "userIdentified",
        ],
        "stored": ["credentialId", "publicKey", "signCount", "backupEligible", "userHandle"],
        "state": ["registeredCredentialIds"],
        "expect": [
            "outcome", "reason", "level", "fmt", "alg", "aaguid", "signCount", "up", "uv", "be", "bs", "publicKey",
            "credentialId", "selfAttestation",
        ],
        // The browser's form; the relying party does not use every member.
        "credential": [
            "id", "rawId", "type", "response", "clientExtensionResults", "authenticatorAttachment",
        ],
        "credential.response": [
            "clientDataJSON", "attestationObject", "transports", "authenticatorData", "signature", "userHandle",
            "publicKey", "publicKeyAlgorithm",
        ],
    ]

    init(_ json: JSONValue, _ anchors: [String: WebAuthnVector.TrustAnchor]) throws {
        for (path, known) in Self.fields {
            let object = path.split(separator: ".").reduce(Optional(json)) { $0?[String($1)] }
            guard case .object(let members)? = object else { continue }
            let unknown = Set(members.keys).subtracting(known)
            guard unknown.isEmpty else {
                throw WebAuthnVector.Unusable(description: "unknown fields in '\(path)': \(unknown.sorted())")
            }
        }
        self = try JSONDecoder().decode(WebAuthnCase.self, from: WireJSON.encode(json))
        if let trustAnchor {
            guard let anchor = anchors[trustAnchor], let der = Base64URL.decode(anchor.x509Der) else {
                throw WebAuthnVector.Unusable(description: "the file has no trust anchor \(trustAnchor)")
            }
            trustAnchorCertificate = der
        }
    }
}
