package import Vocabulary

/// The operations of the passkey service: the relying party of Web Authentication Level 3 (REST 3.6).
package enum Passkey {
    /// How long the challenge of a ceremony is valid.
    package static let ceremonyLifetime = Duration.seconds(5 * 60)

    package enum Operation: String, ServiceOperation {
        case startEnrollment, finishEnrollment
        case startSignIn, finishSignIn
        /// For the well-known files of the gateway.
        case describeRelyingParty
        case importCredentials
        case forgetAccounts

        package static let service = ServiceName.passkey

        package var callers: Set<BusCaller> {
            switch self {
            case .startEnrollment, .finishEnrollment, .startSignIn, .finishSignIn, .describeRelyingParty: .everyGateway
            case .importCredentials: .administrationAndCommand
            case .forgetAccounts: [.identity]
            }
        }
    }

    /// A credential of an allow or exclude list (`PublicKeyCredentialDescriptor`).
    package struct CredentialDescriptor: Codable, Equatable, Sendable {
        package var id: CredentialID
        /// `internal`, `hybrid`, `usb` and others, as the client reported them; often empty.
        package var transports: [String]

        package init(id: CredentialID, transports: [String] = []) {
            self.id = id
            self.transports = transports
        }
    }

    /// How a ceremony asks for user verification.
    package typealias UserVerification = ProjectConfiguration.Passkeys.UserVerification
}

extension Passkey: AccountDataService {
    package static let forgetAccounts = Operation.forgetAccounts

    /// Deletes credentials and open ceremonies.
    package typealias ForgetAccounts = Contracts.ForgetAccounts<Passkey>
}
