import Contracts
import Crypto
import Foundation
import JOSE
import JSON
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

@Suite struct SigningKeyRotationTests {
    @Test func rotationKeepsOldTokensValidAndPublishesTheNextKey() async throws {
        let fixture = try await IdentityFixture()
        func keyIDs() async throws -> [SigningKeyID] {
            try await fixture.send(Identity.ListSigningKeys(purpose: .idToken)).keys.map(\.id)
        }
        let made = try await fixture.signUp()
        let first = try await keyIDs()
        fixture.clock.advance(by: .seconds(29 * 86_400 + 3600))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        let both = try await keyIDs()
        #expect(both.count == 2 && both.first == first.first)
        var token = try await fixture.refresh(made.tokens.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == first.first)
        fixture.clock.advance(by: .seconds(86_400))
        _ = try await fixture.lookUpAfterRotation(token.idToken)
        token = try await fixture.refresh(token.refreshToken)
        #expect(try JWTHeaderText.keyID(token.idToken) == both.last)
        fixture.clock.advance(by: .seconds(2 * 86_400))
        try await fixture.service.runMaintenance(sweepAt: fixture.clock.now)
        #expect(try await keyIDs() == [both[1]])
    }
}

extension IdentityFixture {
    /// The token has expired, but its key is still published.
    func lookUpAfterRotation(_ token: Secret<String>) async throws {
        await #expect(throws: ServiceError(.invalidIDToken)) { try await lookUp(token) }
        _ = try await service.context.idTokens.verify(token.reveal())
    }
}

enum JWTHeaderText {
    static func keyID(_ token: Secret<String>) throws -> SigningKeyID {
        let header = try #require(Base64URL.decode(token.reveal().split(separator: ".")[0]))
        guard case .string(let id) = try WireJSON.decode([String: JSONValue].self, from: Data(header))["kid"] else {
            throw ServiceError(.invalidIDToken)
        }
        return SigningKeyID(id)
    }
}
