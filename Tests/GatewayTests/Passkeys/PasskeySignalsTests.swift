import Contracts
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct PasskeySignalsTests {
    private static func account(_ passkeys: [AccountPasskey], change: (inout Account) -> Void = { _ in }) -> Account {
        .example { account in
            account.passkeys = passkeys
            change(&account)
        }
    }

    @Test func accountWithoutPasskeysHasNoSignals() {
        #expect(PasskeySignals(Self.account([])) == nil)
        #expect(PasskeySignals(Self.account([]), credentialID: .example(1)) == nil)
    }

    @Test func idsAreBase64URLWithoutPadding() {
        let signals = PasskeySignals(Self.account([.example(0xfb), .example(0xfc)]))
        #expect(signals?.rpId == "auth.example.com" && signals?.userHandle == "-w")
        #expect(signals?.allAcceptedCredentialIds == ["-_v7-w", "_Pz8_A"])
        #expect(signals?.name == "alice@example.com" && signals?.displayName == "Alice")
    }

    @Test func onlyPasskeysOfTheSameRelyingPartyAndUserHandleAreListed() {
        let other = AccountPasskey.example(2) { $0.relyingPartyID = "old.example.com" }
        let handle = AccountPasskey.example(3) { $0.userHandle = OctetString([9]) }
        let account = Self.account([.example(1), other, handle, .example(4)])
        func listed(_ id: CredentialID?) -> [String]? {
            PasskeySignals(account, credentialID: id)?.allAcceptedCredentialIds
        }
        #expect(listed(.example(1)) == ["AQEBAQ", "BAQEBA"])
        #expect(listed(.example(2)) == ["AgICAg"])
        #expect(listed(.example(3)) == ["AwMDAw"])
        // The newest, also for an id that the account does not list.
        #expect(listed(nil) == ["AQEBAQ", "BAQEBA"] && listed(.example(7)) == listed(nil))
    }

    @Test func nameIsAnIdentifierOfTheAccount() {
        let number = PhoneNumber("+12025550101")
        let phone = PasskeySignals(
            Self.account([.example(1)]) { ($0.email, $0.displayName, $0.phoneNumber) = (nil, nil, number) })
        #expect(phone?.name == "+12025550101" && phone?.displayName == "+12025550101")
        let named = PasskeySignals(Self.account([.example(1)]) { ($0.email, $0.displayName) = (nil, "Alice") })
        #expect(named?.name == "Alice" && named?.displayName == "Alice")
        let anonymous = PasskeySignals(Self.account([.example(1)]) { ($0.email, $0.displayName) = (nil, "") })
        #expect(anonymous?.allAcceptedCredentialIds == ["AQEBAQ"])
        #expect(anonymous?.name == nil && anonymous?.displayName == nil)
    }
}

extension AccountPasskey {
    /// A passkey whose credential id has this byte four times.
    static func example(_ byte: UInt8, change: (inout AccountPasskey) -> Void = { _ in }) -> AccountPasskey {
        var passkey = AccountPasskey(
            credentialID: .example(byte), name: "laptop", relyingPartyID: "auth.example.com",
            userHandle: OctetString([0xfb]), aaguid: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", isBackedUp: true,
            createdAt: Moment(milliseconds: 1_700_000_000_123), lastUsedAt: Moment(milliseconds: 1_700_000_001_456))
        change(&passkey)
        return passkey
    }
}

extension CredentialID {
    static func example(_ byte: UInt8) -> CredentialID { CredentialID([byte, byte, byte, byte])! }
}
