import Contracts
import Testing
import Vocabulary

/// The JSON of the requests about SMS codes and of their replies.
@Suite struct MFASMSGoldenTests {
    private static let realm = Realm(project: ProjectID("p"), tenant: TenantID("t"))
    private static let client = ClientContext(ipAddress: "192.0.2.1", userAgent: "a")
    private static let account = Account(
        id: AccountID("a"), realm: Realm(project: ProjectID("p")), validSince: .init(seconds: 1),
        createdAt: Moment(milliseconds: 2))
    private static let accountJSON = """
        {"createdAt":2,"customAuthentication":false,"disabled":false,"emailLinkSignIn":false,"emailVerified":false,\
        "hasPassword":false,"id":"a","passkeys":[],"providers":[],"realm":{"project":"p"},"secondFactors":[],"validSince":1}
        """
    private static let tokens = TokenSet(idToken: Secret("i"), refreshToken: Secret("r"), expiresInSeconds: 3600)
    private static let tokensJSON = #"{"expiresInSeconds":3600,"idToken":"i","refreshToken":"r"}"#

    @Test func operationNamesAreStable() {
        #expect(
            MFASMS.Operation.allCases.map(\.rawValue) == [
                "startPhoneSignIn", "finishPhoneSignIn", "startEnrollment", "finishEnrollment", "startSignIn",
                "finishSignIn",
                "startPushVerification", "startWebChallenge", "finishWebChallenge", "listCodes", "readSendingStatus",
                "readBlocks",
                "forgetAccounts",
            ])
    }

    @Test func readBlocksMatchesGoldenJSON() throws {
        #expect(MFASMS.ReadBlocks.retrySemantics == .idempotent)
        let number = try #require(PhoneNumber("+12025550101"))
        try expect(
            MFASMS.ReadBlocks(
                realm: Self.realm, accountID: AccountID("a"), phoneNumber: number,
                factors: [.init(id: FactorID("f"), phoneNumber: number)]),
            is: """
                {"accountID":"a","factors":[{"id":"f","phoneNumber":"+12025550101"}],"phoneNumber":"+12025550101",\
                "realm":{"project":"p","tenant":"t"}}
                """)
        try expect(
            MFASMS.ReadBlocks.Reply(blocks: [.init(until: Moment(milliseconds: 7))]), is: #"{"blocks":[{"until":7}]}"#)
    }

    @Test func startPhoneSignInMatchesGoldenJSON() throws {
        try expect(
            MFASMS.StartPhoneSignIn(realm: Realm(project: ProjectID("p")), phoneNumber: nil, appCredential: .init()),
            is: #"{"appCredential":{},"client":{},"realm":{"project":"p"}}"#)
        try expect(
            MFASMS.StartPhoneSignIn(
                realm: Self.realm, phoneNumber: "+1 202",
                appCredential: .init(
                    deviceReceipt: "d", deviceSecret: Secret("s"), recaptchaToken: Secret("r"),
                    captchaResponse: Secret("c"), playIntegrityToken: Secret("p"), safetyNetToken: Secret("n"),
                    clientType: .ios, bundleID: "b"), locale: "de", client: Self.client),
            is: """
                {"appCredential":{"bundleID":"b","captchaResponse":"c","clientType":"CLIENT_TYPE_IOS",\
                "deviceReceipt":"d","deviceSecret":"s","playIntegrityToken":"p","recaptchaToken":"r",\
                "safetyNetToken":"n"},"client":{"ipAddress":"192.0.2.1","userAgent":"a"},"locale":"de",\
                "phoneNumber":"+1 202","realm":{"project":"p","tenant":"t"}}
                """)
        try expect(MFASMS.SentCode(sessionInfo: Secret("s")), is: #"{"sessionInfo":"s"}"#)
    }

    @Test func finishPhoneSignInMatchesGoldenJSON() throws {
        try expect(
            MFASMS.FinishPhoneSignIn(
                realm: Self.realm, sessionInfo: Secret("s"), code: Secret("123456"), intent: .reauthenticate,
                idToken: Secret("i"), client: Self.client),
            is: """
                {"client":{"ipAddress":"192.0.2.1","userAgent":"a"},"code":"123456","idToken":"i",\
                "intent":"reauthenticate","realm":{"project":"p","tenant":"t"},"sessionInfo":"s"}
                """)
    }

    @Test func enrollmentMatchesGoldenJSON() throws {
        try expect(
            MFASMS.StartEnrollment(
                realm: Self.realm, idToken: Secret("i"), phoneNumber: "+1", appCredential: .init(), locale: "de"),
            is: """
                {"appCredential":{},"client":{},"idToken":"i","locale":"de","phoneNumber":"+1","realm":{"project":"p",\
                "tenant":"t"}}
                """)
        try expect(
            MFASMS.FinishEnrollment(
                realm: Self.realm, idToken: Secret("i"), sessionInfo: Secret("s"), code: Secret("c"), displayName: "n",
                locale: "de"),
            is: """
                {"client":{},"code":"c","displayName":"n","idToken":"i","locale":"de",\
                "realm":{"project":"p","tenant":"t"},"sessionInfo":"s"}
                """)
        try expect(
            MFASMS.FinishEnrollment.Reply(
                account: Self.account, tokens: Self.tokens,
                phoneNumber: try #require(PhoneNumber("+12025550143"))),
            is: #"{"account":\#(Self.accountJSON),"phoneNumber":"+12025550143","tokens":\#(Self.tokensJSON)}"#)
    }

    @Test func signInMatchesGoldenJSON() throws {
        try expect(
            MFASMS.StartSignIn(
                project: ProjectID("p"), pendingCredential: Secret("c"), factorID: FactorID("f"),
                appCredential: .init(),
                locale: "de"),
            is: #"{"appCredential":{},"client":{},"factorID":"f","locale":"de","pendingCredential":"c","project":"p"}"#)
        try expect(
            MFASMS.FinishSignIn(
                project: ProjectID("p"), tenant: TenantID("t"), pendingCredential: Secret("p"),
                sessionInfo: Secret("s"), code: Secret("c")),
            is: #"{"client":{},"code":"c","pendingCredential":"p","project":"p","sessionInfo":"s","tenant":"t"}"#)
        try expect(
            MFASMS.FinishSignIn.Reply(
                account: Self.account, tokens: Self.tokens,
                phoneNumber: try #require(PhoneNumber("+12025550143"))),
            is: #"{"account":\#(Self.accountJSON),"phoneNumber":"+12025550143","tokens":\#(Self.tokensJSON)}"#)
    }

    @Test func codeListMatchesGoldenJSON() throws {
        try expect(MFASMS.ListCodes(realm: Self.realm), is: #"{"realm":{"project":"p","tenant":"t"}}"#)
        try expect(
            MFASMS.ListCodes.Reply(codes: [
                .init(
                    phoneNumber: try #require(PhoneNumber("+12025550143")), code: Secret("123456"),
                    sessionInfo: Secret("s"))
            ]),
            is: #"{"codes":[{"code":"123456","phoneNumber":"+12025550143","sessionInfo":"s"}]}"#)
    }
}
