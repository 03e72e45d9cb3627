import Contracts
import HTTPServer
import Pages
import TestSupport
import Testing
import Vocabulary

@testable import GatewayService

@Suite struct ActionPageTests {
    static let email = EmailAddress("ada@example.com")!
    static let query = "oobCode=c&apiKey=k&lang=en&tenantId=t1&continueUrl=https%3A%2F%2Fapp.example.com%2Fx%3Fa%3D1"

    /// A gateway with a fake identity that has one action code.
    func harness(
        _ reply: Identity.InspectActionCode.Reply, isProduction: Bool = false
    ) throws -> GatewayHarness {
        let harness = isProduction ? try GatewayHarness.production() : try GatewayHarness()
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in .init(project: ProjectID("shop")) }
        harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in reply }
        harness.mesh.reply(to: Identity.ResetPassword.self) { request in
            switch request.newPassword?.reveal() {
            case nil: throw ServiceError(.missingPassword)
            case "weak": throw ServiceError(.weakPassword, unmetPasswordRequirements: [.hardToGuess])
            case "short":
                throw ServiceError(
                    .passwordPolicyViolated, unmetPasswordRequirements: [.atLeast(characters: 12), .numeric])
            default: break
            }
            return .init(email: Self.email)
        }
        harness.mesh.reply(to: Identity.ApplyActionCode.self) { _ in .init(purpose: reply.purpose, account: .example())
        }
        return harness
    }

    func get(_ harness: GatewayHarness, _ query: String, headers: [String: String] = [:]) async throws
        -> TestResponse
    {
        try await harness.send(.get, "/__/auth/action", query: query, headers: headers)
    }

    func post(
        _ harness: GatewayHarness, _ form: String, headers: [String: String] = ["Sec-Fetch-Site": "same-origin"]
    ) async throws -> TestResponse {
        try await harness.send(
            .post, "/__/auth/action",
            headers: headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { first, _ in first },
            body: form)
    }

    func acted(_ harness: GatewayHarness) -> Int {
        harness.mesh.sent(Identity.ResetPassword.self).count + harness.mesh.sent(Identity.ApplyActionCode.self).count
    }

    /// Security rule TK11: mail scanners open links.
    @Test(arguments: Identity.ActionPurpose.allCases, [true, false])
    func openingLinkNeitherRevealsNorChangesAnything(purpose: Identity.ActionPurpose, isProduction: Bool) async throws {
        let harness = try harness(
            .init(
                purpose: purpose, email: Self.email, newEmail: EmailAddress("new@example.com"),
                continueURL: "https://app.example.com/x?a=1"),
            isProduction: isProduction)
        for method in [HTTPMethod.get, .head] {
            let response = try await harness.send(
                method, "/__/auth/action", query: "mode=\(purpose.mode)&\(Self.query)")
            #expect(response.status == 200 && acted(harness) == 0)
            let page = try #require(ReadPage(response))
            #expect(page.all("html") == [["lang": "en", "dir": "ltr"]])
            #expect(page.all("h1").count == 1 && page.all("title").count == 1 && page.all("main").count == 1)
            #expect(page.all("script").isEmpty && !page.elements.contains { $0.attributes["style"] != nil })
        }
        let sent = try #require(harness.mesh.sent(Identity.InspectActionCode.self).first)
        #expect(sent.realm == Realm(project: ProjectID("shop"), tenant: TenantID("t1")))
        #expect(sent.code == Secret("c") && sent.continueURL == "https://app.example.com/x?a=1")
    }

    @Test(arguments: [
        Identity.ActionPurpose.verifyEmail, .verifyAndChangeEmail, .recoverEmail, .revertSecondFactorAddition,
        .revertPasskeyAddition, .passwordReset,
    ])
    func submittedFormRedeemsCodeAndOffersContinueLink(purpose: Identity.ActionPurpose) async throws {
        let harness = try harness(
            .init(purpose: purpose, email: Self.email, continueURL: "https://app.example.com/x?a=1"))
        let shown = try #require(ReadPage(try await get(harness, "mode=\(purpose.mode)&\(Self.query)&ibi=org.example")))
        #expect(shown.all("form") == [["method": "post", "action": "/__/auth/action"]])
        for (name, value) in [
            ("mode", purpose.mode), ("oobCode", "c"), ("apiKey", "k"), ("lang", "en"), ("tenantId", "t1"),
            ("continueUrl", "https://app.example.com/x?a=1"), ("ibi", "org.example"),
        ] { #expect(shown.fields[name] == value) }

        let response = try await post(harness, "mode=\(purpose.mode)&\(Self.query)&newPassword=strong%20enough")
        #expect(response.status == 200 && acted(harness) == 1)
        let done = try #require(ReadPage(response))
        #expect(done.all("a").map { $0["href"] } == ["https://app.example.com/x?a=1"])
        if purpose == .passwordReset {
            #expect(harness.mesh.sent(Identity.ResetPassword.self).first?.newPassword == Secret("strong enough"))
        }
    }

    /// Another user may have created the account: the owner of the address sees its sign-in methods.
    @Test func verificationPageListsSignInMethodsAndOffersRejection() async throws {
        let methods = Identity.InspectActionCode.SignInMethods(
            hasPassword: true, hasEmailLink: true, phoneNumber: PhoneNumber("+12025550101"),
            providers: ["google.com", "oidc.<b>"],
            passkeys: [.init(name: nil, createdAt: Moment(milliseconds: 1_700_000_000_123))])
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email, signInMethods: methods))
        harness.mesh.reply(to: Identity.RejectEmailVerification.self) { _ in .init(email: Self.email) }
        let shown = try #require(ReadPage(try await get(harness, "mode=verifyEmail&\(Self.query)")))
        for text in [
            "Password", "Link by e-mail", "+*******0101", "google.com", "oidc.<b>", "A passkey", "14 November 2023",
        ] {
            #expect(shown.text.contains(text))
        }
        #expect(!shown.text.contains("+12025550101") && shown.all("li").count == 6)
        #expect(shown.all("button").map { $0["value"] } == [nil, "notMe"] && shown.all("form").count == 1)
        #expect(harness.mesh.sent(Identity.RejectEmailVerification.self).isEmpty)

        let response = try await post(harness, "mode=verifyEmail&\(Self.query)&answer=notMe")
        let done = try #require(ReadPage(response))
        #expect(response.status == 200 && done.text.contains("The ways to sign in have been removed"))
        #expect(done.fields["mode"] == "changePassword" && done.fields["email"] == "ada@example.com")
        let sent = harness.mesh.sent(Identity.RejectEmailVerification.self)
        #expect(sent.count == 1 && sent.first?.code == Secret("c"))
        #expect(sent.first?.realm == Realm(project: ProjectID("shop"), tenant: TenantID("t1")))
        #expect(acted(harness) == 0)
    }

    /// The account of somebody else may be the one that gets the address.
    @Test func changePageDescribesTheAccountAndOffersRejection() async throws {
        let methods = Identity.InspectActionCode.SignInMethods(
            hasPassword: true, hasEmailLink: false, providers: ["google.com"])
        let harness = try harness(
            .init(
                purpose: .verifyAndChangeEmail, email: Self.email, newEmail: EmailAddress("reader@example.com"),
                signInMethods: methods))
        harness.mesh.reply(to: Identity.RejectEmailVerification.self) { _ in .init(email: Self.email) }
        let shown = try #require(ReadPage(try await get(harness, "mode=verifyAndChangeEmail&\(Self.query)")))
        for text in ["reader@example.com", "ada@example.com", "Password", "google.com", "This was not me"] {
            #expect(shown.text.contains(text))
        }
        #expect(shown.all("button").map { $0["value"] } == [nil, "notMe"] && shown.all("form").count == 1)
        let response = try await post(harness, "mode=verifyAndChangeEmail&\(Self.query)&answer=notMe")
        let done = try #require(ReadPage(response))
        #expect(response.status == 200 && done.text.contains("Your address was not given to the account."))
        // The reader has no account here.
        #expect(done.all("form").isEmpty && acted(harness) == 0)
        #expect(harness.mesh.sent(Identity.RejectEmailVerification.self).map(\.code) == [Secret("c")])
    }

    /// A verified address is claimed, and no other page offers the rejection. The recovery of an address accepts the
    /// answer also without passkeys, which may have been removed since the page was shown.
    @Test(arguments: Identity.ActionPurpose.allCases) func otherPagesOfferNoRejection(purpose: Identity.ActionPurpose)
        async throws
    {
        let harness = try harness(.init(purpose: purpose, email: Self.email))
        harness.mesh.reply(to: Identity.RejectEmailVerification.self) { _ in throw ServiceError(.invalidActionCode) }
        let shown = try #require(ReadPage(try await get(harness, "mode=\(purpose.mode)&\(Self.query)")))
        #expect(!shown.all("button").contains { $0["value"] == "notMe" })
        let response = try await post(harness, "mode=\(purpose.mode)&\(Self.query)&answer=notMe")
        #expect(response.status == (purpose == .recoverEmail ? 200 : 400))
        #expect(acted(harness) == (purpose == .recoverEmail ? 1 : 0))
        let sent = harness.mesh.sent(Identity.RejectEmailVerification.self).count
        // Whether there is something to reject is decided by identity.
        #expect(sent == ([.verifyEmail, .verifyAndChangeEmail].contains(purpose) ? 1 : 0))
    }

    @Test func passwordFieldHasLabelAndRequirements() async throws {
        let demands = Identity.PasswordRequirements(
            minimumLength: 12, maximumLength: 64, lowercase: true, uppercase: true, numeric: true, nonAlphanumeric: true
        )
        let harness = try harness(.init(purpose: .passwordReset, email: Self.email, passwordRequirements: demands))
        let page = try #require(ReadPage(try await get(harness, "mode=resetPassword&\(Self.query)")))
        let field = try #require(page.all("input").first { $0["type"] == "password" })
        #expect(page.all("label").map { $0["for"] } == [field["id"]] && field["autocomplete"] == "new-password")
        #expect(page.elements.contains { $0.attributes["id"] == field["aria-describedby"] })
        #expect(page.text.contains("at least 12 characters") && page.all("li").count == 6)
    }

    @Test func weakPasswordShowsFormAgain() async throws {
        let harness = try harness(.init(purpose: .passwordReset, email: Self.email))
        let response = try await post(harness, "mode=resetPassword&\(Self.query)&newPassword=weak")
        let page = try #require(ReadPage(response))
        #expect(response.status == 400 && page.all("form").count == 1 && !response.text.contains("weak\""))
        #expect(page.elements.contains { $0.attributes["role"] == "alert" })
        #expect(page.all("input").contains { $0["type"] == "password" && $0["aria-invalid"] == "true" })
    }

    /// Each reason of a refusal is said, and no other.
    @Test(arguments: Language.allCases) func refusedPasswordPageSaysWhatIsMissing(language: Language) async throws {
        let texts = language.pageTexts
        let sentences = [
            texts.guessablePassword, texts.atLeast(12), texts.atMost(30), texts.lowercase, texts.uppercase,
            texts.numeric, texts.nonAlphanumeric,
        ]
        let view = ActionView(
            link: ActionLinkQuery { ["lang": language.rawValue][$0] }, allTexts: language.pageTextSet)
        let action = Identity.InspectActionCode.Reply(
            purpose: .passwordReset, email: Self.email,
            passwordRequirements: .init(minimumLength: 12, maximumLength: 30))
        for (unmet, said) in [
            ([.hardToGuess], [0]), ([.atLeast(characters: 12), .numeric], [1, 5]), ([], [1, 2]),
            (
                [
                    .hardToGuess, .atLeast(characters: 12), .atMost(characters: 30), .lowercase, .uppercase, .numeric,
                    .nonAlphanumeric,
                ], [0, 1, 2, 3, 4, 5, 6]
            ),
        ] as [([UnmetPasswordRequirement], Set<Int>)] {
            let page = view.passwordForm(action, refusal: .init(unmetRequirements: unmet)).response
            let body = try #require(ReadPage(TestResponse(page))).text
            // The alarm stands between the address and the label; the requirements of the project follow the field.
            let fromAddress = body.split(separator: Self.email.rawValue).dropFirst().joined()
            let alarm = try #require(fromAddress.split(separator: texts.newPassword).first)
            for (index, sentence) in sentences.enumerated() {
                #expect(alarm.contains(sentence) == said.contains(index), "\(sentence)")
            }
        }
    }

    @Test func requirementsReachPageFromService() async throws {
        let harness = try harness(.init(purpose: .passwordReset, email: Self.email))
        for (password, sentence) in [
            ("&newPassword=weak", "too easy to guess"), ("&newPassword=short", "at least 12 characters"),
            ("", "at least 1 characters"),
        ] {
            let response = try await post(harness, "mode=resetPassword&\(Self.query)\(password)")
            let page = try #require(ReadPage(response))
            #expect(response.status == 400 && page.text.contains(sentence))
        }
    }

    @Test func signInLinkRedirectsToApplication() async throws {
        let harness = try harness(
            .init(purpose: .emailSignIn, email: Self.email, continueURL: "https://app.example.com/x?a=1#top"))
        let response = try await get(harness, "mode=signIn&\(Self.query)&ibi=org.example&apn=org.example")
        let page = try #require(ReadPage(response))
        #expect(
            page.all("a").map { $0["href"] } == [
                "https://app.example.com/x?a=1&mode=signIn&oobCode=c&apiKey=k&lang=en&tenantId=t1&ibi=org.example"
                    + "&apn=org.example#top"
            ])
        #expect(!page.text.contains(Self.email.rawValue))  // A user who signs in must know it.
        _ = try await post(harness, "mode=signIn&\(Self.query)")
        #expect(acted(harness) == 0)
    }

    /// Identity returns a URL only if the project authorizes its host.
    @Test(arguments: Identity.ActionPurpose.allCases) func unauthorizedHostIsNeverLinked(
        purpose: Identity.ActionPurpose
    )
        async throws
    {
        let harness = try harness(.init(purpose: purpose, email: Self.email, continueURL: nil))
        let query = "mode=\(purpose.mode)&oobCode=c&apiKey=k&continueUrl=https%3A%2F%2Fevil.example%2F&newPassword=s"
        for response in [try await get(harness, query), try await post(harness, query)] {
            let page = try #require(ReadPage(response))
            #expect(page.all("a").isEmpty && response.header("location") == nil)
        }
    }

    @Test func emailRecoveryOffersPasswordReset() async throws {
        let harness = try harness(.init(purpose: .recoverEmail, email: Self.email))
        let page = try #require(ReadPage(try await post(harness, "mode=recoverEmail&\(Self.query)")))
        #expect(page.fields["mode"] == "changePassword" && page.fields["email"] == "ada@example.com")
        #expect(page.fields["tenantId"] == "t1" && page.fields["oobCode"] == nil)
        harness.mesh.reply(to: Identity.SendActionCode.self) { _ in .init(email: Self.email) }
        let response = try await post(
            harness, "mode=changePassword&apiKey=k&lang=de&tenantId=t1&email=ada%40example.com")
        #expect(response.status == 200 && ReadPage(response)?.text.contains("Postfach") == true)
        let sent = try #require(harness.mesh.sent(Identity.SendActionCode.self).first)
        #expect(sent.purpose == .passwordReset && sent.email == "ada@example.com" && !sent.isByAdministrator)
        #expect(sent.realm.tenant == TenantID("t1") && sent.locale == "de")
    }

    // MARK: Errors

    @Test(arguments: [
        (ServiceError(.invalidActionCode), 400, "This link does not work"),
        (ServiceError(.missingActionCode), 400, "This link is incomplete"),
        (ServiceError(.tenantNotFound), 400, "This link belongs to another application"),
        (ServiceError(.expiredActionCode), 400, "This link has expired"),
        (ServiceError(.accountDisabled), 400, "This account is disabled"),
        (ServiceError(.emailExists), 400, "This address is taken"),
        (
            ServiceError(WireError(.tooManyAttempts, retryAfterSeconds: 7, limit: .emailsPerAddress)), 429,
            "Too many attempts"
        ),
        (ServiceError(.unavailable), 503, "That did not work"), (ServiceError(.internal), 500, "That did not work"),
    ])
    func refusalIsShownAsPage(error: ServiceError, status: Int, title: String) async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        harness.mesh.reply(to: Identity.InspectActionCode.self) { _ in throw error }
        let response = try await get(harness, "mode=verifyEmail&\(Self.query)")
        #expect(response.status == status && ReadPage(response)?.text.contains(title) == true)
        #expect(response.header("retry-after") == error.retryAfterSeconds.map { String($0) })
        #expect(response.header("x-latchkey-limit") == error.limit?.rawValue)
    }

    @Test(arguments: ["resetPassword", "signIn", "", "nonsense"])
    func missingOrWrongModeIsRefused(mode: String) async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        for response in [
            try await get(harness, "mode=\(mode)&\(Self.query)"), try await post(harness, "mode=\(mode)&\(Self.query)"),
        ] { #expect(response.status == 400) }
        #expect(acted(harness) == 0)
    }

    @Test func unknownAPIKeyIsRefusedInProduction() async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email), isProduction: true)
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in throw ServiceError(.unknownAPIKey) }
        let unknown = try await get(harness, "mode=verifyEmail&\(Self.query)")
        #expect(unknown.status == 400 && unknown.text.contains("This link belongs to another application"))
        let cut = try await get(harness, "mode=verifyEmail&oobCode=c")
        #expect(cut.status == 400 && cut.text.contains("This link is incomplete"))
        #expect(harness.mesh.sent(Identity.InspectActionCode.self).isEmpty)
    }

    /// Security rule HT6. With `Referrer-Policy: no-referrer`, the page's own form sends `Origin: null`.
    @Test(arguments: [
        (["Sec-Fetch-Site": "same-origin", "Origin": "null"], 200), (["Sec-Fetch-Site": "cross-site"], 403),
        (["Sec-Fetch-Site": "same-site"], 403), (["Sec-Fetch-Site": "none"], 403),
        (["Sec-Fetch-Site": "cross-site", "Origin": "http://127.0.0.1:9099"], 403),
        (["Origin": "https://evil.example"], 403), (["Origin": "http://127.0.0.1:9099"], 200),
        (["Origin": "null"], 200),
        ([:], 200), (["Content-Type": "text/plain", "Sec-Fetch-Site": "same-origin"], 403),
    ])
    func crossOriginFormIsRefused(headers: [String: String], status: Int) async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        let response = try await post(harness, "mode=verifyEmail&\(Self.query)", headers: headers)
        #expect(response.status == status && acted(harness) == (status == 200 ? 1 : 0))
        #expect(ReadPage(response) != nil)
    }

    @Test(arguments: ["mode=%zz", "mode=a&mode=b", String(repeating: "a=b&", count: 65)])
    func malformedFormGetsErrorPage(form: String) async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        let response = try await post(harness, form)
        #expect(response.status == 400 && ReadPage(response) != nil && acted(harness) == 0)
    }

    @Test func rateLimitedRequestGetsErrorPage() async throws {
        let harness = try GatewayHarness.production(["LATCHKEY_LIMIT_SIGN_IN_PER_MINUTE": "1"])
        harness.mesh.reply(to: Identity.ResolveAPIKey.self) { _ in throw ServiceError(.unknownAPIKey) }
        _ = try await get(harness, Self.query)
        let response = try await get(harness, Self.query)
        #expect(response.status == 429 && ReadPage(response)?.text.contains("Too many attempts") == true)
        #expect(response.header("retry-after") != nil)
    }

    // MARK: Headers

    /// Security rules HT8 and HT9.
    @Test(arguments: [200, 400]) func everyPageHasSecurityHeaders(status: Int) async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        let response = try await get(
            harness, status == 200 ? "mode=verifyEmail&\(Self.query)" : "mode=x",
            headers: ["Origin": "https://evil.example"])
        #expect(response.status == status)
        #expect(
            response.header("content-security-policy")
                == "default-src 'none'; style-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
        #expect(response.http.headers.filter { $0.name == "Content-Security-Policy" }.count == 1)
        #expect(response.header("cache-control") == "no-store" && response.header("referrer-policy") == "no-referrer")
        #expect(response.header("x-frame-options") == "DENY" && response.header("x-content-type-options") == "nosniff")
        #expect(response.header("content-type") == "text/html; charset=utf-8")
        #expect(response.header("access-control-allow-origin") == nil)
    }

    @Test func stylesheetIsTheOnlyResource() async throws {
        let harness = try harness(.init(purpose: .verifyEmail, email: Self.email))
        let page = try #require(ReadPage(try await get(harness, "mode=verifyEmail&\(Self.query)")))
        #expect(page.all("link").map { $0["href"] } == ["/__/auth/pages.css?v=\(PageStylesheet.version)"])
        #expect(page.elements.allSatisfy { $0.attributes["src"] == nil })
        let sheet = try await harness.send(.get, "/__/auth/pages.css")
        #expect(sheet.status == 200 && sheet.header("content-type") == "text/css; charset=utf-8")
        #expect(sheet.header("cache-control") == "public, max-age=3600")
        let named = try await harness.send(
            .get, "/__/auth/pages.css", query: "v=\(PageStylesheet.version)&color=00b894&radius=%7D")
        #expect(named.header("cache-control") == "public, max-age=31536000, immutable")
        #expect(named.text.hasPrefix(sheet.text) && named.text.contains("--brand: light-dark(#00b894, "))
    }

    // MARK: External values

    @Test(arguments: [
        #""><script>alert(1)</script>"#, "' onfocus='x", "</title><b>", "&lt;&amp;", "\u{202e}evil", "javascript:x",
        "\u{1}\u{7f}\u{85}",
    ])
    func hostileValuesAreEscaped(value: String) async throws {
        let factor = SecondFactor(
            id: FactorID("f"), kind: .totp, displayName: value, enrolledAt: Moment(milliseconds: 0))
        let passkey = Identity.InspectActionCode.ListedPasskey(name: value, createdAt: Moment(milliseconds: 0))
        try await expectEscaped(
            value, .init(purpose: .revertSecondFactorAddition, email: Self.email, secondFactor: factor))
        for purpose in [Identity.ActionPurpose.revertPasskeyAddition, .recoverEmail, .passwordReset] {
            try await expectEscaped(value, .init(purpose: purpose, email: Self.email, passkeys: [passkey]))
        }
    }

    private func expectEscaped(_ value: String, _ action: Identity.InspectActionCode.Reply) async throws {
        let harness = try harness(action)
        let encoded = PercentEncoding.encoded(value)
        let response = try await get(
            harness,
            "mode=\(action.purpose.mode)&oobCode=\(encoded)&apiKey=\(encoded)&lang=\(encoded)&tenantId=\(encoded)&continueUrl=\(encoded)&ibi=\(encoded)"
        )
        let page = try #require(ReadPage(response))
        #expect(page.all("script").isEmpty && page.all("b").isEmpty && page.all("a").isEmpty)
        #expect(!page.elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") } })
        let shown = String(
            String.UnicodeScalarView(
                value.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{fffd}" : $0 }))
        #expect(page.fields["oobCode"] == shown && page.text.contains(shown))
    }

    @Test func wrappedApplicationLinkRedirectsToActionPage() async throws {
        let harness = try GatewayHarness()
        let inner = "https%3A%2F%2Fauth.example.com%2F__%2Fauth%2Faction%3Fmode%3DverifyEmail%26oobCode%3Dc"
        let response = try await harness.send(.get, "/__/auth/links", query: "link=\(inner)")
        #expect(response.status == 303 && response.header("location") == "/__/auth/action?mode=verifyEmail&oobCode=c")
        for query in ["", "link=", "link=javascript%3Ax", "link=https%3A%2F%2Fevil.example%2F"] {
            #expect(try await harness.send(.get, "/__/auth/links", query: query).status == 400)
        }
    }
}
