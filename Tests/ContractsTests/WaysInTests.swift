import Contracts
import Testing
import Vocabulary

@Suite struct WaysInTests {
    private static func passkey(_ byte: UInt8) throws -> AccountPasskey {
        AccountPasskey(
            credentialID: try #require(CredentialID([byte])), name: "Phone", relyingPartyID: "example.org",
            userHandle: OctetString([1]), aaguid: "", isBackedUp: true, createdAt: Moment(milliseconds: 0))
    }

    private static func account(_ change: (inout Account) throws -> Void) rethrows -> Account {
        var account = Account(
            id: AccountID("a"), realm: Realm(project: ProjectID("p")), validSince: Timestamp(seconds: 0),
            createdAt: Moment(milliseconds: 0))
        try change(&account)
        return account
    }

    @Test func onlyWayIsKept() throws {
        let passkey = try Self.passkey(1)
        let google = ProviderLink(providerID: "google.com", providerAccountID: "1")
        let rows: [(Account, Identity.AccountChanges.Removal)] = [
            (Self.account { $0.hasPassword = true }, .password),
            (Self.account { $0.passkeys = [passkey] }, .passkey(passkey.credentialID)),
            (Self.account { $0.providers = [google] }, .provider("google.com")),
            (Self.account { $0.providers = [google] }, .providers),
            (Self.account { $0.phoneNumber = PhoneNumber("+12025550101") }, .phoneNumber),
            (
                Self.account {
                    $0.email = EmailAddress("ada@example.com")
                    $0.emailLinkSignIn = true
                }, .emailSignIn
            ),
        ]
        for (account, removal) in rows {
            #expect(!account.keepsWayIn(without: removal), "\(removal)")
            #expect(account.keepsWayIn(without: .displayName))
            var other = account
            other.passkeys.append(try Self.passkey(2))
            #expect(other.keepsWayIn(without: removal), "\(removal)")
        }
    }

    /// A link needs an address, and an address alone opens nothing.
    @Test func addressAloneIsNoWay() {
        let account = Self.account {
            $0.email = EmailAddress("ada@example.com")
            $0.hasPassword = true
        }
        #expect(!account.keepsWayIn(without: .password))
    }
}
