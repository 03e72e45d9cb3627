import Bus
import Contracts
import ServiceRuntime

/// An error that the mesh returned to a command, for the operator.
struct MeshRequestError: ExitError, Equatable {
    let error: ServiceError

    var messages: [String] {
        switch error.code {
        case .projectNotFound: ["The mesh has no such project. `latchkey projects list` lists them."]
        case .projectExists: ["The project exists already."]
        case .tenantNotFound: ["The project has no such tenant."]
        case .operationNotAllowed:
            ["The configuration of the project does not allow this" + (error.message.map { ": \($0)" } ?? ".")]
        case .applicationNotFound: ["The project has no such application. `latchkey apps list` lists them."]
        case .invalidApplication: ["The application is refused: \(error.message ?? error.code.rawValue)."]
        case .tooManyApplications:
            ["The project has \(Identity.Application.maximumCount) applications already, which is the maximum."]
        case .apnsKeyNotFound: ["The project has no such key. `latchkey apns list` lists them."]
        case .invalidAPNsKey: ["The key is refused: \(error.message ?? error.code.rawValue)"]
        case .apnsKeyExists: ["The project has this key for the application already."]
        case .tooManyAPNsKeys:
            ["The project has \(Notifier.ListAPNsKeys.maximumCount) keys already, which is the maximum."]
        case .accountNotFound: ["The project has no such user."]
        case .accountIDExists: ["Another user has this user id."]
        case .invalidAccountID: ["The user id is invalid: 1 to 128 characters."]
        case .emailExists: ["Another user has this e-mail address."]
        case .invalidEmail: ["The e-mail address is invalid."]
        case .emailNotFound, .missingEmail: ["No user has this e-mail address."]
        case .phoneNumberExists: ["Another user has this phone number."]
        case .invalidPhoneNumber: ["The phone number is invalid: write it as +15551234567."]
        case .weakPassword, .passwordPolicyViolated:
            ["The password is refused" + (error.message.map { ": \($0)" } ?? ".")]
        case .invalidEmailTemplate:
            ["The project's text of this e-mail is invalid" + (error.message.map { ": \($0)" } ?? ".")]
        case .invalidContinueURL, .unauthorizedDomain:
            ["The continue URL is refused: its host is none of the authorizedDomains of the project."]
        case .factorNotFound: ["The user has no such second factor."]
        case .passkeyNotFound: ["The user has no such passkey."]
        case .sessionNotFound: ["The user has no such session, or it has ended."]
        case .configurationConflict: ["Others change the configuration at the same time. Run the command again."]
        case .invalidConfiguration, .invalidAdjacentIntervalRange, .invalidTestPhoneNumber, .invalidBlockingFunction:
            ["The configuration is refused: \(error.message ?? error.code.rawValue)."]
        case .missingDisplayName, .invalidDisplayName:
            ["The name is invalid: 4 to 20 letters, digits and hyphens, and the first is a letter."]
        case .serviceAccountConflict:
            [
                "This account belongs to another project, or this key id to another key. Remove it first with `latchkey "
                    + "service-account remove EMAIL`."
            ]
        case .serviceAccountNotFound: ["No such service account, or key of it, is registered."]
        case .invalidServiceAccount:
            ["The account cannot be registered: at most \(Identity.AddServiceAccountKey.maximumKeys) RSA keys each."]
        case .unavailable, .overloaded, .deadlineExceeded:
            ["No reply from the mesh (\(error.code.rawValue)). Is `latchkey up` running?"]
        default:  // Of a closed list of a hundred, the rest needs no sentence of its own.
            ["The mesh refused: \(error.code.rawValue)" + (error.message.map { ": \($0)" } ?? "") + "."]
        }
    }
}

extension MeshArguments {
    /// Sends requests to the mesh.
    /// - Throws: `MeshRequestError` for an error of the mesh.
    func withRequests<Result: Sendable>(
        _ body: (any BusRequestSending) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withBus { try await body($0) }
        } catch let error as ServiceError {
            throw MeshRequestError(error: error)
        }
    }
}

extension CallOptions {
    /// Options of a request that an operator waits for.
    static func ofOperator() -> CallOptions { CallOptions(trace: .random(), timeout: .seconds(20)) }
}
