import Contracts
import Foundation
package import LatchkeyAuth
import Vocabulary

// The requests and responses of the client library.
extension SoftwareAuthenticator {
    /// Creates the passkey.
    package mutating func register(_ request: PasskeyRegistrationRequest) throws -> PasskeyRegistration {
        let response = try register(
            Options(
                relyingPartyID: request.relyingPartyID, challenge: Array(request.challenge),
                userHandle: OctetString(Array(request.userID))))
        return PasskeyRegistration(
            credentialID: Data(response.id.bytes), clientDataJSON: Data(response.clientDataJSON.bytes),
            attestationObject: Data(response.attestationObject.bytes))
    }

    /// Uses the passkey.
    package mutating func authenticate(_ request: PasskeyAssertionRequest) throws -> PasskeyAssertion {
        let response = try authenticate(
            Options(relyingPartyID: request.relyingPartyID, challenge: Array(request.challenge)))
        return PasskeyAssertion(
            credentialID: Data(response.id.bytes), clientDataJSON: Data(response.clientDataJSON.bytes),
            authenticatorData: Data(response.authenticatorData.bytes), signature: Data(response.signature.bytes),
            userID: response.userHandle.map { Data($0.bytes) })
    }
}
