// Parts of services are no interfaces: a release build has them only for tests.
#if DEBUG || TESTABLE

    import Bus
    import Contracts
    import JSON
    import TestSupport

    /// What a client does with SMS codes.
    extension SimulatedUser {
        /// The codes that a phone has, the latest last.
        private func codes(_ number: String, _ purpose: Notifier.SMSPurpose) -> [String] {
            scenario.textMessages.filter { $0.realm == realm && $0.recipient == number && $0.purpose == purpose }
                .map(\.code)
        }

        /// Another one than those that were sent.
        private func wrongCode(_ codes: [String]) -> String {
            var code = world.random.index(below: 900_000) + 100_000
            while codes.contains("\(code)") { code = code % 999_999 + 1 }
            return String("00000\(code)".suffix(6))
        }

        private func verification(_ session: String, _ code: String) -> [String: JSONValue] {
            ["phoneVerificationInfo": .object(["sessionInfo": .string(session), "code": .string(code)])]
        }

        // MARK: Enrollment

        /// As `enroll`, with a phone.
        func enrollPhone() async {
            guard let session = sessions.last, let place = pick(Array(account.phones.indices)) else { return }
            guard isVerified else { return await verify(session) }
            let number = account.phones[place].number
            let (started, _) = await toolkit(
                "/mfaEnrollment:start", version: "v2", ["idToken": session.idToken],
                ["phoneEnrollmentInfo": .object(["phoneNumber": .string(number)])])
            guard case .accepted(let reply) = started,
                let sessionInfo = reply["phoneSessionInfo"]?["sessionInfo"]?.text
            else { return }
            let codes = codes(number, .secondFactorEnrollment)
            guard let code = chance(90) ? codes.last : wrongCode(codes) else { return }
            let (idToken, began) = (session.idToken, now)
            let write = account.phones[place].isFactor.begin(true, at: began)
            // The same request again changes nothing more.
            for attempt in 1...3 {
                let (answer, _) = await toolkit(
                    "/mfaEnrollment:finalize", version: "v2", ["idToken": idToken, "displayName": "phone"],
                    verification(sessionInfo, code))
                switch answer {
                case .accepted(let reply):
                    _ = judge.smsCodeIsAccepted(
                        account, sessionInfo, code, of: codes, refreshToken: reply["refreshToken"]?.text ?? "")
                    _ = keep(reply, began: began, nil)
                    return account.phones[place].isFactor.end(write, .acknowledged, at: now)
                case .refused(let message):
                    if message == "INVALID_CODE" { judge.smsCodeIsWrong(account, sessionInfo) }
                    // An earlier attempt may have had an effect.
                    return account.phones[place].isFactor.end(
                        write, attempt == 1 ? .refused : .uncertain, at: now)
                case .uncertain: await pause()
                }
            }
            account.phones[place].isFactor.end(write, .uncertain, at: now)
        }

        // MARK: Sign-in

        /// Completes a sign-in with the code of an SMS, some after wrong ones, and some twice.
        func complete(_ pending: Pending, by phone: AccountJudge.PhoneFactor) async {
            guard case .accepted(let reply) = await requestCode(for: pending, phone),
                let session = reply["phoneResponseInfo"]?["sessionInfo"]?.text
            else { return }
            if chance(30) { await pause() }
            if chance(15) {
                for _ in 0..<(1 + world.random.index(below: 7)) {
                    let wrong = wrongCode(codes(phone.number, .secondFactorSignIn))
                    await complete(pending, by: phone, session, wrong)
                }
            }
            let codes = codes(phone.number, .secondFactorSignIn)
            guard let code = chance(90) ? codes.last : pick(codes) else { return }
            var attempts = [pending]
            if chance(15) { attempts.append(pending) }
            // A code is valid for the account: another sign-in may present it.
            if chance(40), let password = pending.password, let other = await signIn(with: password) {
                attempts.append(other)
            }
            await withDiscardingTaskGroup { group in
                for attempt in attempts { group.addTask { await self.complete(attempt, by: phone, session, code) } }
            }
        }

        private func requestCode(for pending: Pending, _ phone: AccountJudge.PhoneFactor) async -> Answer {
            await toolkit(
                "/mfaSignIn:start", version: "v2",
                ["mfaPendingCredential": pending.credential, "mfaEnrollmentId": phone.id],
                ["phoneSignInInfo": .object([:])]
            ).0
        }

        /// Sends the same request again if there is no response.
        @discardableResult
        private func complete(
            _ pending: Pending, by phone: AccountJudge.PhoneFactor, _ session: String, _ code: String
        ) async -> Answer {
            let began = now
            while true {
                let (answer, span) = await toolkit(
                    "/mfaSignIn:finalize", version: "v2",
                    ["mfaPendingCredential": pending.credential, "mfaEnrollmentId": phone.id],
                    verification(session, code))
                switch answer {
                case .accepted(let reply):
                    let isFirst = judge.smsCodeIsAccepted(
                        account, session, code, of: codes(phone.number, .secondFactorSignIn),
                        refreshToken: reply["refreshToken"]?.text ?? "")
                    guard isFirst else { return answer }
                    // An attempt without a response may be the one that was accepted.
                    judge.secondFactorIsAccepted(
                        account, pending, .phone(number: phone.number), Span(began: began, ended: span.ended))
                    _ = keep(reply, began: pending.began, pending.password)
                    return answer
                case .refused(let message):
                    if message == "INVALID_CODE" { judge.smsCodeIsWrong(account, session) }
                    return answer
                case .uncertain:
                    guard chance(60) else { return answer }
                    await pause()
                }
            }
        }

        // MARK: End

        func completeAtEnd(_ pending: Pending, by phone: AccountJudge.PhoneFactor) async {
            var answer = await requestCode(for: pending, phone)
            if case .accepted(let reply) = answer,
                let session = reply["phoneResponseInfo"]?["sessionInfo"]?.text,
                let code = codes(phone.number, .secondFactorSignIn).last
            {
                answer = await complete(pending, by: phone, session, code)
                if case .accepted = answer { return }
            }
            // Many wrong codes may have come before.
            guard case .refused("TOO_MANY_ATTEMPTS_TRY_LATER") = answer else {
                return world.report("\(name) cannot complete a sign-in by SMS after the faults: \(answer)")
            }
            isLimited = true
        }
    }

#endif
