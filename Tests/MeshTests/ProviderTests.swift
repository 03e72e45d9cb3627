import Crypto
import Foundation
import HTTPClient
import JSON
import LatchkeyAuth
import Synchronization
import TestSupport
import Testing

extension MeshTests {
    /// Sign-in with identity providers through the whole mesh.
    @Suite struct ProviderTests {
        private func withProviders(
            _ services: String = "gateway,identity,federation", _ arguments: [String] = [],
            on engine: MeshEngine = .sqlite, environment: [String: String] = [:], connections: Int = 16,
            _ body: (ProviderTestClient) async throws -> Void
        ) async throws {
            try await FakeProviders.running { providers in
                let gameCenter = try GameCenterSigner()
                providers.state.withLock {
                    $0.files["/gamecenter/public-key/gc-prod-10.cer"] = gameCenter.certificate.der
                    $0.files["/digicert/CodeSigning.crt"] = gameCenter.intermediate.der
                }
                let directory = try TemporaryDirectory()
                let anchors = directory.appending("anchors.pem")
                try gameCenter.root.pem.write(toFile: anchors, atomically: true, encoding: .utf8)
                let settings = [
                    "LATCHKEY_DEV_ENDPOINTS": providers.endpoints, "LATCHKEY_GAME_CENTER_TRUST_ANCHORS_FILE": anchors,
                    "LATCHKEY_LOG": "debug",
                ].merging(environment) { $1 }
                try await withMesh(
                    ["--only", services] + arguments, on: engine, environment: settings, connections: connections
                ) { mesh in
                    let users = ProviderTestClient(mesh: mesh, providers: providers, gameCenter: gameCenter)
                    try await users.configure()
                    try await body(users)
                    let log = mesh.log
                    for credential in users.credentials.successes { #expect(!log.contains(credential)) }
                    #expect(!log.contains(FakeProviders.appSecret))
                }
            }
        }

        // MARK: First factor

        @Test(arguments: MeshEngine.allCases)
        func everyProviderSignsIn(engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let auth = users.mesh.makeAuth()
                for (number, method) in ProviderTestClient.Method.allCases.enumerated() {
                    // Facebook's access tokens are of one user.
                    let subject = method.providerID == "facebook.com" ? "4711" : "10\(number)"
                    let first = try await auth.signIn(with: users.credential(method, subject: subject))
                    #expect(try await first.user.getIDTokenResult().signInProvider == method.providerID)
                    // Facebook's Limited Login has the same user as the access token.
                    let isKnown = method == .facebookLimitedLogin
                    #expect(first.additionalUserInfo?.isNewUser == !isKnown, "\(method)")
                    let second = try await auth.signIn(with: users.credential(method, subject: subject))
                    #expect(second.user.uid == first.user.uid)
                    #expect(second.additionalUserInfo?.isNewUser == false)
                    _ = try await first.user.getIDToken(forcingRefresh: true)
                    try await first.user.reload()
                    #expect(first.user.providerData.map(\.uid) == [subject])
                }
                let player = try await users.signInWithGameCenter("T:_1")
                #expect(try player.json["isNewUser"] == .bool(true))
                let again = try await users.signInWithGameCenter("T:_1")
                #expect(try Tokens(again).accountID == Tokens(player).accountID)
                #expect(try again.json["isNewUser"] == .bool(false))
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func samlProviderSignsIn(engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let attributes = JSONValue.object([
                    "displayName": .string("Ada"), "groups": .array([.string("a"), .string("b")]),
                ])
                let started = try await users.startSAML()
                let assertion = users.response(
                    to: started, subject: "ada-1", ["displayName": ["Ada"], "groups": ["a", "b"]])
                let first = try await users.finish(started, assertion)
                let tokens = try Tokens(first)
                #expect(try first.json["isNewUser"] == .bool(true))
                #expect(try first.json["displayName"] == .string("Ada"))
                try expectSession(first, ProviderTestClient.saml, attributes: attributes)
                let refreshed = try await users.client.refresh(tokens.refreshToken)
                try expectSession(refreshed, ProviderTestClient.saml, attributes: attributes, member: "id_token")

                let second = try await users.signInWithSAML(subject: "ada-1")
                #expect(try Tokens(second).accountID == tokens.accountID)
                #expect(try second.json["isNewUser"] == nil)
                try expectSession(second, ProviderTestClient.saml, attributes: nil)
                let other = try await users.signInWithSAML(subject: "ada-2")
                #expect(try Tokens(other).accountID != tokens.accountID)
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func samlResponseIsAcceptedOnce(engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let started = try await users.startSAML()
                let response = users.response(to: started, subject: "ada-1")
                #expect(try await users.finish(started, response).status == 200)
                let replayed = try await users.finish(started, response)
                #expect(replayed.refusal?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(replayed.summary)")

                // The same assertion in a response to another request, as a provider could send it by mistake.
                let next = try await users.startSAML()
                var repeated = users.response(to: next, subject: "ada-1")
                repeated.id = response.id
                let duplicate = try await users.finish(next, repeated)
                #expect(
                    duplicate.refusal?.hasPrefix("MISSING_OR_INVALID_NONCE : Duplicate credential") == true,
                    "\(duplicate.summary)")

                let last = try await users.startSAML()
                let forged = try await users.finish(
                    last, users.response(to: last, subject: "ada-1"), key: TestIdentityProvider.other.get())
                #expect(forged.refusal?.hasPrefix("INVALID_IDP_RESPONSE : ") == true, "\(forged.summary)")
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func newIdentityCreatesOneAccount(engine: MeshEngine) async throws {
            try await withProviders(
                "gateway,identity,federation", ["--scale", "identity=2"], on: engine, connections: 50
            ) { users in
                let token = try users.parameters(.openID, subject: "subject")
                let responses = try await users.client.atOnce(50) { _ in
                    try await users.signIn(ProviderTestClient.openID, token)
                }
                let answered = responses.filter { !$0.asksToComeAgain }
                #expect(!answered.isEmpty)
                #expect(Set(try answered.map { try Tokens($0).accountID }).count == 1)
                #expect(try answered.count { try $0.json["isNewUser"] != nil } == 1)
            }
        }

        // MARK: Accounts

        @Test(arguments: MeshEngine.allCases)
        func identityIsLinkedAndUnlinked(engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let (auth, person) = (users.mesh.makeAuth(), TestUser())
                let user = try await auth.signUp(person).user
                try await user.link(with: users.credential(.google, subject: "1"))
                #expect(
                    try await auth.signIn(with: users.credential(.google, subject: "1")).user.uid == user.uid)

                let other = try await users.mesh.makeAuth().signUp(TestUser()).user
                await #expect(throws: AuthErrorCode(.credentialAlreadyInUse)) {
                    try await other.link(with: users.credential(.google, subject: "1"))
                }

                try await user.unlink(fromProvider: "google.com")
                #expect(
                    try await auth.signIn(with: users.credential(.google, subject: "1")).user.uid != user.uid)
                #expect(try await auth.signIn(person).user.uid == user.uid)
            }
        }

        /// A provider that does not decide about the address does not let its user into the account.
        @Test(arguments: MeshEngine.allCases)
        func addressOfAnotherAccountNeedsConfirmation(engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let person = try await users.client.verifiedPerson()
                let claims: [String: JSONValue] = ["email": .string(person.email), "email_verified": .bool(true)]
                let reply = try await users.signIn(.openID, subject: "1", claims)
                #expect(reply.status == 200, "\(reply.summary)")
                #expect(try reply.json["needConfirmation"] == .bool(true))
                #expect(try reply.json["verifiedProvider"] == .array([.string("password")]))
                #expect(try reply.json["idToken"] == nil && reply.json["refreshToken"] == nil)

                let auth = users.mesh.makeAuth()
                let collision = await #expect(throws: AuthErrorCode(.accountExistsWithDifferentCredential)) {
                    try await auth.signIn(with: users.credential(.openID, subject: "1", claims))
                }
                #expect(collision?.userInfo[AuthErrorUserInfoEmailKey] as? String == person.email)
                let pending = try #require(
                    collision?.userInfo[AuthErrorUserInfoUpdatedCredentialKey] as? AuthCredential)
                let user = try await auth.signIn(person).user
                try await user.link(with: pending)
                let known = try await auth.signIn(with: users.credential(.openID, subject: "1", claims))
                #expect(known.user.uid == user.uid)
            }
        }

        // MARK: Second factor

        @Test(arguments: MeshEngine.allCases)
        func appIsSecondFactorAfterEveryProvider(engine: MeshEngine) async throws {
            try await withProviders("gateway,identity,federation,mfa-totp,notifier", on: engine) { users in
                try await users.client.switchTOTPOn()
                let person = try await users.client.verifiedPerson()
                let app = try await users.client.enrolledApp(of: person, in: users.mesh.directory, offset: -5)
                try await users.link(app.accountID, subject: "4711")
                for (number, method) in ProviderTestClient.Method.allCases.enumerated() {
                    let first = try await users.signIn(method, subject: "4711", ["department": .string("x")])
                    #expect(try first.json["idToken"] == nil)
                    // Each code is valid once.
                    let finished = try await users.client.finish(
                        first.text("mfaPendingCredential"), app, app.code(number - 4))
                    #expect(finished.status == 200, "\(method) \(finished.summary)")
                    try expectSession(finished, method, secondFactor: "totp")
                    let refreshed = try await users.client.refresh(finished.text("refreshToken"))
                    try expectSession(refreshed, method, secondFactor: "totp", member: "id_token")
                }
                let player = try await users.signInWithGameCenter("4711")
                let finished = try await users.client.finish(
                    player.text("mfaPendingCredential"), app, app.code(ProviderTestClient.Method.allCases.count - 4))
                #expect(finished.status == 200, "\(finished.summary)")
            }
        }

        /// The provider decides about the address, so that its user has the account and that account's second factor.
        @Test(arguments: MeshEngine.allCases)
        func appIsSecondFactorAfterSAML(engine: MeshEngine) async throws {
            try await withProviders("gateway,identity,federation,mfa-totp,notifier", on: engine) { users in
                try await users.client.switchTOTPOn()
                let person = try await users.client.verifiedPerson()
                let app = try await users.client.enrolledApp(of: person, in: users.mesh.directory)
                // With the address, and later with the identity that the first sign-in linked.
                for (number, attributes) in [["mail": person.email], ["department": "x"]].enumerated() {
                    let members = JSONValue.object(attributes.mapValues(JSONValue.string))
                    let first = try await users.signInWithSAML(subject: "ada-1", attributes.mapValues { [$0] })
                    let reply = try first.json
                    #expect(reply["idToken"] == nil && reply["refreshToken"] == nil, "\(first.summary)")
                    #expect(reply["providerId"] == .string(ProviderTestClient.saml))
                    #expect(reply["federatedId"] == .string("\(ProviderTestClient.saml)/ada-1"))
                    #expect(reply["localId"] == .string(app.accountID))
                    #expect(reply["email"] == attributes["mail"].map(JSONValue.string))
                    #expect(reply["pendingToken"] != nil && reply["mfaInfo"] != nil)
                    let information = try WireJSON.decode(JSONValue.self, from: Data(first.text("rawUserInfo").utf8))
                    #expect(information == members)
                    // Each code is valid once.
                    let finished = try await users.client.finish(
                        first.text("mfaPendingCredential"), app, app.code(number))
                    #expect(finished.status == 200, "\(finished.summary)")
                    let refreshed = try await users.client.refresh(finished.text("refreshToken"))
                    for (response, member) in [(finished, "idToken"), (refreshed, "id_token")] {
                        try expectSession(
                            response, ProviderTestClient.saml, secondFactor: "totp", attributes: members,
                            member: member)
                        let session = try ProviderTestClient.session(of: response.text(member))
                        #expect(session["second_factor_identifier"] == .string(app.factorID))
                    }
                }
            }
        }

        @Test(arguments: MeshEngine.allCases)
        func smsIsSecondFactorAfterProvider(engine: MeshEngine) async throws {
            try await FakeProvider.running { provider, url in
                let settings = [
                    "LATCHKEY_SMS_PROVIDER": "twilio", "LATCHKEY_TWILIO_BASE_URL": url,
                    "LATCHKEY_TWILIO_ACCOUNT_SID": "AC1", "LATCHKEY_TWILIO_AUTH_TOKEN": "token-of-the-provider",
                    "LATCHKEY_TWILIO_FROM": "+15005550006",
                ]
                try await withProviders(
                    "gateway,identity,federation,mfa-sms,notifier", on: engine, environment: settings
                ) { users in
                    let phones = PhoneTestClient(mesh: users.mesh, provider: provider)
                    try await phones.switchSMSOn()
                    let person = try await users.client.verifiedPerson()
                    let number = PhoneTestClient.number(1)
                    let auth = users.mesh.makeAuth()
                    let accountID = try await auth.signIn(person).user.uid
                    try await phones.enroll(number, for: person)
                    try await users.link(accountID, subject: "4711")
                    for (count, method) in [ProviderTestClient.Method.openID, .google].enumerated() {
                        let credential = try users.credential(method, subject: "4711", ["department": .string("x")])
                        let resolver = try await MultiFactorResolver.required {
                            try await auth.signIn(with: credential)
                        }
                        let assertion = try await phones.assertion(for: resolver, to: number, after: count + 1)
                        let result = try await resolver.resolveSignIn(with: assertion)
                        #expect(result.user.uid == accountID)
                        #expect(result.additionalUserInfo?.providerID == method.providerID)
                        for isRefreshed in [false, true] {
                            try expectSession(
                                await result.user.getIDToken(forcingRefresh: isRefreshed), method,
                                secondFactor: "phone")
                        }
                    }
                }
            }
        }

        /// The token contains both factors, and claims of the OpenID provider.
        private func expectSession(
            _ response: HTTPClientResponse, _ method: ProviderTestClient.Method, secondFactor: String,
            member: String = "idToken"
        ) throws {
            try expectSession(response.text(member), method, secondFactor: secondFactor)
        }

        private func expectSession(
            _ idToken: String, _ method: ProviderTestClient.Method, secondFactor: String
        ) throws {
            try expectSession(
                idToken, method.providerID, secondFactor: secondFactor,
                attributes: method == .openID ? .object(["department": .string("x")]) : nil)
        }

        private func expectSession(
            _ response: HTTPClientResponse, _ providerID: String, secondFactor: String? = nil,
            attributes: JSONValue?, member: String = "idToken"
        ) throws {
            try expectSession(
                response.text(member), providerID, secondFactor: secondFactor, attributes: attributes)
        }

        private func expectSession(
            _ idToken: String, _ providerID: String, secondFactor: String?, attributes: JSONValue?
        ) throws {
            let session = try ProviderTestClient.session(of: idToken)
            #expect(session["sign_in_provider"] == .string(providerID))
            #expect(session["sign_in_second_factor"] == secondFactor.map(JSONValue.string), "\(providerID)")
            #expect(session["sign_in_attributes"] == attributes, "\(providerID)")
        }

        // MARK: Failures

        @Test(
            arguments: [
                ("federation.1", MeshEngine.sqlite), ("federation.1", .postgres), ("identity.1", .sqlite),
                ("identity.1", .postgres),
            ])
        func acknowledgedAccountsSurviveKilledProcess(instance: String, engine: MeshEngine) async throws {
            try await withProviders(on: engine) { users in
                let signIns = Tally<(subject: String, accountID: String)>()
                try await withBusyClients(4, { await users.signInNewUser(signIns) }) {
                    try await signIns.untilMore(8)
                    try await users.mesh.killAndReplace(instance)
                    try await users.mesh.untilReady()
                    try await signIns.untilMore(8)
                }
                #expect(signIns.surprises == [])
                for (subject, accountID) in signIns.successes {
                    let response = try await users.signIn(.openID, subject: subject)
                    #expect(try Tokens(response).accountID == accountID)
                    #expect(try response.json["isNewUser"] == nil)
                }
            }
        }

        /// The requests to the hanging provider run while the users of another one sign in.
        @Test func hangingProviderDelaysNoOtherProvider() async throws {
            try await withProviders(connections: 64) { users in
                #expect(try await users.signIn(.openID, subject: "0").status == 200)
                let token = try users.parameters(.googleAccessToken, subject: "1")
                users.providers.state.withLock { _ = $0.hangingPaths.insert("/google/") }
                async let hanging = users.client.atOnce(40) { _ in try await users.signIn("google.com", token) }
                try await eventually("requests hung") { users.providers.waitingCount > 0 }
                for number in 1..<20 {
                    let response = try await users.signIn(.openID, subject: String(number))
                    #expect(response.status == 200, "\(response.summary)")
                }
                for response in try await hanging {
                    #expect(response.refusal == "INVALID_IDP_RESPONSE : The provider cannot be reached.")
                }
            }
        }
    }
}
