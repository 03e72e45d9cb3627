// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import JSON
    import TestSupport

    @testable import MFATOTPService

    /// How a client changes its account, and what must work after the faults.
    extension SimulatedUser {
        func changePassword() async {
            guard let former = knownPassword() else { return }
            let password = newPassword()
            let write = account.password.begin(password, at: now)
            let (answer, span) = await toolkit(
                ":resetPassword", ["email": email, "oldPassword": former, "newPassword": password])
            account.password.end(write, answer.outcome, at: now)
            switch answer {
            case .accepted: judge.passwordIsAccepted(account, former, span)
            case .refused(let message): judge.passwordIsRefused(account, former, message, span)
            case .uncertain: break
            }
        }

        func updatePassword() async {
            guard let session = pick(sessions) else { return }
            let password = newPassword()
            let (idToken, idTokenEnded) = (session.idToken, session.idTokenEnded)
            let write = account.password.begin(password, at: now)
            let (answer, span) = await toolkit(":update", ["idToken": idToken, "password": password])
            if case .accepted(let reply) = answer {
                if session.idTokenEnded == idTokenEnded { judge.idTokenIsAccepted(account, session, span) }
                _ = keep(reply, began: span.began, password)
            }
            account.password.end(write, answer.outcome, at: now)
        }

        func requestCode(_ type: String, idToken: String? = nil) async {
            var members = ["requestType": type]
            if let idToken { members["idToken"] = idToken } else { members["email"] = email }
            _ = await toolkit(":sendOobCode", members)
        }

        /// The codes of e-mails, the latest last.
        func codes(of purpose: Notifier.EmailPurpose) -> [String] {
            scenario.mails.filter { $0.realm == realm && $0.recipient == email && $0.purpose == purpose }.map(\.code)
        }

        func resetPassword() async {
            let codes = codes(of: .resetPassword)
            guard let latest = codes.last else { return }
            let code = chance(85) ? latest : pick(codes) ?? latest
            if chance(25) {
                await withDiscardingTaskGroup { group in
                    for _ in 0..<2 { group.addTask { await self.resetPassword(by: code) } }
                }
            } else {
                await resetPassword(by: code)
            }
        }

        func resetPassword(by code: String) async {
            let password = newPassword()
            let (write, proof) = (account.password.begin(password, at: now), account.beginProof(at: now))
            let (answer, span) = await toolkit(":resetPassword", ["oobCode": code, "newPassword": password])
            if case .accepted = answer { judge.codeIsAccepted(account, code, span) }
            account.password.end(write, answer.outcome, at: now)
            account.endProof(proof, answer.outcome, at: now)
        }

        func deleteAccount() async {
            guard let session = pick(sessions) else { return }
            await scenario.delete(self) { [self] in
                await toolkit(":delete", ["idToken": session.idToken]).0.outcome
            }
        }

        /// A factor can be enrolled only once the address is verified.
        func enroll() async {
            guard let session = sessions.last else { return }
            guard isVerified else { return await verify(session) }
            let (started, _) = await toolkit(
                "/mfaEnrollment:start", version: "v2", ["idToken": session.idToken],
                ["totpEnrollmentInfo": .object([:])])
            guard case .accepted(let reply) = started, let info = reply["totpSessionInfo"],
                let secret = info["sharedSecretKey"]?.text, let sessionInfo = info["sessionInfo"]?.text
            else { return }
            let step = nextStep(of: secret)
            let idToken = session.idToken
            let write = account.factor.begin(secret, at: now)
            // The same request again changes nothing more.
            for attempt in 1...3 {
                let began = now
                let (answer, _) = await toolkit(
                    "/mfaEnrollment:finalize", version: "v2", ["idToken": idToken, "displayName": "app"],
                    [
                        "totpVerificationInfo": .object([
                            "sessionInfo": .string(sessionInfo), "verificationCode": .string(code(secret, step)),
                        ])
                    ])
                switch answer {
                case .accepted(let reply):
                    judge.stepIsAccepted(account, secret: secret, step: step)
                    // An ID token of the second of a revocation is valid, so the session may be later than that.
                    _ = keep(reply, began: began, nil)
                    return account.factor.end(write, .acknowledged, at: now)
                case .refused:
                    // An earlier attempt may have had an effect.
                    return account.factor.end(write, attempt == 1 ? .refused : .uncertain, at: now)
                case .uncertain: await pause()
                }
            }
            account.factor.end(write, .uncertain, at: now)
        }

        func verify(_ session: Session) async {
            let codes = codes(of: .verifyEmail)
            guard let code = codes.last, chance(80) else {
                return await requestCode("VERIFY_EMAIL", idToken: session.idToken)
            }
            let write = account.isProven.begin(true, at: now)
            let outcome = await toolkit(":update", ["oobCode": code]).0.outcome
            account.isProven.end(write, outcome, at: now)
        }

        // MARK: End

        /// After the faults: what was acknowledged is there, and works.
        func requireEnd() async {
            defer { hasEnded = true }
            sessions = []
            if let id, account.isDisabled.mayBe(true, from: now, to: now) {
                guard await scenario.setDisabled(false, self, id) == .acknowledged else {
                    // It may have been deleted.
                    if !account.password.mayBe(nil, from: now, to: now) {
                        world.report("\(name) cannot be enabled after the faults")
                    }
                    return
                }
            }
            let passwords = account.password.possible(from: now, to: now)
            for password in passwords.compactMap(\.self).reversed() {
                isLimited = true
                // Many wrong attempts may have come before.
                while isLimited {
                    isLimited = false
                    if let pending = await signIn(with: password) { await completeAtEnd(pending) }
                    if isLimited { try? await scenario.client.pause(for: .seconds(120)) }
                }
                if let session = sessions.last {
                    await requirePasskeys(session)
                    await requireIdentities(session)
                    return await requireWorking(session)
                }
            }
            if !passwords.contains(nil) { world.report("\(name) cannot sign in after the faults") }
        }

        func completeAtEnd(_ pending: Pending) async {
            var pending = pending
            if let phone = pending.phones.last, pending.totpID == nil || chance(50) {
                return await completeAtEnd(pending, by: phone)
            }
            for secret in secrets.reversed() {
                let current = TOTPCode.step(at: scenario.client.now().wall)
                let step = max(current, (lastSteps[secret] ?? current) + 1)
                switch await complete(pending, secret, step) {
                case .accepted: return
                case .refused("QUOTA_EXCEEDED"):
                    isLimited = true
                    return
                case .refused, .uncertain: break
                }
                guard let password = pending.password, let next = await signIn(with: password) else { return }
                pending = next
            }
            world.report("\(name) cannot complete a sign-in after the faults")
        }

        /// - Returns: nil where the account cannot be read, which must not be.
        func lookUpAtEnd(_ session: Session) async -> (reply: JSONValue, span: Span)? {
            let (answer, span) = await toolkit(":lookup", ["idToken": session.idToken])
            guard case .accepted(let reply) = answer else {
                world.report("\(name) cannot read its account after the faults")
                return nil
            }
            return (reply, span)
        }

        func requireWorking(_ session: Session) async {
            if await !refresh(session) { world.report("\(name) cannot refresh its session after the faults") }
            guard await lookUpAtEnd(session) != nil else { return }
            let password = newPassword()
            let write = account.password.begin(password, at: now)
            let (answer, _) = await toolkit(":update", ["idToken": session.idToken, "password": password])
            account.password.end(write, answer.outcome, at: now)
            if answer.outcome != .acknowledged {
                world.report("\(name) cannot change its password after the faults")
            }
        }
    }

#endif
