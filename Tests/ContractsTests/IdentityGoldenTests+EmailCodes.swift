import Contracts
import Testing
import Vocabulary

/// The JSON of identity's operations for e-mail codes.
extension IdentityGoldenTests {
    static let emailCodes = [
        Request(
            Identity.SendEmailCode(realm: realm, purpose: .signIn, email: "x@example.com"),
            #"{"client":{},"email":"x@example.com","purpose":"signIn","realm":{"project":"p"}}"#),
        Request(
            Identity.SendEmailCode(
                realm: tenantRealm, purpose: .verifyEmail, idToken: Secret("i"), locale: "de", client: client),
            """
            {"client":\(clientJSON),"idToken":"i","locale":"de","purpose":"verifyEmail",\
            "realm":{"project":"p","tenant":"t"}}
            """),
        Request(
            Identity.SignInWithEmailCode(
                realm: realm, sessionInfo: Secret("s"), code: Secret("012345"), linkIDToken: Secret("i"),
                client: client),
            """
            {"client":\(clientJSON),"code":"012345","linkIDToken":"i","realm":{"project":"p"},"sessionInfo":"s"}
            """),
        Request(
            Identity.VerifyEmailWithCode(
                realm: realm, sessionInfo: Secret("s"), code: Secret("012345"), client: client),
            #"{"client":\#(clientJSON),"code":"012345","realm":{"project":"p"},"sessionInfo":"s"}"#),
        Request(Identity.ListEmailCodes(realm: realm), #"{"realm":{"project":"p"}}"#),
    ]

    @Test(arguments: emailCodes.indices) func emailCodeRequestMatchesGoldenJSON(number: Int) throws {
        try Self.emailCodes[number].expectGolden()
    }

    @Test func emailCodeRepliesMatchGoldenJSON() throws {
        let email = try #require(EmailAddress("x@example.com"))
        try expect(Identity.SendEmailCode.Reply(sessionInfo: Secret("s")), is: #"{"sessionInfo":"s"}"#)
        try expect(
            Identity.SignInWithEmailCode.Reply(account: Self.bareAccount, isNewAccount: true, tokens: Self.tokens),
            is: #"{"account":\#(Self.bareAccountJSON),"isNewAccount":true,"tokens":\#(Self.tokensJSON)}"#)
        try expect(
            Identity.VerifyEmailWithCode.Reply(account: Self.bareAccount),
            is: #"{"account":\#(Self.bareAccountJSON)}"#)
        try expect(
            Identity.ListEmailCodes.Reply(codes: [
                .init(purpose: .signIn, email: email, code: Secret("012345"), sessionInfo: Secret("s"))
            ]),
            is: #"{"codes":[{"code":"012345","email":"x@example.com","purpose":"signIn","sessionInfo":"s"}]}"#)
    }
}
