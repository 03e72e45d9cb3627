import Contracts
import TestSupport
import Testing
import Vocabulary

@testable import IdentityService

/// Accounts and numbers are checked before a code is sent.
@Suite struct PhoneCheckTests {
    /// Nobody enters a code in vain: what the code would be refused for is refused before it is sent.
    @Test func accountIsCheckedBeforeItsCodeIsSent() async throws {
        let fixture = try await IdentityFixture()
        let check = { (idToken: Secret<String>) in
            try await fixture.send(
                Identity.CheckPhoneSignIn(
                    realm: IdentityFixture.realm, phoneNumber: IdentityFixture.phone, idToken: idToken))
        }
        let ada = try await fixture.signUpVerified()
        _ = try await check(ada.tokens.idToken)
        let enrolled = try await fixture.enrollTOTP(ada.tokens)
        // Its session has no second factor.
        await #expect(throws: ServiceError(.secondFactorRequired)) { try await check(ada.tokens.idToken) }
        _ = try await check(enrolled.tokens.idToken)
        fixture.clock.advance(by: .seconds(Principal.recentSignInSeconds + 1))
        await #expect(throws: ServiceError(.recentSignInRequired)) { try await check(enrolled.tokens.idToken) }
        await #expect(throws: ServiceError(.invalidIDToken)) { try await check(Secret("made-up")) }
        let eve = try await fixture.signUpVerified("eve@example.com")
        let phone = try await fixture.enrollPhone(eve.tokens, "f", "+12025550109")
        await #expect(throws: ServiceError(.unsupportedFirstFactor)) { try await check(phone.tokens.idToken) }
    }
}
