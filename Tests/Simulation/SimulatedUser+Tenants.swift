// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Contracts
    import FoundationEssentials
    import JSON
    import TestSupport
    import Vocabulary

    /// What is valid in one realm is presented in another one, which may have the same addresses and numbers.
    extension SimulatedUser {
        var realm: Realm { scenario.realms[realmNumber % scenario.realms.count] }

        private func otherRealm(_ isMeant: (Realm) -> Bool = { _ in true }) -> Realm? {
            pick(scenario.realms.filter { $0 != realm && isMeant($0) })
        }

        func trespass() async {
            if usedAuthenticators > 0, chance(35) { return await presentPasskey() }
            switch world.random.index(below: 6) {
            case 0: await presentIDToken()
            case 1: await presentPassword()
            case 2: await presentResetCode()
            case 3: await presentPendingSignIn()
            case 4: await presentPasskey()
            default:
                if let other = otherRealm() { await presentIdentity(in: other) }
            }
        }

        /// A request without a tenant has that of its ID token.
        private func presentIDToken() async {
            guard let session = pick(sessions), let other = otherRealm({ $0.tenant != nil }) else { return }
            switch world.random.index(below: 3) {
            case 0: await requireRefusal("an ID token", ":lookup", ["idToken": session.idToken], in: other)
            case 1:
                await requireRefusal(
                    "an ID token", ":update", ["idToken": session.idToken, "password": newPassword()], in: other)
            default:
                await requireRefusal(
                    "an ID token", "/passkeyEnrollment:start", version: "v2", ["idToken": session.idToken], in: other)
            }
        }

        private func presentPassword() async {
            guard let password = knownPassword(), let other = otherRealm() else { return }
            await requireRefusal(
                "a password", ":signInWithPassword", ["email": email, "password": password], in: other)
        }

        private func presentResetCode() async {
            guard let code = codes(of: .resetPassword).last, let other = otherRealm() else { return }
            await requireRefusal("a code", ":resetPassword", ["oobCode": code], in: other)
            await requireRefusal(
                "a code", ":resetPassword", ["oobCode": code, "newPassword": newPassword()], in: other)
        }

        private func presentPendingSignIn() async {
            guard let password = knownPassword(), let other = otherRealm({ $0.tenant != nil }),
                let pending = await signIn(with: password), let secret = pick(secrets)
            else { return }
            await requireRefusal(
                "a pending sign-in", "/mfaSignIn:finalize", version: "v2",
                ["mfaPendingCredential": pending.credential, "mfaEnrollmentId": pending.totpID ?? "-"],
                ["totpVerificationInfo": .object(["verificationCode": .string(code(secret, nextStep(of: secret)))])],
                in: other)
        }

        /// The challenge is that of either realm.
        private func presentPasskey() async {
            guard let place = knownPasskey(), let other = otherRealm() else { return }
            let (answer, _) = await toolkit(
                "/passkeySignIn:start", version: "v2", [:], in: chance(50) ? realm : other)
            guard case .accepted(let reply) = answer,
                let options = try? SoftwareAuthenticator.Options(request: reply)
            else { return }
            await requireRefusal(
                "a passkey", "/passkeySignIn:finalize", version: "v2", [:],
                ["authenticatorAuthenticationResponse": sign(options, with: place, isWrong: false).response], in: other)
        }

        private func requireRefusal(
            _ what: String, _ operation: String, version: String = "v1", _ members: [String: String],
            _ objects: [String: JSONValue] = [:], in other: Realm
        ) async {
            let (answer, _) = await toolkit(operation, version: version, members, objects, in: other)
            if case .accepted = answer { world.report("\(what) of \(name) is accepted in another realm") }
        }

        /// The tokens of a session are those of its realm.
        func requireOwnRealm(_ idToken: String) {
            let parts = idToken.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
                let json = try? WireJSON.decode(JSONValue.self, from: Data(payload))
            else { return world.report("\(name) gets an ID token that cannot be read") }
            if json["firebase"]?["tenant"]?.text != realm.tenant?.rawValue {
                world.report("\(name) gets an ID token of another realm")
            }
        }
    }

#endif
