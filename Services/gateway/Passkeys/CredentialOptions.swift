import Contracts
import Vocabulary

/// The reply that starts a registration (`PublicKeyCredentialCreationOptionsJSON`, with standard base64).
struct CreationOptionsReply: Encodable {
    var credentialCreationOptions: Options

    struct Options: Encodable {
        struct RelyingParty: Encodable {
            var id: String
            var name: String
        }
        struct User: Encodable {
            var id: String
            var name: String
            var displayName: String
        }
        struct Parameters: Encodable {
            var type = "public-key"
            var alg: Int
        }
        /// Without `authenticatorAttachment`: the user chooses between this device and another one.
        struct Selection: Encodable {
            var residentKey = "required"
            /// For clients of Level 1.
            var requireResidentKey = true
            var userVerification: String
        }
        enum Hint: String, Encodable {
            /// This device.
            case clientDevice = "client-device"
        }
        /// The client reports whether the credential is discoverable.
        struct Extensions: Encodable { var credProps = true }

        var rp: RelyingParty
        var user: User
        var challenge: String
        var pubKeyCredParams: [Parameters]
        var timeout: Int
        var attestation: String
        var excludeCredentials: [CredentialDescriptorBody]
        var authenticatorSelection: Selection
        /// What the page expects the user to take, the most likely first (Web Authentication Level 3, 5.8.7); absent in the replies
        /// of REST calls.
        var hints: [Hint]?
        var extensions = Extensions()
    }

    init(_ reply: Passkey.StartEnrollment.Reply) {
        credentialCreationOptions = .init(
            rp: .init(id: reply.relyingPartyID, name: reply.relyingPartyName),
            user: .init(
                id: Base64Field.encode(reply.userHandle.bytes), name: reply.userName,
                displayName: reply.userDisplayName),
            challenge: Base64Field.encode(reply.challenge.reveal().bytes),
            pubKeyCredParams: reply.algorithms.map { .init(alg: $0) }, timeout: reply.timeoutMilliseconds,
            attestation: reply.attestation.optionText,
            excludeCredentials: reply.excludedCredentials.map(CredentialDescriptorBody.init),
            authenticatorSelection: .init(userVerification: reply.userVerification.optionText))
    }
}

/// The reply that starts a sign-in (`PublicKeyCredentialRequestOptionsJSON`, with standard base64).
struct RequestOptionsReply: Encodable {
    var credentialRequestOptions: Options

    struct Options: Encodable {
        var challenge: String
        var rpId: String
        var timeout: Int
        var userVerification: String
        /// Absent: any passkey of the relying party.
        var allowCredentials: [CredentialDescriptorBody]?
    }

    init(_ reply: Passkey.StartSignIn.Reply) {
        credentialRequestOptions = .init(
            challenge: Base64Field.encode(reply.challenge.reveal().bytes), rpId: reply.relyingPartyID,
            timeout: reply.timeoutMilliseconds, userVerification: reply.userVerification.optionText,
            allowCredentials: reply.allowedCredentials.map(CredentialDescriptorBody.init).nilIfEmpty)
    }
}

/// `PublicKeyCredentialDescriptorJSON`.
struct CredentialDescriptorBody: Encodable {
    var id: String
    var type = "public-key"
    var transports: [String]?

    init(_ descriptor: Passkey.CredentialDescriptor) {
        id = Base64Field.encode(descriptor.id.bytes)
        transports = descriptor.transports.nilIfEmpty
    }
}

extension Passkey.UserVerification {
    /// The value of `UserVerificationRequirement`.
    fileprivate var optionText: String {
        switch self {
        case .required: "required"
        case .preferred: "preferred"
        }
    }
}

extension ProjectConfiguration.Passkeys.Conveyance {
    /// The value of `AttestationConveyancePreference`.
    fileprivate var optionText: String {
        switch self {
        case .none: "none"
        case .direct: "direct"
        }
    }
}
