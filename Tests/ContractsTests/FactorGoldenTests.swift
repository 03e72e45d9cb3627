import Contracts
import Testing
import Vocabulary

/// The JSON of identity's operations for second factors and recovery codes.
@Suite struct FactorGoldenTests {
    typealias Request = IdentityGoldenTests.Request
    private static let realm = IdentityGoldenTests.realm
    private static let tenantRealm = IdentityGoldenTests.tenantRealm
    private static let client = IdentityGoldenTests.client
    private static let clientJSON = IdentityGoldenTests.clientJSON
    private static let number = PhoneNumber("+12025550101")!  // A valid number.
    private static let account = IdentityGoldenTests.bareAccount
    private static let accountJSON = IdentityGoldenTests.bareAccountJSON
    private static let tokens = IdentityGoldenTests.tokens
    private static let tokensJSON = IdentityGoldenTests.tokensJSON

    static let requests = [
        Request(
            Identity.CheckEnrollment(
                realm: tenantRealm, idToken: Secret("i"), factor: .phone(number), stage: .start),
            """
            {"factor":{"phone":{"_0":"+12025550101"}},"idToken":"i","realm":{"project":"p","tenant":"t"},\
            "stage":"start"}
            """),
        Request(
            Identity.CheckEnrollment(realm: realm, idToken: nil, factor: .phone(nil), stage: .start),
            #"{"factor":{"phone":{}},"realm":{"project":"p"},"stage":"start"}"#),
        Request(
            Identity.CheckEnrollment(realm: realm, idToken: nil, factor: .totp, stage: .finish),
            #"{"factor":{"totp":{}},"realm":{"project":"p"},"stage":"finish"}"#),
        Request(
            Identity.EnrollFactor(
                realm: realm, idToken: Secret("i"), factorID: FactorID("f"), kind: .phone(number),
                displayName: "mine", locale: "de", client: client),
            """
            {"client":\(clientJSON),"displayName":"mine","factorID":"f","idToken":"i",\
            "kind":{"phone":{"_0":"+12025550101"}},"locale":"de","realm":{"project":"p"}}
            """),
        Request(
            Identity.EnrollFactor(
                realm: realm, idToken: nil, factorID: FactorID("f"), kind: .totp, displayName: nil),
            #"{"client":{},"factorID":"f","kind":{"totp":{}},"realm":{"project":"p"}}"#),
        Request(
            Identity.WithdrawFactor(
                realm: realm, idToken: Secret("i"), factorID: FactorID("f"), locale: "de", client: client),
            #"{"client":\#(clientJSON),"factorID":"f","idToken":"i","locale":"de","realm":{"project":"p"}}"#),
        Request(
            Identity.WithdrawFactor(realm: realm, idToken: nil, factorID: nil),
            #"{"client":{},"realm":{"project":"p"}}"#),
        Request(
            Identity.GenerateRecoveryCodes(realm: realm, idToken: Secret("i"), locale: "de", client: client),
            #"{"client":\#(clientJSON),"idToken":"i","locale":"de","realm":{"project":"p"}}"#),
        Request(
            Identity.CountRecoveryCodes(realm: realm, idToken: Secret("i")),
            #"{"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.SignInWithRecoveryCode(
                project: ProjectID("p"), pendingCredential: Secret("c"), code: Secret("k"), locale: "de", client: client
            ),
            #"{"client":\#(clientJSON),"code":"k","locale":"de","pendingCredential":"c","project":"p"}"#),
        Request(
            Identity.SignInWithRecoveryCode(project: ProjectID("p"), pendingCredential: nil, code: nil),
            #"{"client":{},"project":"p"}"#),
        Request(
            Identity.RememberDevice(
                realm: realm, idToken: Secret("i"), formerSecrets: [Secret("s")], client: client),
            #"{"client":\#(clientJSON),"formerSecrets":["s"],"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.SignInWithRememberedDevice(
                project: ProjectID("p"), tenant: TenantID("t"), pendingCredential: Secret("c"), secrets: [Secret("s")],
                client: client),
            #"{"client":\#(clientJSON),"pendingCredential":"c","project":"p","secrets":["s"],"tenant":"t"}"#),
        Request(
            Identity.ListRememberedDevices(realm: realm, idToken: Secret("i")),
            #"{"idToken":"i","realm":{"project":"p"}}"#),
        Request(
            Identity.ForgetRememberedDevice(realm: realm, idToken: Secret("i"), id: "d", client: client),
            #"{"client":\#(clientJSON),"id":"d","idToken":"i","realm":{"project":"p"}}"#),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func repliesMatchGoldenJSON() throws {
        let principal = Principal(
            accountID: AccountID("a"), realm: Self.realm, issuedAt: Timestamp(seconds: 1),
            authenticatedAt: Timestamp(seconds: 2), signInProvider: "password")
        try expect(
            Identity.CheckEnrollment.Reply(
                account: Self.account, principal: principal, verification: .totp(windowSteps: 5),
                applicationName: "Shop"),
            is: """
                {"account":\(Self.accountJSON),"applicationName":"Shop","principal":{"accountID":"a","authenticatedAt":2,"issuedAt":1,\
                "realm":{"project":"p"},"signInProvider":"password"},"verification":{"totp":{"windowSteps":5}}}
                """)
        try expect(
            Identity.EnrollFactor.Reply(account: Self.account, tokens: Self.tokens),
            is: #"{"account":\#(Self.accountJSON),"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.WithdrawFactor.Reply(account: Self.account, tokens: Self.tokens),
            is: #"{"account":\#(Self.accountJSON),"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.WithdrawFactor.Reply(account: Self.account, tokens: nil),
            is: #"{"account":\#(Self.accountJSON)}"#)
        try expect(Identity.GenerateRecoveryCodes.Reply(codes: [Secret("k")]), is: #"{"codes":["k"]}"#)
        let device = Identity.RememberedDevice(
            id: "d", device: "Firefox (Linux)", createdAt: Moment(milliseconds: 1), lastUsedAt: Moment(milliseconds: 2),
            expiresAt: Moment(milliseconds: 3))
        try expect(
            Identity.ListRememberedDevices.Reply(devices: [device]),
            is: #"{"devices":[{"createdAt":1,"device":"Firefox (Linux)","expiresAt":3,"id":"d","lastUsedAt":2}]}"#)
        try expect(
            Identity.RememberDevice.Reply(secret: Secret("s"), expiresAt: Moment(milliseconds: 3)),
            is: #"{"expiresAt":3,"secret":"s"}"#)
        try expect(Identity.CountRecoveryCodes.Reply(remaining: 7), is: #"{"remaining":7}"#)
        try expect(
            Identity.SignInWithRecoveryCode.Reply(account: Self.account, tokens: Self.tokens, remaining: 7),
            is: #"{"account":\#(Self.accountJSON),"remaining":7,"tokens":\#(Self.tokensJSON)}"#)
    }

    @Test func remainingRecoveryCodesAreBesideFactors() throws {
        let factor = SecondFactor(
            id: FactorID("f"), kind: .totp, displayName: nil, enrolledAt: Moment(milliseconds: 7))
        try expect(
            PendingSecondFactor(pendingCredential: Secret("c"), factors: [factor], remainingRecoveryCodes: 0),
            is:
                #"{"factors":[{"enrolledAt":7,"id":"f","kind":{"totp":{}}}],"pendingCredential":"c","remainingRecoveryCodes":0}"#
        )
    }
}
