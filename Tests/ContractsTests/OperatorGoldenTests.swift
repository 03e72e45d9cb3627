import Contracts
import Testing
import Vocabulary

/// The JSON of identity's operations for the console.
@Suite struct OperatorGoldenTests {
    typealias Request = IdentityGoldenTests.Request
    private static let client = ClientContext(operatorName: "root")
    private static let clientJSON = #"{"operatorName":"root"}"#
    private static let account = AccountID("a")

    static let requests = [
        Request(
            Identity.GrantOperatorRole(
                email: "x@example.com", grant: .init(project: ProjectID("p"), role: .support), client: client),
            """
            {"client":\(clientJSON),"email":"x@example.com","grant":{"project":"p","role":"support"}}
            """),
        Request(
            Identity.ResetOperator(email: "x@example.com", client: client),
            #"{"client":\#(clientJSON),"email":"x@example.com"}"#),
        Request(
            Identity.RemoveOperator(email: "x@example.com", project: ProjectID("p"), client: client),
            #"{"client":\#(clientJSON),"email":"x@example.com","project":"p"}"#),
        Request(Identity.ListOperators(), "{}"),
        Request(
            Identity.SearchAccounts(
                realm: IdentityGoldenTests.tenantRealm, criterion: .disabled, after: .init(accountID: account),
                limit: 10),
            #"{"after":{"accountID":"a"},"criterion":{"disabled":{}},"limit":10,"realm":{"project":"p","tenant":"t"}}"#),
        Request(
            Identity.SearchAccounts(realm: IdentityGoldenTests.realm, criterion: .text("x"), limit: 10),
            #"{"criterion":{"text":{"_0":"x"}},"limit":10,"realm":{"project":"p"}}"#),
        Request(
            Identity.ListConfigurationRevisions(realm: IdentityGoldenTests.tenantRealm),
            #"{"realm":{"project":"p","tenant":"t"}}"#),
        Request(
            Identity.ReadConfigurationRevision(realm: IdentityGoldenTests.realm, revision: 7),
            #"{"realm":{"project":"p"},"revision":7}"#),
        Request(
            Identity.ExplainSignIn(realm: IdentityGoldenTests.realm, accountID: account),
            #"{"accountID":"a","realm":{"project":"p"}}"#),
        Request(
            Identity.ClearSignInAttempts(realm: IdentityGoldenTests.realm, accountID: account, client: client),
            #"{"accountID":"a","client":\#(clientJSON),"realm":{"project":"p"}}"#),
        Request(
            Identity.OpenOperatorSession(idToken: Secret("i"), formerToken: Secret("f"), client: client),
            #"{"client":\#(clientJSON),"formerToken":"f","idToken":"i"}"#),
        Request(Identity.ResolveOperatorSession(token: Secret("t")), #"{"token":"t"}"#),
        Request(
            Identity.RecordActivity(entries: [
                .init(
                    project: ProjectID("p"), counter: .signIn(.emailLink, .accepted), amount: 3, ageSeconds: 15),
                .init(project: nil, counter: .smsCostMicros, amount: 50_000, ageSeconds: 0),
            ]),
            """
            {"entries":[{"ageSeconds":15,"amount":3,"counter":"signIn.emailLink.accepted","project":"p"},\
            {"ageSeconds":0,"amount":50000,"counter":"smsCostMicros"}]}
            """),
        Request(
            Identity.ReadActivity(project: ProjectID("p"), span: .month), #"{"project":"p","span":"month"}"#),
        Request(Identity.ListOperatorSessions(accountID: account), #"{"accountID":"a"}"#),
        Request(
            Identity.EndOperatorSessions(accountID: account, sessionID: "s", client: client),
            #"{"accountID":"a","client":\#(clientJSON),"sessionID":"s"}"#),
    ]

    @Test(arguments: requests.indices) func requestMatchesGoldenJSON(number: Int) throws {
        try Self.requests[number].expectGolden()
    }

    @Test func repliesMatchGoldenJSON() throws {
        let found = Identity.Operator(
            accountID: Self.account, email: try #require(EmailAddress("x@example.com")),
            grants: [.init(role: .viewer)], hasSecondFactor: true, createdAt: Moment(milliseconds: 1),
            lastSignInAt: Moment(milliseconds: 2))
        let json = """
            {"accountID":"a","createdAt":1,"email":"x@example.com","grants":[{"role":"viewer"}],\
            "hasSecondFactor":true,"lastSignInAt":2}
            """
        try expect(
            Identity.GrantOperatorRole.Reply(operator: found, code: Secret("c")),
            is: #"{"code":"c","operator":\#(json)}"#)
        try expect(
            Identity.SearchAccounts.Reply(accounts: [], hasMore: true), is: #"{"accounts":[],"hasMore":true}"#)
        try expect(
            Identity.ListConfigurationRevisions.Reply(revisions: [
                .init(revision: 7, at: Moment(milliseconds: 1), actor: "system")
            ]), is: #"{"revisions":[{"actor":"system","at":1,"revision":7}]}"#)
        try expect(
            Identity.ReadConfigurationRevision.Reply(before: .project(.init()), after: .tenant(.init())),
            is: #"{"after":{"tenant":{"_0":{}}},"before":{"project":{"_0":{}}}}"#)
        try expect(Identity.ReadConfigurationRevision.Reply(), is: "{}")
        try expect(
            Identity.ExplainSignIn.Reply(
                account: IdentityGoldenTests.bareAccount,
                obstacles: [
                    .init(.tooManyAttempts, until: Moment(milliseconds: 1)), .init(.methodNotPermitted, method: .phone),
                ]),
            is: """
                {"account":\(IdentityGoldenTests.bareAccountJSON),"obstacles":[{"kind":"tooManyAttempts","until":1},\
                {"kind":"methodNotPermitted","method":"phone"}]}
                """)
        try expect(
            Identity.ReadActivity.Reply(
                start: Moment(milliseconds: 60_000), periodSeconds: 60, periods: 2, counts: ["request.failed": [0, 2]],
                costsOfToday: [.init(project: ProjectID("p"), micros: 5)]),
            is: """
                {"costsOfToday":[{"micros":5,"project":"p"}],"counts":{"request.failed":[0,2]},"periodSeconds":60,\
                "periods":2,"start":60000}
                """)
        try expect(Identity.ResetOperator.Reply(code: Secret("c")), is: #"{"code":"c"}"#)
        try expect(Identity.ListOperators.Reply(operators: [found]), is: #"{"operators":[\#(json)]}"#)
        try expect(Identity.OpenOperatorSession.Reply(token: Secret("t")), is: #"{"token":"t"}"#)
        try expect(
            Identity.ResolveOperatorSession.Reply(operator: found, sessionID: "s", isFresh: true, formToken: "f"),
            is: #"{"formToken":"f","isFresh":true,"operator":\#(json),"sessionID":"s"}"#)
        try expect(
            Identity.ListOperatorSessions.Reply(sessions: [
                .init(
                    id: "s", createdAt: Moment(milliseconds: 1), lastUsedAt: Moment(milliseconds: 2),
                    clientAddress: "192.0.2.1", device: "Firefox")
            ]),
            is: """
                {"sessions":[{"clientAddress":"192.0.2.1","createdAt":1,"device":"Firefox","id":"s","lastUsedAt":2}]}
                """)
    }
}
