// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import Crypto
    import FoundationEssentials
    import HTTPServer
    import JSON
    import TestSupport
    import Vocabulary

    @testable import MFATOTPService

    /// The clients of one user, which share an account and its factor. They remember what was acknowledged.
    ///
    /// `@unchecked Sendable`: the scheduler runs everything on one thread.
    final class SimulatedUser: @unchecked Sendable {
        typealias Span = AccountJudge.Span
        typealias Session = AccountJudge.Session
        typealias Pending = AccountJudge.Pending

        /// What a client learns.
        enum Answer {
            case accepted(JSONValue)
            case refused(String)
            /// No response, or that of a failure: the request may have an effect, also later.
            case uncertain

            var outcome: RequestOutcome {
                switch self {
                case .accepted: .acknowledged
                case .refused: .refused
                case .uncertain: .uncertain
                }
            }
        }

        let email: String
        /// The address with the place of its realm, in reports and passwords.
        let name: String
        /// Among those of the run.
        let realmNumber: Int
        let account: AccountJudge.Account
        private let address: IPAddress
        unowned let scenario: AccountScenario
        /// As the latest reply named it.
        var id: String?
        /// Replies to requests that began before this may name an account that was deleted since.
        var idBegan: ContinuousClock.Instant?
        var sessions: [Session] = []
        private var passwordCount = 0
        /// In the order of the passkeys of the account.
        var authenticators: [SoftwareAuthenticator]
        /// The number of those that have created a passkey.
        var usedAuthenticators = 0
        /// The last step whose code was sent, by secret.
        var lastSteps: [String: Int64] = [:]
        /// The last sign-in was refused because many wrong passwords came before.
        var isLimited = false
        var hasEnded = false

        init(_ number: Int, _ scenario: AccountScenario) {
            let count = scenario.plan.tenants + 1
            // Another realm has the same addresses and numbers.
            let person = number / count
            realmNumber = (number + scenario.plan.tenants) % count
            email = "user-\(person)@example.com"
            name = realmNumber == 0 ? email : "\(email) of tenant \(realmNumber)"
            authenticators = Self.makeAuthenticators(scenario.world)
            account = AccountJudge.Account(
                name, phones: (0..<2).map { "+4915112\(100_000 + 10 * person + $0)" },
                passkeys: authenticators.map(\.credentialID))
            self.scenario = scenario
            guard let address = IPAddress("203.0.113.\(number + 1)") else { preconditionFailure("an address") }
            self.address = address
        }

        var world: World { scenario.world }
        var judge: AccountJudge { scenario.judge }
        var now: ContinuousClock.Instant { world.time.steady }

        func chance(_ percent: Int) -> Bool { world.random.chance(percent: percent) }

        func pick<Element>(_ elements: [Element]) -> Element? {
            elements.isEmpty ? nil : elements[world.random.index(below: elements.count)]
        }

        func pause() async { try? await scenario.client.pause(for: nextPause()) }

        func nextPause() -> Duration { scenario.plan.pauseOfClients * (1 + world.random.index(below: 3)) / 2 }

        // MARK: Requests

        func post(
            _ path: String, _ members: [String: String], _ objects: [String: JSONValue] = [:]
        ) async -> (Answer, Span) {
            let began = now
            let body = JSONValue.object(
                members.mapValues { JSONValue.string($0) }.merging(objects) { $1 }
                    .merging(["returnSecureToken": .bool(true)]) { $1 })
            guard let data = try? WireJSON.encode(body) else { preconditionFailure("a body that is not JSON") }
            let request = HTTPRequest(
                .post, path, query: "key=\(AccountScenario.apiKey)",
                headers: HTTPHeaders([("Content-Type", "application/json")]), body: data, from: address)
            let response = await scenario.exchange(request)
            return (answer(to: response, path), Span(began: began, ended: now))
        }

        private func answer(to response: HTTPResponse?, _ path: String) -> Answer {
            guard let response, response.status < 500 else { return .uncertain }
            guard let json = try? WireJSON.decode(JSONValue.self, from: response.body) else {
                world.report("the response to \(path) is not JSON")
                return .uncertain
            }
            if response.status == 200 { return .accepted(json) }
            scenario.refusalCount += 1
            // The first word is the error, the rest says more.
            let message = json["error"]?["message"]?.text ?? "-"
            return .refused(message.split(separator: " ").first.map(String.init) ?? "-")
        }

        func toolkit(
            _ operation: String, version: String = "v1", _ members: [String: String],
            _ objects: [String: JSONValue] = [:], in realm: Realm? = nil
        ) async -> (Answer, Span) {
            var members = members
            members["tenantId"] = (realm ?? self.realm).tenant?.rawValue
            return await post("/identitytoolkit.googleapis.com/\(version)/accounts\(operation)", members, objects)
        }

        /// Keeps the session of a reply.
        func keep(_ reply: JSONValue, began: ContinuousClock.Instant, _ password: String?) -> Session? {
            if let id = reply["localId"]?.text, idBegan.map({ $0 <= began }) ?? true {
                (self.id, idBegan) = (id, began)
            }
            if let id = reply["localId"]?.text { scenario.owners[id] = self }
            guard let idToken = reply["idToken"]?.text, let refreshToken = reply["refreshToken"]?.text else {
                world.report("\(name) gets a session without tokens")
                return nil
            }
            requireOwnRealm(idToken)
            let session = Session(
                began: began, ended: now, password: password, refreshToken: refreshToken, idToken: idToken)
            sessions.append(session)
            if sessions.count > 6 { sessions.remove(at: world.random.index(below: sessions.count)) }
            return session
        }

        // MARK: What clients do

        /// What only one client does at a time: it changes the account.
        func own(_ choices: ClientChoices) async {
            while let choice = await choices.next(below: 150) {
                guard account.password.possible(from: now, to: now) != [nil], id != nil || chance(50) else {
                    await signUp()
                    continue
                }
                switch choice {
                case ..<20: await signIn()
                case ..<32: await refresh()
                case ..<40: await lookUp()
                case ..<52: await changePassword()
                case ..<62: await updatePassword()
                case ..<70: await requestCode("PASSWORD_RESET")
                case ..<80: await resetPassword()
                case ..<90: await enroll()
                case ..<98: await enrollPhone()
                case ..<100: await deleteAccount()
                case ..<110: await enrollPasskey()
                case ..<121: await signInByPasskey()
                case ..<125: await removePasskey()
                case ..<135: await trespass()
                case ..<141: await link()
                case ..<147: await signInByIdentity()
                default: await unlink()
                }
            }
        }

        /// What several clients do at the same time.
        func use(_ choices: ClientChoices) async {
            while let choice = await choices.next(below: 13) {
                switch choice {
                case ..<4: await signIn()
                case ..<8: await refresh()
                case ..<10: await lookUp()
                case ..<12: await signInByPasskey()
                default: await signInByIdentity()
                }
            }
        }

        func newPassword() -> String {
            passwordCount += 1
            return "correct horse \(name) \(passwordCount)"
        }

        /// A password that may be right, or one that was.
        func knownPassword() -> String? {
            let possible = account.password.possible(from: now, to: now).compactMap(\.self)
            if !possible.isEmpty, chance(92) { return pick(possible) }
            return pick(account.password.writes.compactMap(\.value))
        }

        private func signUp() async {
            let password = newPassword()
            let write = account.password.begin(password, at: now)
            let rest = account.beginAnew(at: now)
            let (answer, span) = await toolkit(":signUp", ["email": email, "password": password])
            if case .accepted(let reply) = answer {
                judge.signUpIsAccepted(account, reply["localId"]?.text ?? "", span)
                _ = keep(reply, began: span.began, password)
            }
            account.password.end(write, answer.outcome, at: now)
            account.endAnew(rest, answer.outcome, at: now)
            if case .refused(let message) = answer { judge.signUpIsRefused(account, message, span) }
        }

        private func signIn() async {
            guard let password = knownPassword() else { return }
            guard let pending = await signIn(with: password) else { return }
            if chance(30) { await pause() }
            if let phone = pick(pending.phones), pending.totpID == nil || chance(50) {
                return await complete(pending, by: phone)
            }
            guard let secret = pick(secrets) else { return }
            // Two clients may present the same code, or the same credential.
            let step = nextStep(of: secret)
            guard chance(40) else { return _ = await complete(pending, secret, step) }
            let other = chance(50) ? step : nextStep(of: secret)
            await withDiscardingTaskGroup { group in
                for step in [step, other] { group.addTask { await self.complete(pending, secret, step) } }
            }
        }

        /// - Returns: what waits for the second factor.
        @discardableResult
        func signIn(with password: String) async -> Pending? {
            let (answer, span) = await toolkit(":signInWithPassword", ["email": email, "password": password])
            switch answer {
            case .uncertain: return nil
            case .refused(let message):
                isLimited = message == "TOO_MANY_ATTEMPTS_TRY_LATER"
                judge.passwordIsRefused(account, password, message, span)
                return nil
            case .accepted(let reply):
                judge.passwordIsAccepted(account, password, span)
                guard let credential = reply["mfaPendingCredential"]?.text else {
                    judge.sessionIsOpened(account, span)
                    _ = keep(reply, began: span.began, password)
                    return nil
                }
                var pending = Pending(
                    credential: credential, password: password, began: span.began, ended: span.ended)
                if case .array(let factors)? = reply["mfaInfo"] { pending.read(factors, of: account) }
                judge.secondFactorIsDemanded(account, pending, span)
                return pending
            }
        }

        var isVerified: Bool { account.isProven.mustBe(true, from: now, to: now) }

        var secrets: [String] { account.factor.possible(from: now, to: now).compactMap(\.self) }

        /// The next step whose code was not sent before; sometimes one that was.
        func nextStep(of secret: String) -> Int64 {
            let current = TOTPCode.step(at: scenario.client.now().wall)
            let last = lastSteps[secret] ?? current - 3
            if chance(15) { return last }
            let next = min(max(last + 1, current - 2), current + 4)
            lastSteps[secret] = max(last, next)
            return next
        }

        func code(_ secret: String, _ step: Int64) -> String {
            guard let bytes = Base32.decode(secret) else { preconditionFailure("a secret that is not in base32") }
            return String(decoding: TOTPCode(secret: bytes, step: step).characters, as: UTF8.self)
        }

        @discardableResult
        func complete(_ pending: Pending, _ secret: String, _ step: Int64) async -> Answer {
            let (answer, span) = await toolkit(
                "/mfaSignIn:finalize", version: "v2",
                ["mfaPendingCredential": pending.credential, "mfaEnrollmentId": pending.totpID ?? "-"],
                ["totpVerificationInfo": .object(["verificationCode": .string(code(secret, step))])])
            if case .accepted(let reply) = answer {
                judge.stepIsAccepted(account, secret: secret, step: step)
                judge.secondFactorIsAccepted(account, pending, .totp(secret: secret), span)
                _ = keep(reply, began: pending.began, pending.password)
            }
            return answer
        }

        func refresh() async {
            guard let session = pick(sessions) else { return }
            // One client at a time has a session.
            sessions.removeAll { $0 === session }
            if await refresh(session), sessions.count < 6 { sessions.append(session) }
        }

        /// - Returns: whether the session may go on.
        func refresh(_ session: Session) async -> Bool {
            let (answer, span) = await post(
                "/securetoken.googleapis.com/v1/token",
                ["grantType": "refresh_token", "refreshToken": session.refreshToken])
            switch answer {
            case .uncertain: return true
            case .refused(let message):
                judge.refreshIsRefused(account, session, message, span)
                // A session that was revoked must stay so.
                return message == "USER_DISABLED" || chance(70)
            case .accepted(let reply):
                judge.refreshIsAccepted(account, session, span)
                guard let idToken = reply["id_token"]?.text, let refreshToken = reply["refresh_token"]?.text else {
                    world.report("\(name) gets a session without tokens")
                    return false
                }
                requireOwnRealm(idToken)
                (session.idToken, session.refreshToken) = (idToken, refreshToken)
                session.idTokenEnded = span.ended
                session.firstRefreshBegan = session.firstRefreshBegan ?? span.began
                return true
            }
        }

        private func lookUp() async {
            guard let session = pick(sessions) else { return }
            let idToken = session.idToken
            let (answer, span) = await toolkit(":lookup", ["idToken": idToken])
            guard case .accepted(let reply) = answer else { return }
            judge.passkeysAreListed(account, passkeys(of: reply), span)
            judge.identitiesAreListed(account, identities(of: reply), span)
            guard session.idToken == idToken else { return }
            judge.idTokenIsAccepted(account, session, span)
        }
    }

    extension JSONValue {
        var text: String? {
            guard case .string(let text) = self else { return nil }
            return text
        }
    }

#endif
