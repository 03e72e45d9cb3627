import Bus
import Contracts
import Crypto
import DatabaseService
import PhoneNumbers
import ServiceRuntime
import Vocabulary

/// A request for a code.
private struct CodeRequest {
    var realm: Realm
    var number: ParsedPhoneNumber
    var purpose: CountedSend.Purpose
    var accountID: AccountID?
    var factorID: FactorID?
    var credential: MFASMS.AppCredential
    var locale: String?
    var client: ClientContext

    var countedSend: CountedSend {
        .init(
            realm: realm, number: number, purpose: purpose, accountID: accountID, ipAddress: client.ipAddress)
    }
}

/// The operations that begin with an SMS.
struct CodeSending: SMSComponent {
    let dependencies: SMSService.Dependencies

    func startPhoneSignIn(_ request: MFASMS.StartPhoneSignIn, _ call: BusCall) async throws -> MFASMS.SentCode {
        // An absent number is malformed (REST 2.7, as in the emulator).
        guard let number = ParsedPhoneNumber.parsed(request.phoneNumber ?? "") else {
            throw ServiceError(.invalidPhoneNumber)
        }
        _ = try await peers.send(
            Identity.CheckPhoneSignIn(
                realm: request.realm, phoneNumber: number.number, idToken: request.idToken,
                concealsAccount: request.concealsAccount),
            call.options(at: now(), timeout: SMSService.identityTimeout))
        return try await send(
            CodeRequest(
                realm: request.realm, number: number, purpose: .signIn, credential: request.appCredential,
                locale: request.locale, client: request.client), call)
    }

    func startEnrollment(_ request: MFASMS.StartEnrollment, _ call: BusCall) async throws -> MFASMS.SentCode {
        let number = request.phoneNumber.flatMap(ParsedPhoneNumber.parsed)
        let checked = try await peers.send(
            Identity.CheckEnrollment(
                realm: request.realm, idToken: request.idToken, factor: .phone(number?.number),
                stage: .start), call.options(at: now(), timeout: SMSService.identityTimeout))
        guard let number else { throw ServiceError(.invalidPhoneNumber) }
        return try await send(
            CodeRequest(
                realm: checked.principal.realm, number: number, purpose: .enrollment,
                accountID: checked.principal.accountID,
                factorID: FactorID(RandomUUID.text(of: dependencies.randomBytes(16))),
                credential: request.appCredential,
                locale: request.locale, client: request.client), call)
    }

    func startSignIn(_ request: MFASMS.StartSignIn, _ call: BusCall) async throws -> MFASMS.SentCode {
        let pending = try await peers.send(
            Identity.ResolvePendingSignIn(
                project: request.project, tenant: request.tenant, pendingCredential: request.pendingCredential,
                method: .phone),
            call.options(at: now(), timeout: SMSService.identityTimeout)
        )
        guard let factor = pending.factors.first(where: { $0.id == request.factorID }) else {
            let configuration = try await configuration(of: pending.realm, call)
            throw configuration.isEnabled(.phone) ? ServiceError(.factorNotFound) : .secondFactorDisabled
        }
        // The number was checked at enrollment; the rules of the parser may have changed since.
        guard case .phone(let phone) = factor.kind, let number = ParsedPhoneNumber.parsed(phone.rawValue) else {
            throw ServiceError(.invalidPhoneNumber)
        }
        return try await send(
            CodeRequest(
                realm: pending.realm, number: number, purpose: .secondFactor, accountID: pending.accountID,
                factorID: factor.id, credential: request.appCredential, locale: request.locale, client: request.client),
            call)
    }

    /// Sends a code: first the checks without cost, then the counts, then the message.
    private func send(_ request: CodeRequest, _ call: BusCall) async throws -> MFASMS.SentCode {
        let configuration = try await configuration(of: request.realm, call)
        let testCode = configuration.testCode(of: request.number.number)
        if testCode == nil,
            let refusal = regionRefusal(of: request.number, configuration, store.sending.rules.policy)
        {
            sendingMetrics.countRefused(request.countedSend, for: refusal)
            throw ServiceError.regionNotAllowed
        }
        try await dependencies.verifyAppCredential(request.credential, request.realm, configuration, request.client)

        let code = testCode ?? OneTimeCode(randomBytes: dependencies.randomBytes)
        let sessionInfo = Secret(Base64URL.encode(dependencies.randomBytes(32)))
        let session = newSession(sessionInfo, code, for: request, isTest: testCode != nil)
        let refusal = try await store.insertSession(
            session, from: request.client.ipAddress,
            devCode: isDev ? DevCode(code: code.text, sessionInfo: sessionInfo) : nil,
            at: session.createdAt)
        if let refusal {
            sendingMetrics.countRefused(request.countedSend, for: refusal)
            throw refusal
        }
        if session.isTest {
            metrics.count(.test, request.purpose)
        } else {
            do {
                _ = try await peers.send(
                    message(code, for: request, configuration),
                    call.options(at: now(), timeout: SMSService.notifierTimeout))
            } catch {
                try await voidSession(session, request, after: error, call)
                throw ServiceError(.unavailable)
            }
            sendingMetrics.countSent(request.countedSend)
        }
        log.info(.smsCodeSent, session, call)
        return .init(sessionInfo: sessionInfo)
    }

    private func newSession(
        _ sessionInfo: Secret<String>, _ code: OneTimeCode, for request: CodeRequest, isTest: Bool
    ) -> VerificationSession {
        let digests = store.digests
        let id = digests.session(sessionInfo.reveal())
        return VerificationSession(
            id: id, realm: request.realm, purpose: request.purpose, number: request.number,
            accountID: request.accountID,
            factorID: request.factorID, isTest: isTest, codeDigest: digests.code(code.text.reveal(), of: id),
            createdAt: now())
    }

    private func message(
        _ code: OneTimeCode, for request: CodeRequest, _ configuration: ProjectConfiguration
    ) -> Notifier.SendSMS {
        let purpose: Notifier.SMSPurpose =
            switch request.purpose {
            case .signIn: .phoneSignIn
            case .enrollment: .secondFactorEnrollment
            case .secondFactor: .secondFactorSignIn
            }
        return .init(
            realm: request.realm, recipient: request.number.number, region: request.number.region, purpose: purpose,
            code: code.text, locale: configuration.messageLocale(request.locale),
            defaultLocale: configuration.notification?.defaultLocale,
            appName: configuration.applicationName(of: request.realm.project),
            originDomain: configuration.originDomain ?? dependencies.originDomain,
            template: (configuration.notification?.sendSms?.smsTemplate?.content).nilIfEmpty)
    }

    /// Voids the code of a message that was not accepted, and refunds the message if it was certainly not sent.
    private func voidSession(
        _ session: VerificationSession, _ request: CodeRequest, after error: any Error, _ call: BusCall
    ) async throws {
        metrics.count(.undelivered, session.purpose)
        log.error(
            .smsEnqueueFailed,
            ["project": .public(session.realm.project), "error": .kind(of: error)], trace: call.trace)
        // After a timeout the message may be sent.
        let isRefunded = (error as? ServiceError)?.code != .deadlineExceeded
        try await store.void(session, from: request.client.ipAddress, isRefunded: isRefunded)
        if isRefunded {
            sendingMetrics.countRefunded()
        } else {
            sendingMetrics.countCost(of: request.countedSend)
        }
    }

    private func configuration(of realm: Realm, _ call: BusCall) async throws -> ProjectConfiguration {
        try await dependencies.configurations.resolve(
            realm, call.options(at: now(), timeout: SMSService.identityTimeout)
        ).configuration
    }
}

extension Log {
    /// Logs an event of a session, without number or code.
    func info(_ event: LogEvent, _ session: VerificationSession, _ call: BusCall) {
        info(
            event,
            [
                "project": .public(session.realm.project), "purpose": .public(session.purpose.rawValue),
                "number": session.isTest ? "test" : "real",
            ], trace: call.trace)
    }
}

extension ParsedPhoneNumber {
    /// Nil for every malformed number: no reply contains the reason.
    static func parsed(_ text: String) -> ParsedPhoneNumber? {
        try? ParsedPhoneNumber(text)
    }
}
